// Package bankapi is the simulated interface over HTTP: it turns requests into calls on a sandbox's world, and their results into
// the interface's statuses, headers and bodies. It knows no rule and no fact of the interface: rules are in package sim, facts
// (paths, members, statuses, codes) in sim/contract. Start at handler.go, which has the six steps of a request; there is a file
// for each resource, with its wire types and handlers.
//
// Sources named in comments: "section" is a section of the interface's document, "published" the service's public API
// description, "choice" our own decision.
package bankapi

// Package bankapi is the simulated interface over HTTP: it turns requests into calls on a sandbox's world, and their
// results into the interface's statuses, headers and bodies.
//
// What the interface says (paths, parameters, members, statuses, codes) is declared in the contract. A handler has what
// only code can say: it reads the request, calls the rule, and builds the answer. It takes no lock, chooses no status and
// writes nothing itself. There is a file for each resource, with its wire types and handlers.
//
// Sources named in comments: "section" is a section of the interface's document, "published" the service's public API
// description, "choice" our own decision.
package bankapi

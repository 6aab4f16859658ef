// Package bankapi is the simulated interface over HTTP: it turns requests into calls on a sandbox's world and
// what comes of them into the interface's statuses, headers and bodies.
//
// The operations stand in one table (operation.go) and have a file per resource with their wire types and
// handlers. A handler is decode, call, reply: it takes no lock and writes nothing itself. Which status and code a
// refusal gets is said once per resource family, in the table beside its handlers.
//
// Sources named in comments: "section" is a section of the interface document, "published" the service's public
// API description, "choice" our own decision.
package bankapi

// Package bankapi is the simulated interface over HTTP: it turns requests into calls on a sandbox's world, and their
// results into the interface's statuses, headers and bodies. The rules of the bank are in package sim, and the facts of
// the interface in sim/contract, such as paths, statuses and codes. Structs here have the members of bodies.
//
// A request goes through the package as values that are whole when they are made. Start at serve in handler.go:
//
//   - parse reads a request: its address, its route, its query and its body (request.go, address.go, router.go).
//   - execute decides its outcome in one moment of a bank, and records the exchange (execute.go, outcome.go). First
//     faults are decided (fault.go). Then the function of the operation is called (operations.go, and a file for each
//     resource). Then the conditions of evidence say which entries of the ledger the answer cites (evidence.go).
//   - deliver waits for the delay of a fault, and sends the answer (deliver.go).
//
// The answer goes through five values:
//
//   - answer comes from the function of an operation, if it accepts the request: a documented answer and its body
//     (call.go).
//   - reply is an answer with its status, its headers and the decision behind it. endpoint.reply makes it of an
//     answer, refusalReply of an error, and faultReply of a fault (execute.go, reply.go, fault.go).
//   - decided adds what the request does to the bank, and its lints. carryOut returns it (execute.go).
//   - outcome adds the headers of every answer, and what a connection fault makes of them. newOutcome returns it
//     (outcome.go).
//   - exchange adds the id in the journal. view and update record the outcome, and return the exchange (execute.go).
//
// Sources named in comments: "section" is a section of the interface's document, "published" the service's public API
// description, "choice" our own decision.
package bankapi

// Package contract is the simulated interface as data: its operations, what they are sent and what they answer, which
// rule is refused with which status and code, and the ledger, which says what each of these facts rests on.
//
// Every fact of the interface is written here, once, as a Go value with a name. Whoever needs it (routing, error bodies,
// faults, the scenario schema, redaction, the OpenAPI document, conformance, the tests) takes it from the value, so a
// misspelt name does not compile, and a changed fact changes everywhere.
//
// There is a file for each resource family. In it, from top to bottom: the family with its refusals, its operations, the
// objects that they exchange, and its entries of the ledger. The name of an operation's or an entry's variable is its
// id in camel case: groups.create.duplicate-name is [GroupsCreateDuplicateName].
//
// Sources named in comments and entries: "section" is a section of the interface's document, "public API description"
// the published description of the service, "ours" a choice of the simulator's.
package contract

// Package contract is the simulated interface as data: its operations, what they are sent and what they answer, which rule is
// refused with which status and code, and the ledger, which says what each of these facts rests on. It carries nothing out:
// routing, error bodies, faults, the scenario schema, redaction, the OpenAPI document, conformance and tests take each fact from
// here, where it is written once. Start at groups.go: there is such a file for each family, and in it, from top to bottom, the
// family with its refusals, its operations, their objects, and its entries of the ledger.
//
// Sources named in comments and entries: "section" is a section of the interface's document, "public API description"
// the published description of the service, "ours" a choice of the simulator's.
package contract

//go:generate go test . -run TestExamples -update

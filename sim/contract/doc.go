// Package contract is the simulated interface as data: the operations, what requests and answers hold, and how each
// rule refuses a request. The ledger says where each of these facts comes from. Routing, error bodies, faults, the
// scenario schema, the OpenAPI document, conformance and tests all read the same facts here.
//
// Start at groups.go. Each family has a file like it: the family with its refusals, its operations, their objects, and
// its entries of the ledger. [Document] is the interface as its document describes it. [Public] is the interface as the
// public API description has it; public.go lists the differences.
//
// docs/architecture.md says what a new operation takes. go generate adds the answers to the requests in examples.json.
//
// The ledger has the order of the declarations. Go initializes files in alphabetical order.
//
// Comments and entries name three sources. A "section" is one of the interface's document. The "public API description"
// is the published description of the service, in comments also "published". Its places are in source.go, and in the
// operations. "Ours" marks a choice of the simulator.
package contract

//go:generate go test . -run TestExamples -update

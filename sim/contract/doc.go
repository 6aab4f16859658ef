// Package contract is the simulated interface as data: the operations, what requests and answers hold, and how each
// rule refuses a request. The ledger says where each of these facts comes from. Routing, error bodies, faults, the
// scenario schema, the OpenAPI document, conformance and tests all read the same facts here.
//
// Start at groups.go. Each family has a file like it: the family with its refusals, its operations, their objects, and
// its entries of the ledger. [Document] is the interface as its document describes it. [Public] is the interface as the
// public API description has it; public.go lists the differences.
//
// A new operation takes four steps:
//   - Declare the operation and its entries in the file of its family.
//   - Add the operation to the list operations in operation.go.
//   - Add it to publicOperations in public.go, with its differences.
//   - Add a request for each dialect to examples.json. Then go generate adds the answers.
//
// The ledger has the order of the declarations. Go initializes files in alphabetical order.
//
// Comments and entries name three sources. A "section" is one of the interface's document. The "public API description"
// is the published description of the service, in comments also "published"; source.go has its places. "Ours" marks a
// choice of the simulator.
package contract

//go:generate go test . -run TestExamples -update

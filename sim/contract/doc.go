// Package contract says how far the simulator's answers can be trusted: the ledger of what each of them rests on,
// and the OpenAPI document of the interface.
//
// The ledger is the one place where a basis is said. Who answers a request refers to its entries by id, and the
// journal shows which ones an answer used.
package contract

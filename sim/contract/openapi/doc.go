// Package openapi describes the simulated interface as an OpenAPI document, derived from the contract. Its examples are
// the golden exchanges.
package openapi

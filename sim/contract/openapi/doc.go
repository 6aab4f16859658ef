// Package openapi describes the simulated interface as an OpenAPI document, derived from the contract.
package openapi

//go:build !race

package server_test

// propertyRequests is how many requests the property test generates.
const propertyRequests = 20_000

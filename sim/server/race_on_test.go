//go:build race

package server_test

// propertyRequests is how many requests the property test generates: fewer, because the race detector takes its time.
const propertyRequests = 4_000

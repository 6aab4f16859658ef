//go:build !race

package testkit_test

// race reports whether the race detector is on.
const race = false

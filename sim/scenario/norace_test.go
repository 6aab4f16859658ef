//go:build !race

package scenario

// race reports whether the race detector is on.
const race = false

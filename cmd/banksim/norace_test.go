//go:build !race

package main

// race reports whether the race detector is on.
const race = false

//go:build race

package main

// race reports whether the race detector is on, which makes each of hundreds of commands start slowly.
const race = true

// Package sim is the simulated bank: its state, its rules and its behaviour switches. It knows no HTTP, no YAML, no network, no
// wall clock and no global randomness. Start at world.go, then at group.go, where a create is.
//
// A [World] is all state of one bank at one moment. It is a set of copy-on-write ordered tables whose rows are
// immutable, so [World.Fork] costs the same whatever the world holds, and a world that nobody changes any more
// can be read by any number of goroutines. A change is made on a fork, which then takes the place of the world
// it came from, or is dropped: there is no half-made change to see.
package sim

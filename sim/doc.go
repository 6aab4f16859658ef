// Package sim is the simulated bank: its state, its rules and its behaviour switches. It imports no HTTP, no YAML, no
// network, no wall clock and no global randomness. Start at world.go, then read group.go, where a group is created.
//
// A [World] is all state of one bank at one moment. It has copy-on-write tables, and their rows never change. So
// [World.Fork] costs the same for a bank of any size, and any number of goroutines can read a world while no goroutine
// changes it. A change is made on a fork. The fork then takes the place of the first world, or is dropped, so a refused
// change leaves nothing behind.
package sim

// Package sandbox holds isolated simulated banks: a [Sandbox] has a world, a virtual clock, faults and a journal of its own, and a
// [Registry] finds it by name. It knows no HTTP. Start at generation.go, then sandbox.go.
//
// # Generations
//
// A [Generation] of a sandbox is the time between two resets. A new scenario begins one, too. Faults and journal belong to
// the generation. A request that a fault has delayed doesn't read or change a later one.
//
// # The past
//
// The journal keeps the worlds around each exchange that it holds. They differ in what it has changed, and [Registry.ForkAt] forks
// what the sandbox was around it.
//
// # Concurrency
//
// World, clock, faults and journal of a sandbox are one immutable value that is replaced at once. Readers load it and never
// wait, and see all of a change or nothing of it. Writers take turns.
package sandbox

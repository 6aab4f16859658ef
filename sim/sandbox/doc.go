// Package sandbox holds isolated simulated banks: each [Sandbox] is a world and a virtual clock of its own, and a
// [Registry] finds them by name.
package sandbox

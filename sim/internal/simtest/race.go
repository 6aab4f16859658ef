//go:build race

package simtest

// Race reports whether the race detector is on. It makes everything about ten times slower, so tests that replay hundreds of
// exchanges one by one take a sample under it: .ci/run runs them whole without it.
const Race = true

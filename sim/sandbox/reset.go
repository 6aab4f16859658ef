package sandbox

import "time"

// ByWatch is who resets the sandboxes that follow the registry's scenario when that is replaced.
const ByWatch = "watch"

// Reset is a reset of a sandbox. A new scenario is one, too.
type Reset struct {
	At time.Time // real time
	By string    // the address of the client that asked for it, or ByWatch; empty: the program that runs the sandbox
}

// LastReset returns the reset by which the present generation began; ok is false if there was none.
func (s *Sandbox) LastReset() (last Reset, ok bool) {
	last = s.state.Load().generation.start.reset
	return last, !last.At.IsZero()
}

package sandbox

import (
	"math"
	"runtime/debug"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
)

// bytesOfRow is how much of the memory limit there must be for each row that callers add (choice).
const bytesOfRow = 4 << 10

// addedRows counts what callers have added to all sandboxes of a registry since their generations began.
type addedRows struct {
	count atomic.Int64
	limit int64 // 0: there is none
}

// limitByMemory limits the rows by the memory limit of the process, if it has one.
func (a *addedRows) limitByMemory() {
	if memory := debug.SetMemoryLimit(-1); memory < math.MaxInt64 {
		a.limit = memory / bytesOfRow
	}
}

// limitIn limits what callers can add to a world by the room that all sandboxes leave.
func (a *addedRows) limitIn(w *sim.World) {
	if a.limit > 0 {
		w.LimitRows(max(1, w.Added()+int(a.limit-a.count.Load())))
	}
}

// recount counts what callers have added to a state in place of what they had added to an earlier one. Nobody has added anything to a
// nil state.
func (s *Sandbox) recount(old, next *state) {
	if old != nil && old.deleted { // then it isn't counted any more
		return
	}
	s.in.added.count.Add(next.added() - old.added())
}

// added returns how many rows callers have added since the generation began. What a fork starts with is the other sandbox's.
func (st *state) added() int64 {
	if st == nil {
		return 0
	}
	return int64(st.world.Added() - st.generation.start.world.Added())
}

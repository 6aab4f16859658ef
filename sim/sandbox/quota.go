package sandbox

import (
	"math"
	"runtime/debug"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
)

// bytesOfRow is how much of the memory limit there must be for each row that callers add (choice).
const bytesOfRow = 4 << 10

// quota counts the rows that callers have added to all sandboxes of a registry since their generations began, and
// limits them by the memory limit of the process.
type quota struct {
	count atomic.Int64
	most  int64 // 0 if the process has no memory limit
}

func (q *quota) limitByMemory() {
	if memory := debug.SetMemoryLimit(-1); memory < math.MaxInt64 {
		q.most = memory / bytesOfRow
	}
}

// limit limits the rows that callers can add to a world by the room that all sandboxes leave.
func (q *quota) limit(w *sim.World) {
	if q.most > 0 {
		w.LimitRows(max(1, w.Added()+int(q.most-q.count.Load())))
	}
}

// recount replaces the added rows of old by the added rows of next. Old is nil for a new sandbox. A deleted one has
// no added rows.
func (q *quota) recount(old, next *state) {
	q.count.Add(next.addedRows() - old.addedRows())
}

// addedRows returns how many rows callers have added since the generation began. The first rows of a fork count for
// the other sandbox.
func (st *state) addedRows() int64 {
	if st == nil || st.deleted {
		return 0
	}
	return int64(st.world.Added() - st.generation.start.Added)
}

package sandbox

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// The shares of the memory limit (choice).
const (
	requestShare = 4 // a quarter for the requests under way
	keptShare    = 4 // a quarter for what sandboxes keep, without their journals
	journalShare = 8
)

// What a sandbox and a scenario keep, as measured.
const (
	sandboxBytes     = 6 << 10 // a sandbox without rows
	bytesOfTextBytes = 8       // a scenario, for each byte of its text
)

// ErrNoRoom is the error of what there is no memory for.
var ErrNoRoom = memory.ErrNoRoom

// noRoom returns the error of what would exceed a room.
func noRoom(growth int64, room *memory.Room) error {
	return fmt.Errorf("%w to keep %s more, where %s are left: delete or reset sandboxes, or give the simulator more "+
		"memory", ErrNoRoom, memory.Size(growth), memory.Size(max(0, room.Left())))
}

// checkLimits fails with sim.WorldFull or ErrNoRoom if a change makes a sandbox larger than it may be.
func (s *Sandbox) checkLimits(tx *Tx, next *state) error {
	if err := tx.World.CheckLimits(tx.Before); err != nil {
		return err
	}
	before := *tx.from
	before.world = tx.Before // jobs end by themselves: that can't be refused
	return s.checkRoom(&before, next)
}

// checkRoom fails with ErrNoRoom if a sandbox would grow more than it may.
func (s *Sandbox) checkRoom(old, next *state) error {
	grown := next.own() - old.own()
	if grown > 0 && grown > s.kept.Left() {
		return noRoom(grown, s.kept)
	}
	grown = s.registry.parts.growth(old, next)
	if grown > 0 && grown > s.registry.kept.Left() && s.name != Default {
		return noRoom(grown, s.registry.kept)
	}
	return nil
}

// checkRebuild fails with ErrNoRoom if a start would make the rows of the registry's scenario again, and there is no
// room for them.
func (r *Registry) checkRebuild() error {
	world := r.Origin().Scenario.World
	if !r.cfg.StartsNow || world == nil || int64(world.Opening().Bytes) <= r.kept.Left() {
		return nil
	}
	return noRoom(int64(world.Opening().Bytes), r.kept)
}

// own returns about how many bytes a sandbox keeps alone. A snapshot and the start of a fork count as if their rows
// were copied.
func (st *state) own() int64 {
	if st == nil || st.deleted {
		return 0
	}
	all := sandboxBytes + st.world.Bytes() + st.faults.RuleBytes()
	for _, taken := range st.snapshots {
		all += taken.world.bytes()
	}
	all += st.generation.start.world.bytes() // more than 0 for a fork
	return int64(all)
}

// partCounts counts what several sandboxes keep together: once, and not at all if the default sandbox keeps it, because
// the simulator was started with that.
type partCounts struct {
	room *memory.Room

	mu  sync.Mutex
	all map[any]*part
}

// part is kept by sandboxes.
type part struct {
	bytes    int64
	scenario *scenario.Scenario // or nil
	users    int                // sandboxes without the default one
	isFree   bool               // whether the default sandbox keeps it, too
}

func (s *part) counted() int64 {
	if s == nil || s.isFree || s.users == 0 {
		return 0
	}
	return s.bytes
}

// scenarioKey is the key of a scenario that a sandbox has for itself.
type scenarioKey struct{ version, file string }

// parts yields what a state keeps together with others: the rows that its bank and its start opened with, and its
// scenario.
func (st *state) parts(yield func(key any, p part)) {
	if st == nil || st.deleted {
		return
	}
	start := st.generation.start
	now, then := st.world.Opening(), start.world.opening()
	if now != nil {
		yield(now, part{bytes: int64(now.Bytes)})
	}
	if then != nil && then != now {
		yield(then, part{bytes: int64(then.Bytes)})
	}
	if sc := start.scenario; !start.Follows {
		yield(scenarioKey{sc.Version, sc.File}, part{bytes: int64(len(sc.Source)) * bytesOfTextBytes, scenario: sc})
	}
}

// hasPartsOf reports whether two states of a sandbox have the same parts, as they do before and after most changes.
func (st *state) hasPartsOf(old *state) bool {
	return old != nil && old.deleted == st.deleted && old.generation == st.generation &&
		old.world.Opening() == st.world.Opening()
}

// growth returns how many bytes would be added if a sandbox kept the parts of next in place of the parts of old.
func (h *partCounts) growth(old, next *state) (growth int64) {
	if next.hasPartsOf(old) {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	stays := map[any]bool{}
	next.parts(func(key any, p part) {
		stays[key] = true
		if h.all[key] == nil {
			growth += p.bytes
		}
	})
	old.parts(func(key any, p part) {
		if known := h.all[key]; known != nil && known.users == 1 && !stays[key] {
			growth -= known.counted()
		}
	})
	return growth
}

// recount counts the parts of next in place of the parts of old. Old is nil for a new sandbox.
func (h *partCounts) recount(old, next *state, isDefault bool) {
	if next.hasPartsOf(old) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	change := func(key any, p part, users int) {
		s := h.all[key]
		before := s.counted()
		switch {
		case s == nil && users < 0: // the start was read from the store since
			return
		case s == nil:
			s = &p
			h.all[key] = s
		}
		if isDefault {
			s.isFree = users > 0
		} else {
			s.users += users
		}
		h.room.Adjust(s.counted() - before)
		if s.users == 0 && !s.isFree {
			delete(h.all, key)
		}
	}
	old.parts(func(key any, p part) { change(key, p, -1) })
	next.parts(func(key any, p part) { change(key, p, 1) })
}

// scenario returns the equal scenario that a sandbox has already, or else sc.
func (h *partCounts) scenario(sc *scenario.Scenario) *scenario.Scenario {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.all[scenarioKey{sc.Version, sc.File}]
	if known != nil && bytes.Equal(known.scenario.Source, sc.Source) {
		return known.scenario
	}
	return sc
}

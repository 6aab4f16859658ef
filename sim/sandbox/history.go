package sandbox

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// maxPast is how many worlds of the past a sandbox keeps: those before its last changes (choice).
const maxPast = 100

// Errors about the past of a sandbox.
var (
	ErrNoExchange = errors.New("the journal holds no such exchange")
	ErrForgotten  = errors.New("the world around the exchange is no longer kept")
)

// history has the worlds that a generation had before its last changes, as far as the budget has room for them.
type history struct {
	room *journal.Besides
	held atomic.Int64 // bytes of past; changed with mu held

	mu   sync.Mutex // held only for moments: the budget may wait for it
	past []past     // of consecutive versions, the newest last
}

// past is a world that was replaced.
type past struct {
	version uint64
	world   *sim.World // never written to
	bytes   int64      // that neither the next world nor a newer one shares
}

func newHistory(room *journal.Besides) *history {
	h := &history{room: room}
	room.Join(h)
	return h
}

// keep adds a world that is being replaced, and how many bytes it doesn't share with the world that replaces it. If there is
// no room for it, none is kept: those before it would then hold what only it is counted for.
func (h *history) keep(version uint64, world *sim.World, bytes int64) {
	if !h.room.Reserve(bytes) {
		h.Shrink(0)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past = append(h.past, past{version, world, bytes})
	h.held.Add(bytes)
	if len(h.past) > maxPast {
		h.dropLocked(1)
	}
}

// world returns the world of a version.
func (h *history) world(version uint64) (*sim.World, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.past) == 0 || version < h.past[0].version || version-h.past[0].version >= uint64(len(h.past)) {
		return nil, false
	}
	return h.past[version-h.past[0].version].world, true
}

// len returns how many worlds are kept.
func (h *history) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.past)
}

// Bytes implements journal.Holder.
func (h *history) Bytes() int64 { return h.held.Load() }

// Shrink implements journal.Holder.
func (h *history) Shrink(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.past) > 0 && h.held.Load() > bytes {
		h.dropLocked(1)
	}
}

// dropLocked drops the oldest worlds and gives their bytes back.
func (h *history) dropLocked(count int) {
	var bytes int64
	for i, p := range h.past[:count] {
		bytes += p.bytes
		h.past[i] = past{}
	}
	if h.past = h.past[count:]; len(h.past) == 0 {
		h.past = nil
	}
	h.held.Add(-bytes)
	h.room.Release(bytes)
}

// close drops all worlds. None may be kept after that.
func (h *history) close() {
	h.Shrink(0)
	h.room.Leave(h)
}

// pastBytes is about what a world that was replaced takes alone.
const pastBytes = 3 << 10

// commitLocked replaces the world. The old one is kept.
func (s *Sandbox) commitLocked(now, next *state) {
	now.generation.history.keep(now.version, now.world, pastBytes)
	s.recount(now, next)
	next.version++
	s.state.Store(next)
}

// aroundLocked returns the present state with the step of an exchange of its journal, and the virtual time of that.
func (s *Sandbox) aroundLocked(exchange string) (now *state, step journal.Step, at time.Time, err error) {
	now = s.state.Load()
	if now.deleted {
		return nil, journal.Step{}, time.Time{}, ErrDeleted
	}
	step, at, ok := now.generation.journal.Step(exchange)
	if !ok {
		return nil, journal.Step{}, time.Time{}, ErrNoExchange
	}
	return now, step, at, nil
}

// worldOf returns the world of a version. It fails with ErrForgotten.
func (st *state) worldOf(version uint64) (*sim.World, error) {
	if version == st.version {
		return st.world, nil
	}
	h := st.generation.history
	if world, ok := h.world(version); ok {
		return world, nil
	}
	return nil, fmt.Errorf("%w: the sandbox keeps the worlds before its last %d changes (at most %d, fewer where the memory for them is used up)",
		ErrForgotten, h.len(), maxPast)
}

// Changes yields the rows that an exchange has changed. It fails with ErrDeleted, ErrNoExchange or ErrForgotten.
func (s *Sandbox) Changes(exchange string) (iter.Seq[sim.Change], error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	now, step, at, err := s.aroundLocked(exchange)
	if err != nil {
		return nil, err
	}
	if !step.Changed {
		return func(func(sim.Change) bool) {}, nil
	}
	before, err := now.worldOf(step.Before)
	if err != nil {
		return nil, err
	}
	after, err := now.worldOf(step.After())
	if err != nil {
		return nil, err
	}
	return after.Diff(at, before, at), nil
}

// Side is a moment around an exchange.
type Side bool

// The moments around an exchange.
const (
	Before Side = false // just before it
	After  Side = true  // just after it
)

// forkedAt returns the start of a fork of the sandbox as it was around an exchange. It fails as Changes does.
func (s *Sandbox) forkedAt(exchange string, side Side) (start, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	now, step, at, err := s.aroundLocked(exchange)
	if err != nil {
		return start{}, err
	}
	version, of := step.Before, Fork{Of: s.name, Before: exchange}
	if side == After {
		version, of = step.After(), Fork{Of: s.name, After: exchange}
	}
	world, err := now.worldOf(version)
	if err != nil {
		return start{}, err
	}
	return now.generation.start.at(of, world, at, step.Running), nil
}

// ClearJournal removes all exchanges, and the worlds around them.
func (s *Sandbox) ClearJournal() {
	s.writing.Lock()
	defer s.writing.Unlock()
	now := s.state.Load()
	now.generation.journal.Clear()
	now.generation.history.Shrink(0)
}

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Choices about a store that can't be used.
const (
	checkEvery   = time.Second     // how often the store is checked
	checkTimeout = 2 * time.Second // how long a check may take
	unreadyAfter = 5 * time.Second // how long a failing store is put up with before the simulator is not ready
)

// StoreCounts is how often a store was used, and with what outcome.
type StoreCounts struct {
	Commits, Failures, Conflicts uint64
	Spent                        time.Duration // in all commits
}

// health is what is known about the store of a registry.
type health struct {
	store Store

	mu      sync.Mutex
	counts  StoreCounts
	problem error     // of the last use; nil if it succeeded
	since   time.Time // when the store began to fail
}

// note records the outcome of a use of the store that began at a time, and returns it as an error of this package.
func (h *health) note(began time.Time, err error) error {
	failed := err != nil
	for _, answer := range []error{ErrConflict, ErrTooOld, ErrDeleted, ErrTaken, ErrNoSandbox} {
		failed = failed && !errors.Is(err, answer) // the store has done its work
	}
	if failed && !errors.Is(err, ErrUnsure) && !errors.Is(err, ErrNotStored) {
		err = fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !failed:
		h.problem, h.since = nil, time.Time{}
	case h.problem == nil:
		h.problem, h.since = err, began
	default:
		h.problem = err
	}
	return err
}

// noteUse is note for a use by a request or a call, which is counted.
func (h *health) noteUse(began time.Time, err error) error {
	err = h.note(began, err)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(err, ErrNotStored), errors.Is(err, ErrUnsure):
		h.counts.Failures++
	case errors.Is(err, ErrConflict):
		h.counts.Conflicts++
	}
	return err
}

// noteCommit is noteUse for a commit.
func (h *health) noteCommit(began time.Time, err error) error {
	h.mu.Lock()
	h.counts.Commits++
	h.counts.Spent += time.Since(began)
	h.mu.Unlock()
	return h.noteUse(began, err)
}

// watch checks the store again and again until the context ends, so that a server without requests learns of a failure, and
// of its end.
func (h *health) watch(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			h.check(ctx)
		}
	}
}

func (h *health) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	began := time.Now()
	if err := h.store.Check(ctx); !errors.Is(err, context.Canceled) {
		_ = h.note(began, err)
	}
}

// StoreCounts returns how often the store was used. Without a store, all counts are zero.
func (r *Registry) StoreCounts() StoreCounts {
	if r.health == nil {
		return StoreCounts{}
	}
	r.health.mu.Lock()
	defer r.health.mu.Unlock()
	return r.health.counts
}

// StoreProblem returns why the last use of the store failed, or nil if it succeeded or there is no store. It reports whether
// the store has failed for so long that no request should be sent here.
func (r *Registry) StoreProblem() (problem error, isLasting bool) {
	if r.health == nil {
		return nil, false
	}
	r.health.mu.Lock()
	defer r.health.mu.Unlock()
	return r.health.problem, r.health.problem != nil && time.Since(r.health.since) >= unreadyAfter
}

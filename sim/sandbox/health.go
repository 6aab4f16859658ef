package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Choices about a store that can't be used.
const (
	checkEvery   = time.Second     // how often the store is checked
	checkTimeout = 2 * time.Second // how long a check may take
	unreadyAfter = 5 * time.Second // how long the store may fail before the simulator is not ready
)

// StoreCounts counts the uses of a store.
type StoreCounts struct {
	Commits, Failures, Conflicts uint64
	Spent                        time.Duration // in all commits
}

// storeUse is what a store was used for.
type storeUse int

const (
	committed  storeUse = iota // a commit
	usedByCall                 // something else that a request or a call needed
	checked                    // a look whether the store can be used
)

// health counts the uses of a store and remembers why it fails.
type health struct {
	store Store
	log   *slog.Logger

	mu      sync.Mutex
	counts  StoreCounts
	problem error     // of the last use, or nil if it succeeded
	since   time.Time // when the store began to fail
	isTold  bool      // whether the log says that it fails
}

// note records the outcome of a use that began at a time, and returns it as an error of this package.
func (h *health) note(use storeUse, began time.Time, err error) error {
	failed := err != nil
	for _, answer := range []error{ErrConflict, ErrTooOld, ErrDeleted, ErrTaken, ErrNoSandbox} {
		failed = failed && !errors.Is(err, answer) // the store has done its work
	}
	if failed && !errors.Is(err, ErrUnsure) {
		err = fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	isCancelled := errors.Is(err, context.Canceled) // by the caller, which says nothing about the store
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case isCancelled:
	case !failed:
		h.problem, h.since = nil, time.Time{}
	case h.problem == nil:
		h.problem, h.since = err, began
	default:
		h.problem = err
	}
	if use == committed {
		h.counts.Commits++
		h.counts.Spent += time.Since(began)
	}
	if failed && !isCancelled && use != checked {
		h.counts.Failures++
	}
	if errors.Is(err, ErrConflict) {
		h.counts.Conflicts++
	}
	return err
}

// watch checks the store until the context ends, so that a server without requests learns that its store fails, and
// that it works again.
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
		_ = h.note(checked, began, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch isLasting := h.isLastingLocked(); {
	case isLasting && !h.isTold:
		h.isTold = true
		h.log.Error("the store of the banks can't be used: this simulator is not ready", "error", h.problem)
	case h.problem == nil && h.isTold:
		h.isTold = false
		h.log.Info("the store of the banks can be used again")
	}
}

func (h *health) isLastingLocked() bool {
	return h.problem != nil && time.Since(h.since) >= unreadyAfter
}

// StoreCounts counts the uses of the store. Without a store, all counts are zero.
func (r *Registry) StoreCounts() StoreCounts {
	if r.health == nil {
		return StoreCounts{}
	}
	r.health.mu.Lock()
	defer r.health.mu.Unlock()
	return r.health.counts
}

// StoreProblem returns why the last use of the store failed, or nil if it succeeded or there is no store. It reports
// whether the store has failed for so long that no request should be sent here.
func (r *Registry) StoreProblem() (isLasting bool, problem error) {
	if r.health == nil {
		return false, nil
	}
	r.health.mu.Lock()
	defer r.health.mu.Unlock()
	return r.health.isLastingLocked(), r.health.problem
}

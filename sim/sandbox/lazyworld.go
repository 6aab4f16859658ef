package sandbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// lazyWorld is a read-only world that is read from the store on first use.
type lazyWorld struct {
	id   WorldID // in the store; 0 without one
	meta sim.StoredMeta

	reading sync.Mutex // held while the world is read
	loaded  atomic.Pointer[sim.World]
}

func inMemory(w *sim.World) *lazyWorld {
	lazy := &lazyWorld{meta: w.Meta()}
	lazy.loaded.Store(w)
	return lazy
}

// bytes returns the bytes of the world, or 0 if it isn't read.
func (w *lazyWorld) bytes() int {
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded.Bytes()
	}
	return 0
}

// opening returns the rows that the world began with, or nil if it isn't read.
func (w *lazyWorld) opening() *sim.Opening {
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded.Opening()
	}
	return nil
}

// get returns the world, and reads it from the store if that is necessary.
func (w *lazyWorld) get(ctx context.Context, s *Sandbox, v View) (*sim.World, error) {
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded, nil
	}
	w.reading.Lock()
	defer w.reading.Unlock()
	if loaded := w.loaded.Load(); loaded != nil {
		return loaded, nil
	}
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	rows, err := s.registry.store.World(ctx, s.name, v.state.version, w.id)
	if err = s.registry.health.note(usedByCall, began, err); err != nil {
		return nil, err
	}
	if len(rows) == 0 { // each world has an institution
		return nil, fmt.Errorf("%w: the rows of a world are gone", ErrNotStored)
	}
	world, err := sim.RestoreWorld(w.meta, v.World.Policies(), slices.Values(rows))
	if err != nil {
		return nil, fmt.Errorf("%w: reading a world: %w", ErrNotStored, err)
	}
	w.loaded.Store(world)
	return world, nil
}

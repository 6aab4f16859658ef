package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// worldTimeout is how long the store may take for a whole world, which may have a million rows (choice).
const worldTimeout = time.Minute

// Plan describes a sandbox to be created.
type Plan struct {
	Name     string             // or empty if one is to be assigned
	Scenario *scenario.Scenario // or nil for the scenario of the registry
	Seed     *uint64            // or nil for the seed of the scenario
	TTL      time.Duration      // real time after which the sandbox is deleted, or 0
}

// Create creates a sandbox. It fails with ErrBadName, ErrTaken, ErrTooMany, ErrNotStored and ErrUnsure.
func (r *Registry) Create(ctx context.Context, p Plan) (*Sandbox, error) {
	return r.create(ctx, p.Name, p.TTL, func() (start, error) {
		if p.Scenario == nil {
			return r.startFollowing(p.Seed), nil
		}
		return fromScenario(p.Scenario, p.Seed, r.cfg.Seed, time.Now()), nil
	})
}

// Fork creates a sandbox that starts as another one is now. An empty name is assigned. It fails as Create does, and with
// ErrDeleted.
func (r *Registry) Fork(ctx context.Context, of *Sandbox, name string) (*Sandbox, error) {
	v, err := of.Latest(ctx)
	if err != nil {
		return nil, err
	}
	return r.create(ctx, name, 0, func() (start, error) { return of.forked(v), nil })
}

// ForkAt creates a sandbox that starts as another one was around an exchange. An empty name is assigned. It fails as Fork
// does, and with ErrNoExchange.
func (r *Registry) ForkAt(ctx context.Context, of *Sandbox, name, exchange string, side Side) (*Sandbox, error) {
	v, err := of.Latest(ctx)
	if err != nil {
		return nil, err
	}
	return r.create(ctx, name, 0, func() (start, error) { return of.forkedAround(v, exchange, side) })
}

// create creates a sandbox of a name, or of an assigned one. Its world is made, and stored, while others use the registry.
func (r *Registry) create(
	ctx context.Context, name string, ttl time.Duration, at func() (start, error),
) (*Sandbox, error) {
	if name != "" && !IsName(name) {
		return nil, ErrBadName
	}
	isAssigned := name == ""
	name, err := r.reserve(name)
	if err != nil {
		return nil, err
	}
	defer r.unreserve(name)
	begin, err := at()
	if err != nil {
		return nil, err
	}
	s := r.newSandbox(name, time.Now())
	if ttl > 0 {
		s.expires = s.created.Add(ttl)
	}
	st := r.firstState(begin)
	if err := s.createStored(ctx, st); err != nil {
		st.generation.journal.Close()
		if isAssigned && errors.Is(err, ErrTaken) { // by another process, which may have assigned many
			r.skipAssigned()
			return r.create(ctx, "", ttl, at)
		}
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if isOutdated := begin.Follows && r.store == nil && begin.scenario.Version != r.origin.Scenario.Version; isOutdated {
		st.generation.journal.Close()
		st = r.firstState(r.outdatedStart(begin))
	}
	r.putLocked(s, st)
	return s, nil
}

// outdatedStart returns the start of a sandbox whose scenario was replaced while the sandbox was made.
func (r *Registry) outdatedStart(old start) start {
	next := fromScenario(r.origin.Scenario, old.Given, old.Fallback, time.Now())
	next.Follows = true
	return next
}

// reserve reserves the name of a sandbox that is going to be created. An empty name is assigned.
func (r *Registry) reserve(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.isTakenLocked(name):
		return "", ErrTaken
	case len(r.sandboxes)+len(r.reserved) >= r.cfg.Limit:
		return "", ErrTooMany
	}
	for isAssigned := name == ""; isAssigned; isAssigned = r.isTakenLocked(name) {
		r.assigned++
		name = "sandbox-" + strconv.FormatUint(r.assigned, 10)
	}
	r.reserved[name] = true
	return name, nil
}

func (r *Registry) isTakenLocked(name string) bool {
	_, exists := r.sandboxes[name]
	return exists || r.reserved[name]
}

func (r *Registry) unreserve(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reserved, name)
}

// skipAssigned skips as many names as were assigned.
func (r *Registry) skipAssigned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.assigned *= 2
}

// putLocked has a sandbox found by its name, and deleted when it expires.
func (r *Registry) putLocked(s *Sandbox, st *state) {
	s.showLocked(st)
	r.sandboxes[s.name] = s
	if !s.expires.IsZero() {
		r.expireLocked(s, time.Until(s.expires))
	}
}

// expiryRetry is how long after a failure an expired sandbox is deleted again (choice).
const expiryRetry = time.Second

// expireLocked deletes a sandbox after some time, and tries again until that succeeds.
func (r *Registry) expireLocked(s *Sandbox, after time.Duration) {
	s.timer = time.AfterFunc(after, func() {
		err := r.remove(r.ctx, s)
		if err == nil || errors.Is(err, ErrNoSandbox) || r.ctx.Err() != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sandboxes[s.name] == s {
			r.expireLocked(s, expiryRetry)
		}
	})
}

// createStored has the store create the bank.
func (s *Sandbox) createStored(ctx context.Context, st *state) (err error) {
	if s.in.store == nil {
		return nil
	}
	at := &st.generation.start
	b := Bank{Present: newWorldID(), Journal: st.generation.began}
	if b.Scenario, err = s.resolvedIfStored(at.scenario); err != nil {
		return err
	}
	b.Worlds = map[WorldID][]sim.StoredRow{b.Present: storedRows(st.world)}
	if at.Origin != (Fork{}) {
		at.world.id = newWorldID()
		b.Worlds[at.world.id] = b.Worlds[b.Present]
	}
	for _, row := range ownRows(st) {
		b.Worlds[OwnRows] = append(b.Worlds[OwnRows], row.StoredRow)
	}
	st.present = b.Present
	if b.Description, err = json.Marshal(newDescription(s, st, 0)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	st.version, err = s.in.store.Create(ctx, s.name, b)
	return s.in.health.noteCommit(began, err)
}

// newWorldID draws the id of a world.
func newWorldID() WorldID { return WorldID(rand.Int64N(1<<62) + 1) }

func storedRows(w *sim.World) []sim.StoredRow { return slices.AppendSeq([]sim.StoredRow{}, w.Rows()) }

func restoreWorld(meta sim.StoredMeta, b *sim.Behavior, rows []sim.StoredRow) (*sim.World, error) {
	return sim.RestoreWorld(meta, *b, slices.Values(rows))
}

// Delete deletes a sandbox with all that it holds. It fails with ErrNoSandbox, ErrDefaultSandbox, ErrNotStored and
// ErrUnsure.
func (r *Registry) Delete(ctx context.Context, name string) error {
	if name == Default {
		return ErrDefaultSandbox
	}
	s, err := r.Find(ctx, name)
	if err != nil {
		return err
	}
	return r.remove(ctx, s)
}

// remove deletes a sandbox. It fails as Delete does.
func (r *Registry) remove(ctx context.Context, s *Sandbox) error {
	if r.store != nil {
		ctx, cancel := context.WithTimeout(ctx, worldTimeout)
		defer cancel()
		began := time.Now()
		err := r.store.Delete(ctx, s.name, s.state.Load().version)
		if err = r.health.noteUse(began, err); err != nil && !errors.Is(err, ErrDeleted) {
			return err
		}
	}
	if !r.forget(s) {
		return ErrNoSandbox
	}
	return nil
}

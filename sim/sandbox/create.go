package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// worldTimeout bounds a use of the store that reads or writes a whole world of up to a million rows (choice).
const worldTimeout = time.Minute

// Plan describes a sandbox to be created.
type Plan struct {
	Name     string             // or empty if one is to be assigned
	Scenario *scenario.Scenario // or nil for the scenario of the registry
	Seed     *uint64            // or nil for the seed of the scenario
	Resets   *sim.ResetTime     // or nil for those of the scenario
	TTL      time.Duration      // real time after which the sandbox is deleted, or 0
}

// Create creates a sandbox. It fails with ErrBadName, ErrTaken, ErrTooMany, ErrNoRoom, ErrNotStored and ErrUnsure.
func (r *Registry) Create(ctx context.Context, p Plan) (*Sandbox, error) {
	if p.Scenario != nil {
		p.Scenario = r.parts.scenario(p.Scenario)
	}
	return r.create(ctx, p.Name, life{ttl: p.TTL, resets: p.Resets}, func() (startPoint, error) {
		if err := r.checkRebuild(); p.Scenario == nil && err != nil {
			return startPoint{}, err
		}
		if p.Scenario == nil {
			return r.startFollowing(p.Seed, time.Now()), nil
		}
		return fromScenario(p.Scenario, p.Seed, r.cfg.Seed, r.clockStart(time.Now())), nil
	})
}

// life says when a new sandbox ends, and when it begins anew.
type life struct {
	ttl    time.Duration  // after its creation, or 0 without an end
	resets *sim.ResetTime // or nil for those of the scenario
	isTied bool           // whether it ends with the sandbox that it was made from
}

// forkLife returns the life of a fork. Without a time to live of its own, it is tied.
func forkLife(ttl time.Duration) life { return life{ttl: ttl, isTied: ttl == 0} }

// Fork creates a sandbox that starts as another one is now. An empty name is assigned. The fork is deleted after ttl,
// or with the other one if that is 0. It fails as Create does, and with ErrDeleted.
func (r *Registry) Fork(ctx context.Context, of *Sandbox, name string, ttl time.Duration) (*Sandbox, error) {
	v, err := of.Latest(ctx)
	if err != nil {
		return nil, err
	}
	return r.create(ctx, name, forkLife(ttl), func() (startPoint, error) { return of.startNow(v), nil })
}

// ForkAt creates a sandbox that starts as another one was around an exchange. An empty name is assigned. It fails as
// Fork does, and with ErrNoExchange.
func (r *Registry) ForkAt(
	ctx context.Context, of *Sandbox, name string, ttl time.Duration, exchange string, side Side,
) (*Sandbox, error) {
	v, err := of.Latest(ctx)
	if err != nil {
		return nil, err
	}
	return r.create(ctx, name, forkLife(ttl), func() (startPoint, error) {
		return of.startAround(v, exchange, side)
	})
}

// create creates a sandbox of a name, or of an assigned one. Its world is made, and stored, while others use the
// registry.
func (r *Registry) create(
	ctx context.Context, name string, l life, makeStart func() (startPoint, error),
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
	p, err := makeStart()
	if err != nil {
		return nil, err
	}
	s := r.newSandbox(name, time.Now())
	st := r.firstState(p)
	if st.tied = l.isTied; l.ttl > 0 {
		st.expires = s.created.Add(l.ttl)
	}
	if l.resets != nil {
		st.schedule = schedule{*l.resets, realNow(), true}
	}
	if err := s.checkRoom(nil, st); err != nil {
		st.generation.journal.Close()
		return nil, err
	}
	if err := s.createStored(ctx, st); err != nil {
		st.generation.journal.Close()
		if isAssigned && errors.Is(err, ErrTaken) { // by another process, which may have assigned many
			r.skipAssigned()
			return r.create(ctx, "", l, makeStart)
		}
		return nil, err
	}
	if !r.putNew(s, st) { // the scenario was replaced meanwhile
		st.generation.journal.Close()
		r.unreserve(name)
		return r.create(ctx, name, l, makeStart)
	}
	return s, nil
}

// putNew puts a new sandbox, unless it starts from a scenario that the registry doesn't have any more.
func (r *Registry) putNew(s *Sandbox, st *state) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := st.generation.start
	if p.Follows && r.store == nil && p.scenario.Version != r.origin.Scenario.Version {
		return false
	}
	r.putLocked(s, st)
	return true
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

// putLocked has a sandbox found by its name.
func (r *Registry) putLocked(s *Sandbox, st *state) {
	s.mu.Lock() // its timer may go off at once
	s.install(st)
	s.mu.Unlock()
	r.sandboxes[s.name] = s
}

// createStored has the store create the bank.
func (s *Sandbox) createStored(ctx context.Context, st *state) (err error) {
	if s.registry.store == nil {
		return nil
	}
	st.present = newWorldID()
	p := &st.generation.start
	if p.Origin != (Fork{}) {
		p.world.id = newWorldID()
	}
	b := Bank{Present: st.present, Journal: st.generation.began}
	if b.Scenario, err = s.resolvedIfStored(p.scenario); err != nil {
		return err
	}
	if b.Description, err = json.Marshal(newDescription(s, st, 0)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	st.version, err = s.registry.store.Create(ctx, s.name, b, s.allRows(ctx, st))
	return s.registry.health.note(committed, began, err)
}

// newWorldID draws the id of a world.
func newWorldID() WorldID { return WorldID(rand.Int64N(1<<62) + 1) }

package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Info describes a sandbox.
type Info struct {
	Name      string
	Scenario  string // name
	Seed      uint64
	Created   time.Time // real, like the other times
	Expires   time.Time // or the zero time
	LastReset Reset     // or the zero reset
	Fork      Fork      // or the zero fork
	Follows   bool      // whether a reload of the registry's scenario restarts the sandbox
	tied      bool
	schedule  schedule
}

// Resets returns when the sandbox is reset by itself.
func (i Info) Resets() sim.ResetTime { return i.schedule.ResetTime }

// Info describes the sandbox as this process knows it.
func (s *Sandbox) Info() Info { return s.infoOf(s.state.Load()) }

func (s *Sandbox) infoOf(st *state) Info {
	at := st.generation.start
	return Info{
		Name: s.name, Scenario: at.scenario.Name, Seed: at.Seed, Created: s.created, Expires: st.expires,
		LastReset: at.Reset, Fork: at.Origin, Follows: at.Follows, tied: st.tied, schedule: st.schedule,
	}
}

// InfoAt describes the sandbox at the moment of a view.
func (s *Sandbox) InfoAt(v View) Info { return s.infoOf(v.state) }

// BeganAt returns when the generation of a view began, in real time.
func (s *Sandbox) BeganAt(v View) time.Time {
	if last := v.Generation.start.Reset; !last.At.IsZero() {
		return last.At
	}
	return s.created
}

// List describes every sandbox, sorted by name: of all processes, if they share a store. It fails with ErrNotStored.
func (r *Registry) List(ctx context.Context) ([]Info, error) {
	if !r.IsShared() {
		var all []Info
		for _, s := range r.All() {
			all = append(all, s.Info())
		}
		return all, nil
	}
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	began := time.Now()
	heads, err := r.store.List(ctx)
	if err = r.health.note(usedByCall, began, err); err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(heads))
	for _, head := range heads {
		var d description
		if err := json.Unmarshal(head.Description, &d); err != nil {
			return nil, fmt.Errorf("%w: the description of the bank %s: %w", ErrNotStored, head.Name, err)
		}
		all = append(all, d.info(head.Name))
	}
	return all, nil
}

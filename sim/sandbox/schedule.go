package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// schedule says when a sandbox is reset by itself.
type schedule struct {
	sim.ResetTime
	Since time.Time `json:"since,omitzero"` // real time: no reset before it was missed
	IsOwn bool      `json:"isOwn,omitzero"` // whether a call has set it, and not the scenario
}

// afterReset returns the schedule after a reset to a start.
func (s schedule) afterReset(p startPoint) schedule {
	if !s.IsOwn {
		s.ResetTime = p.resets()
	}
	return s
}

// resets returns the resets of a start's scenario. They don't hold for a fork: it was made to look at something.
func (p startPoint) resets() sim.ResetTime {
	if p.Origin != (Fork{}) {
		return sim.ResetTime{}
	}
	return p.scenario.Resets
}

// SetResets resets the sandbox by itself from now on, in place of what its scenario says. The zero ResetTime is never.
// It fails as Update does.
func (s *Sandbox) SetResets(ctx context.Context, r sim.ResetTime) error {
	return s.Change(ctx, func(tx *Tx) error {
		tx.schedule = schedule{ResetTime: r, Since: realNow(), IsOwn: true}
		return nil
	})
}

// bySchedule resets sandboxes by themselves.
const bySchedule = "resets"

// scheduleEvery is how often a process looks which banks are due, at least (choice): others may have set a time, clocks
// may have been set, and a reset may have failed.
const scheduleEvery = time.Minute

// realNow returns the real time so that it is equal to itself after it was stored.
func realNow() time.Time { return time.Now().UTC().Round(0) }

// wrongClock is how far in the future something has happened by a wrong clock (choice). The clocks of replicas differ
// by less, and a reset of another replica must not be repeated.
const wrongClock = 24 * time.Hour

// beganBefore reports whether a sandbox was created, reset and given its schedule before a time.
func (i Info) beganBefore(at time.Time) bool {
	wrong := time.Now().Add(wrongClock)
	isBefore := func(t time.Time) bool { return t.Before(at) || t.After(wrong) }
	return isBefore(i.Created) && isBefore(i.LastReset.At) && isBefore(i.schedule.Since)
}

// watchSchedules resets the banks that are due, until the registry is closed. One that was due while nothing ran is
// reset at once. Processes that share a store all do it, and the first of them resets.
func (r *Registry) watchSchedules() {
	select {
	case <-r.opened:
	case <-r.ctx.Done():
	}
	for r.ctx.Err() == nil {
		wait := r.resetDue(r.ctx)
		select {
		case <-r.ctx.Done():
		case <-r.rescheduled:
		case <-time.After(wait):
		}
	}
}

// resetDue resets the banks that are due, and returns when to look again.
func (r *Registry) resetDue(ctx context.Context) (wait time.Duration) {
	wait = scheduleEvery
	all, err := r.List(ctx)
	if err != nil {
		return wait // the log has the failures of the store
	}
	for _, info := range all {
		now := time.Now()
		due, next := info.Resets().Last(now), info.Resets().Next(now)
		if !next.IsZero() { // else there is no schedule, or its zone isn't known here
			wait = min(wait, next.Sub(now))
		}
		if due.IsZero() || !info.beganBefore(due) {
			continue
		}
		err := r.Use(ctx, info.Name, func(s *Sandbox) error { return s.reset(ctx, Reset{now, bySchedule}, due) })
		switch {
		case err == nil:
			r.cfg.Log.Info("daily reset", "sandbox", info.Name)
		case !errors.Is(err, errWasReset) && !errors.Is(err, ErrNoSandbox) && ctx.Err() == nil:
			r.cfg.Log.Error("daily reset failed, and is tried again", "sandbox", info.Name, "error", err)
		}
	}
	return wait
}

// noteSchedule looks at schedules at once when there is another one. Banks in memory are watched from the first one on,
// stored ones once all are loaded.
func (r *Registry) noteSchedule(old, next *state) {
	if next.deleted || next.schedule.ResetTime == (sim.ResetTime{}) || old != nil && old.schedule == next.schedule {
		return
	}
	if r.store == nil {
		r.watching.Do(func() { go r.watchSchedules() })
	}
	select {
	case r.rescheduled <- struct{}{}:
	default: // it will look anyway
	}
}

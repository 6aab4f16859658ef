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

// after returns the schedule after a reset to a start.
func (s schedule) after(p startPoint) schedule {
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
		tx.schedule = schedule{ResetTime: r, Since: time.Now(), IsOwn: true}
		return nil
	})
}

// bySchedule resets sandboxes by themselves.
const bySchedule = "resets"

// Choices about resets by themselves.
const (
	// scheduleEvery is how often a process looks which banks are due, at least: others may have set a time, and clocks
	// may have been set.
	scheduleEvery = time.Minute
	// scheduleRetry is when it looks again after a failure.
	scheduleRetry = 5 * time.Second
)

// beganBefore reports whether a sandbox was created, reset and given its schedule before a time.
func (i Info) beganBefore(at time.Time) bool {
	return i.Created.Before(at) && i.LastReset.At.Before(at) && i.schedule.Since.Before(at)
}

// watchSchedules resets the banks that are due, until the registry is closed. One that was due while nothing ran is
// reset at once. Processes that share a store all do it, and the first of them resets.
func (r *Registry) watchSchedules() {
	for {
		wait := r.resetDue(r.ctx, time.Now())
		select {
		case <-r.ctx.Done():
			return
		case <-r.rescheduled:
		case <-time.After(wait):
		}
	}
}

// resetDue resets the banks that are due, and returns when to look again.
func (r *Registry) resetDue(ctx context.Context, now time.Time) (wait time.Duration) {
	all, err := r.List(ctx)
	if err != nil {
		return scheduleRetry
	}
	wait = scheduleEvery
	for _, info := range all {
		if info.Resets() == (sim.ResetTime{}) {
			continue
		}
		wait = min(wait, info.Resets().Next(now).Sub(now))
		due := info.Resets().Last(now)
		if !info.beganBefore(due) {
			continue
		}
		err := r.Use(ctx, info.Name, func(s *Sandbox) error { return s.reset(ctx, Reset{now, bySchedule}, due) })
		if err != nil && !errors.Is(err, errWasReset) && !errors.Is(err, ErrNoSandbox) {
			wait = min(wait, scheduleRetry)
		}
	}
	return wait
}

// noteSchedule starts to watch schedules with the first one, and looks at once when there is another one.
func (r *Registry) noteSchedule(old, next *state) {
	if next.deleted || next.schedule.ResetTime == (sim.ResetTime{}) || old != nil && old.schedule == next.schedule {
		return
	}
	r.watching.Do(func() { go r.watchSchedules() })
	select {
	case r.rescheduled <- struct{}{}:
	default: // it will look anyway
	}
}

package controlapi

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// The years that a virtual clock can have (choice). Times derived from it, such as the expiry of a token, must still be
// valid in JSON: before the year 10000.
const (
	firstYear = 1
	lastYear  = 9000
)

func (a control) getClock(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	now, running := sb.Clock()
	return reply(w, api.Clock{Now: now, Running: running})
}

// setClock takes {advance?, set?, run?}: a duration such as "90m" (negative: backwards) or an RFC 3339 time, and whether the
// clock runs from then on. It answers with the new clock, and refuses (400) a time out of bounds.
func (a control) setClock(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body api.ClockChange
	if err := decode(r, &body); err != nil {
		return err
	}
	var advance time.Duration
	if body.Advance != nil {
		var err error
		if advance, err = time.ParseDuration(*body.Advance); err != nil {
			return refuse(http.StatusBadRequest, "advance must be a duration such as 90m or 24h")
		}
	}
	switch {
	case body.Advance == nil && body.Set == nil && body.Run == nil:
		return refuse(http.StatusBadRequest, "give advance, set or run")
	case body.Advance != nil && body.Set != nil:
		return refuse(http.StatusBadRequest, "give advance or set, not both")
	}
	outside := false
	now, running := sb.SetClock(func(was sim.Clock, real time.Time) sim.Clock {
		c := was
		if body.Set != nil {
			c = c.Set(*body.Set, real)
		}
		c = c.Advance(advance, real)
		if body.Run != nil {
			c = c.Run(*body.Run, real)
		}
		if year := c.Now(real).Year(); year < firstYear || year > lastYear {
			outside = true
			return was
		}
		return c
	})
	if outside {
		return refuse(http.StatusBadRequest, "the clock must stay between the years %d and %d", firstYear, lastYear)
	}
	return reply(w, api.Clock{Now: now, Running: running})
}

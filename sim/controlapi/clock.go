package controlapi

import (
	"context"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// clockCalls returns the calls about the virtual clock.
func (c control) clockCalls() []Call {
	return []Call{
		inSandbox(c, "GET", "/clock", "getClock", "The virtual clock.", c.getClock),
		inSandbox(c, "POST", "/clock", "setClock", "Move, start or stop the virtual clock.", c.setClock).
			example(`{"advance": "90m"}`),
	}
}

// firstYear is the first year that a virtual clock can have. The last one is [scenario.LatestYear].
const firstYear = 1

func (c control) getClock(ctx context.Context, b bank, in *SandboxPath) (api.Clock, error) {
	return api.Clock{Now: b.now.Now, Running: b.now.Running}, nil
}

type setClockInput struct {
	SandboxPath
	Body body[api.ClockChange]
}

func (c control) setClock(ctx context.Context, b bank, in *setClockInput) (api.Clock, error) {
	return change(ctx, b, in.Body.decode, func(tx *sandbox.Tx, wanted api.ClockChange) (shown api.Clock, err error) {
		var advance time.Duration
		if wanted.Advance != nil {
			if advance, err = time.ParseDuration(*wanted.Advance); err != nil {
				return shown, refuse(http.StatusBadRequest, "advance must be a duration such as 90m or 24h")
			}
		}
		switch {
		case wanted.Advance == nil && wanted.Set == nil && wanted.Run == nil:
			return shown, refuse(http.StatusBadRequest, "give advance, set or run")
		case wanted.Advance != nil && wanted.Set != nil:
			return shown, refuse(http.StatusBadRequest, "give advance or set, not both")
		}
		clock := tx.Clock
		if wanted.Set != nil {
			clock = clock.Set(*wanted.Set, tx.Wall)
		}
		clock = clock.Advance(advance, tx.Wall)
		if wanted.Run != nil {
			clock = clock.Run(*wanted.Run, tx.Wall)
		}
		shown = api.Clock{Now: clock.Now(tx.Wall), Running: clock.Running()}
		if year := shown.Now.Year(); year < firstYear || year > scenario.LatestYear {
			return shown, refuse(http.StatusBadRequest,
				"the clock must stay between the years %d and %d", firstYear, scenario.LatestYear)
		}
		tx.Clock = clock
		return shown, nil
	})
}

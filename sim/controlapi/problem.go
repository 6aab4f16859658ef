package controlapi

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// refuse returns the problem that answers a request with a status. The detail must not hold a value from the body of the
// request, which may be a secret.
func refuse(status int, format string, args ...any) *api.Problem {
	return &api.Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// failure returns the problem of a simulator that has failed.
func failure() *api.Problem {
	return refuse(http.StatusInternalServerError, "the simulator failed: see its log")
}

// statuses has the status for each error of another package that refuses a request. The error's text is the detail.
var statuses = map[error]int{
	sandbox.ErrBadName:           http.StatusBadRequest,
	sandbox.ErrSnapshotReserved:  http.StatusBadRequest,
	sandbox.ErrNoSandbox:         http.StatusNotFound,
	sandbox.ErrDeleted:           http.StatusNotFound,
	sandbox.ErrNoSnapshot:        http.StatusNotFound,
	sandbox.ErrForgotten:         http.StatusGone,
	sandbox.ErrTaken:             http.StatusConflict,
	sandbox.ErrKept:              http.StatusConflict,
	sandbox.ErrSnapshotTaken:     http.StatusConflict,
	fault.ErrNameTaken:           http.StatusConflict,
	journal.ErrEvicted:           http.StatusConflict,
	scenario.ErrBankTooLarge:     http.StatusConflict,
	scenario.ErrResolvedTooLarge: http.StatusConflict,
	sandbox.ErrTooMany:           http.StatusTooManyRequests,
	sandbox.ErrTooManySnapshots:  http.StatusTooManyRequests,
	fault.ErrTooMany:             http.StatusTooManyRequests,
}

// problemOf returns the problem by which an error refuses a request, and whether it is such an error.
func problemOf(err error) (*api.Problem, bool) {
	var problem *api.Problem
	if errors.As(err, &problem) {
		return problem, true
	}
	if errors.Is(err, sim.WorldFull) {
		return refuse(http.StatusInsufficientStorage, "%v", err), true
	}
	var refusal *sim.Error // the world doesn't have what the path names
	if errors.As(err, &refusal) {
		return refuse(http.StatusNotFound, "%s", refusal.Message), true
	}
	for refusal, status := range statuses {
		if errors.Is(err, refusal) {
			return refuse(status, "%v", err), true
		}
	}
	return nil, false
}

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
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// retryAfter is the Retry-After of a refusal by a limit, in seconds (choice).
const retryAfter = "5"

const problemMedia = "application/problem+json"

// refusal is the error of a call that is refused: a problem document (RFC 9457), and its status.
type refusal struct {
	api.Problem
	mayHaveHappened bool // so that a repetition is not advised
}

// refuse returns the refusal of a call. The detail must not hold a secret from the body. It is cut if it is long.
func refuse(status int, format string, args ...any) *refusal {
	detail := wording.Message(fmt.Sprintf(format, args...))
	return &refusal{Problem: api.Problem{Title: http.StatusText(status), Status: status, Detail: detail}}
}

func (r *refusal) Error() string { return r.Problem.Error() }

// isWorthRepeating reports whether the call may be let in later.
func (r *refusal) isWorthRepeating() bool {
	isLimit := r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable
	return isLimit && !r.mayHaveHappened
}

// reason returns why the call is refused, in a line for the log.
func (r *refusal) reason() string {
	if len(r.Problems) == 0 {
		return r.Detail
	}
	return wording.Message(r.Detail + ": " + r.Problems[0].String())
}

// writeProblem answers with a problem document.
func writeProblem(w http.ResponseWriter, r *refusal) {
	noteReason(w, r.reason())
	if r.isWorthRepeating() {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, problemMedia, r.Status, r.Problem)
}

// failure returns the problem that answers a call if the simulator fails.
func failure() *refusal {
	return refuse(http.StatusInternalServerError, "the simulator failed: see its log")
}

// statuses has the status for the errors of other packages. The text of the error is the detail.
var statuses = []struct {
	refusal error
	status  int
}{
	{sandbox.ErrUnsure, http.StatusServiceUnavailable},
	{sandbox.ErrNotStored, http.StatusServiceUnavailable},
	{sandbox.ErrBadName, http.StatusBadRequest},
	{sandbox.ErrSnapshotReserved, http.StatusBadRequest},
	{sandbox.ErrNoSandbox, http.StatusNotFound},
	{sandbox.ErrDeleted, http.StatusNotFound},
	{sandbox.ErrNoSnapshot, http.StatusNotFound},
	{sandbox.ErrNoExchange, http.StatusNotFound},
	{sandbox.ErrTaken, http.StatusConflict},
	{sandbox.ErrDefaultSandbox, http.StatusConflict},
	{sandbox.ErrDefaultStays, http.StatusConflict},
	{sandbox.ErrSnapshotTaken, http.StatusConflict},
	{sandbox.ErrOtherScenario, http.StatusConflict},
	{fault.ErrNameTaken, http.StatusConflict},
	{journal.ErrEvicted, http.StatusConflict},
	{scenario.ErrBankTooLarge, http.StatusConflict},
	{scenario.ErrResolvedTooLarge, http.StatusConflict},
	{scenario.ErrFilesChanged, http.StatusConflict},
	{sandbox.ErrTooMany, http.StatusTooManyRequests},
	{sandbox.ErrTooManySnapshots, http.StatusTooManyRequests},
	{fault.ErrTooMany, http.StatusTooManyRequests},
	{sandbox.ErrNoRoom, http.StatusInsufficientStorage},
}

// refusalOf returns the refusal that an error stands for, or nil if the simulator has failed.
func refusalOf(err error) *refusal {
	var known *refusal
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, sim.WorldFull) {
		return refuse(http.StatusInsufficientStorage, "%v", err)
	}
	var missing *sim.Error // the world doesn't have a row that the path names
	if errors.As(err, &missing) {
		return refuse(http.StatusNotFound, "%s", missing.Message)
	}
	for _, s := range statuses { // the first one counts, because an error may wrap another one
		if errors.Is(err, s.refusal) {
			r := refuse(s.status, "%v", err)
			r.mayHaveHappened = errors.Is(err, sandbox.ErrUnsure)
			if errors.Is(err, sandbox.ErrNoSandbox) {
				r.Code = api.NoSandbox
			}
			return r
		}
	}
	return nil
}

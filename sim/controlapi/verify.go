package controlapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// verifyTimeout is how long the journal is compared with an expectation at most (choice).
const verifyTimeout = 5 * time.Second

// maxUsersSearched is how many users of a bank are searched for alert types (choice).
const maxUsersSearched = 1000

// expectations are one expectation, or several that have to be fulfilled in their order.
type expectations struct {
	journal.Expectation
	After   string                `json:"after,omitempty" doc:"Only exchanges after the one with this id. Default: all."`
	InOrder []journal.Expectation `json:"inOrder,omitempty" doc:"The requests must have come in this order. Not together with other members, except after and within."`
	Within  string                `json:"within,omitempty" doc:"How long to wait until the requests have come, such as 2s, at most 2m. Default: not at all."`
}

type verifyInput struct {
	SandboxPath
	Body body[expectations]
}

// verifyJournal refuses an expectation that contradicts itself, or that no request can fulfil (400), one whose outcome
// evicted exchanges could change (409), and one whose comparison takes too long (503).
func (c control) verifyJournal(
	ctx context.Context, b bank, in *verifyInput,
) (found journal.Verification, err error) {
	expected, members, err := in.Body.decodeWithMembers()
	if err != nil {
		return found, err
	}
	if err := refuseEmpty("", members); err != nil {
		return found, err
	}
	inOrder, _ := members["inOrder"].([]any)
	if len(inOrder) > maxInOrder {
		return found, refuse(http.StatusBadRequest, "inOrder has at most %d expectations", maxInOrder)
	}
	for i, one := range inOrder {
		fields, _ := one.(map[string]any)
		at := fmt.Sprintf("inOrder[%d]: ", i)
		if len(fields) == 0 {
			return found, refuse(http.StatusBadRequest, "%sany request would do: give an operation or another condition", at)
		}
		if err := refuseEmpty(at, fields); err != nil {
			return found, err
		}
	}
	if expected.Within == "" {
		return c.verify(ctx, b, expected)
	}
	wait, err := waitTime("within", expected.Within)
	if err == nil && expected.isForNone() {
		err = refuse(http.StatusBadRequest, "within waits for requests: to check that there are no more, leave it out")
	}
	if err != nil {
		return found, err
	}
	err = c.await(ctx, b, wait, func(b bank) (done bool, err error) {
		found, err = c.verify(ctx, b, expected)
		return found.IsFinal, err
	})
	if !found.Verified {
		found.Text = "within " + wait.String() + ": " + found.Text
	}
	return found, err
}

// maxInOrder is how many requests an order has at most (choice).
const maxInOrder = 1000

// refuseEmpty refuses an expectation with an empty member: such a member expects nothing. The message begins with at.
func refuseEmpty(at string, members map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if value := members[name]; value == nil || value == "" || name == "status" && value == 0.0 {
			return refuse(http.StatusBadRequest, "%s%s can't be %s: give it a value, or leave it out",
				at, name, strictjson.MustEncode(value))
		}
	}
	return nil
}

// isForNone reports whether an expectation only bounds how many requests there may be.
func (e expectations) isForNone() bool {
	return e.AtMost != nil && e.AtLeast == nil || e.Exactly != nil && *e.Exactly == 0
}

// verify compares the journal of a bank with expectations. An answer that there was no request at all also names one
// that may have been meant for the bank.
func (c control) verify(ctx context.Context, b bank, expected expectations) (journal.Verification, error) {
	limited, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	found, err := expected.verify(limited, b.now)
	switch {
	case errors.Is(err, journal.ErrEvicted):
		return found, err
	case limited.Err() != nil && err != nil:
		return found, refuse(http.StatusServiceUnavailable,
			"the journal could not be compared within %s: name the operation, simplify "+
				"the regular expressions, or clear the journal before what is verified", verifyTimeout)
	case err != nil:
		return found, refuse(http.StatusBadRequest, "%v", err)
	}
	if strings.HasPrefix(found.Text, journal.NoRequestAtAll) {
		found.Text = strings.TrimSpace(found.Text + " " + c.strayRequest(ctx, b))
	}
	return found, nil
}

func (e expectations) verify(ctx context.Context, v sandbox.View) (found journal.Verification, err error) {
	bank := journalBank(v)
	after, err := exchangeAfter(e.After)
	if err != nil {
		return found, err
	}
	if e.InOrder == nil {
		if err := v.Journal.CheckPossible(e.Expectation, bank); err != nil {
			return found, err
		}
		return v.Journal.Verify(ctx, e.Expectation, after)
	}
	if !reflect.ValueOf(e.Expectation).IsZero() {
		return found, errors.New("inOrder goes with no other member but after and within: its expectations have them")
	}
	for i, expected := range e.InOrder {
		if err := v.Journal.CheckPossible(expected, bank); err != nil {
			return found, fmt.Errorf("inOrder[%d]: %w", i, err)
		}
	}
	return v.Journal.VerifyInOrder(ctx, e.InOrder, after)
}

// journalBank returns what the journal's checks have to know of a bank.
func journalBank(now sandbox.View) journal.Bank {
	bank := journal.Bank{Injects: now.CanInject, HasStub: now.Faults.HasStub, ValuesOf: valuesIn(now.World)}
	if forced := now.World.Behavior().ForcedDialect; forced != sim.DialectByPath {
		bank.Dialect = string(forced)
	}
	return bank
}

// valuesIn returns the alert types of a world, for the member and the parameter that have alert types. They are the
// types of the institutions, and the types in the preferences of the first users.
func valuesIn(w *sim.World) func(name string) []string {
	return func(name string) (types []string) {
		if name != "alertTypeName" && name != "alertTypes" {
			return nil
		}
		users := 0
		for i := range w.Institutions() {
			types = append(types, i.AlertTypeNames()...)
			for u := range w.Users(i.InstitutionID) {
				if users++; users > maxUsersSearched {
					return types
				}
				for p := range w.AlertPreferences(u.InstitutionID, u.HostUserID) {
					if d := p.Details; d != nil && d.AlertTypeName != nil {
						types = append(types, *d.AlertTypeName)
					}
				}
			}
		}
		return types
	}
}

// Choices about calls that wait for requests.
const (
	maxWait    = 2 * time.Minute
	maxWaiting = 100                    // calls at a time
	waitPace   = 10 * time.Millisecond  // after a request, so that several that come together are looked at together
	sharedPace = time.Second            // how often a call looks for requests to other processes
	storePace  = 200 * time.Millisecond // in place of waitPace, if a look uses the store
)

// waitTime returns how long a call may wait.
func waitTime(name, text string) (time.Duration, error) {
	wait, err := duration(name, text)
	if err == nil && wait > maxWait {
		err = refuse(http.StatusBadRequest, "%s must be at most %s, not %s", name, maxWait, wait)
	}
	return wait, err
}

// await calls look with a bank, and again after each request to it, until look is done or the time is over. A reset or
// the deletion of the bank ends the waiting (409), and so does the end of the simulator (503).
func (c control) await(ctx context.Context, b bank, wait time.Duration, look func(bank) (done bool, err error)) error {
	of, seen := b.now.Journal, b.now.Journal.Last()
	if done, err := look(b); done || err != nil {
		return err
	}
	if c.waiting.Add(1) > maxWaiting {
		c.waiting.Add(-1)
		return refuse(http.StatusTooManyRequests,
			"%d calls wait for requests, as many as may: ask again later", maxWaiting)
	}
	defer c.waiting.Add(-1)
	ctx, cancel := c.untilDraining(ctx)
	defer cancel()
	waiting, end := context.WithTimeout(ctx, wait)
	defer end()
	for {
		err := c.awaitRequest(waiting, of, seen)
		seen = of.Last()
		if err == nil {
			b.now, err = b.Latest(context.WithoutCancel(ctx))
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && b.now.Journal != of:
			return refuse(http.StatusConflict, "the sandbox was reset or deleted while the call waited for requests")
		case err != nil:
			return err
		case ctx.Err() != nil:
			return refuse(http.StatusServiceUnavailable, "the simulator ends while the call waits for requests")
		}
		if done, err := look(b); done || err != nil || waiting.Err() != nil {
			return err
		}
	}
}

// awaitRequest waits for requests after a number, or until the context ends. Other processes may add requests to a
// shared bank, so for that one it returns after a while. It fails with io.EOF once the journal is closed.
func (c control) awaitRequest(ctx context.Context, of *journal.Journal, after uint64) error {
	pace := waitPace
	if c.Sandboxes.IsShared() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, sharedPace)
		defer cancel()
		pace = storePace
	}
	if err := of.Wait(ctx, after); errors.Is(err, io.EOF) {
		return err
	}
	_ = fault.Wait(ctx, nil, pace)
	return nil
}

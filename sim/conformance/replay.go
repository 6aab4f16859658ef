package conformance

import (
	"context"
	"fmt"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// replay is one replay of an exchange.
type replay struct {
	*replayer
	*substitution
	exchange fixtures.Exchange
	undoing  []step
	left     []string // what no request undoes
}

// step is a request that undoes something.
type step struct {
	what    string
	request fixtures.Request
}

func (r *replayer) newReplay(e fixtures.Exchange) *replay {
	return &replay{replayer: r, substitution: newSubstitution(e, r.Credentials), exchange: e}
}

// run sends the exchange's requests, compares the answer to the last one, and undoes what was changed.
func (r *replay) run(ctx context.Context, result *Result) (err error) {
	defer func() { result.LeftBehind = r.undo(context.WithoutCancel(ctx)) }()
	if result.Drifts, err = r.prepare(ctx); err != nil || result.Drifts != nil {
		return err
	}
	for _, request := range r.exchange.Before {
		if _, result.Drifts, err = r.sendFirst(ctx, request); err != nil || result.Drifts != nil {
			return err
		}
	}
	sent, got, err := r.send(ctx, r.exchange.Request)
	if err != nil {
		return err
	}
	result.Drifts = compare(r.exchange, r.substitution, got)
	return r.record(r.exchange, result, sent, got)
}

// sendFirst sends a request that comes before the one whose answer is compared. A refusal is a drift.
func (r *replay) sendFirst(ctx context.Context, request fixtures.Request) (answer, []Drift, error) {
	_, got, err := r.send(ctx, request)
	if err != nil || got.accepted() {
		return got, nil, err
	}
	return got, r.failed(request, "succeed", fmt.Sprintf("status %d", got.status)), nil
}

// failed returns the drift of a preceding request that does not do what the exchange needs.
func (r *replay) failed(request fixtures.Request, want, got string) []Drift {
	return []Drift{newDrift(r.exchange, entryOfAnswer(r.exchange), fmt.Sprintf(
		"expected the preceding request %s %s to %s, got %s", request.Method, request.Path, want, got))}
}

// send sends a request with its values replaced, and notes what it makes. It returns the request as it was sent.
func (r *replay) send(ctx context.Context, request fixtures.Request) (fixtures.Request, answer, error) {
	request = r.request(request)
	got, err := r.replayer.send(ctx, request)
	if err != nil || !got.accepted() {
		return request, got, err
	}
	if request.Leaves != "" {
		r.left = append(r.left, request.Leaves)
	}
	if access, _ := issued(got); access != "" {
		r.undoing = append(r.undoing, r.revoke(access))
	}
	return request, got, nil
}

// undo undoes what requests can undo, and returns what is left behind.
func (r *replay) undo(ctx context.Context) []string {
	for _, step := range r.undoing {
		switch got, err := r.replayer.send(ctx, step.request); {
		case err != nil:
			r.left = append(r.left, fmt.Sprintf("%s: %v", step.what, err))
		case !got.accepted():
			r.left = append(r.left, fmt.Sprintf("%s: the service answered %d", step.what, got.status))
		}
	}
	return r.left
}

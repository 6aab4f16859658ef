package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// undoTimeout is how long undoing what one exchange has changed may take, beside the pauses that the rate makes.
const undoTimeout = 45 * time.Second

// skipped is an error that ends a replay before it has sent anything that may change something. Its text is the reason.
type skipped string

func (s skipped) Error() string { return string(s) }

// replay is one replay of an exchange.
type replay struct {
	*replayer
	*substitution
	settings
	exchange fixtures.Exchange
	aims     []aim // of the requests, in their order
	grants   []fixtures.Grant

	ids     fixtures.IDs                // that answers gave
	own     map[string]bool             // the ids of what this replay has created
	listed  map[string][]userDisclosure // those that users had, by their hostUserId
	issued  []issued
	created []creation
	wrote   bool     // whether a request was sent that may change something
	left    []string // what could not be undone
}

func (r *replayer) newReplay(e fixtures.Exchange) *replay {
	p := &replay{replayer: r, substitution: newSubstitution(e, r.Credentials), exchange: e, grants: ownGrants(e), ids: fixtures.IDs{}, own: map[string]bool{}}
	p.listed = map[string][]userDisclosure{}
	p.before, p.accepted, p.touched = map[account]bool{}, map[account]bool{}, map[string]bool{}
	for _, request := range requests(e) {
		a, _ := aimOf(request)
		p.aims = append(p.aims, a)
		p.add(a, r.given)
	}
	return p
}

// bank returns the substitution for requests of the replay's own: with the tokens of the bank, whatever the exchange's are.
func (r *replay) bank() *substitution { return newSubstitution(fixtures.Exchange{}, r.Credentials) }

// run sends the exchange's requests, compares the answer to the last one, and undoes what was changed, also if the context
// ends.
func (r *replay) run(ctx context.Context, result *Result) {
	err := r.replay(ctx, result)
	var skip skipped
	if errors.As(err, &skip) {
		result.Skipped = r.scrub(skip.Error())
	} else if err != nil {
		result.Error = r.scrub(err.Error())
		if ctx.Err() != nil {
			result.Error = interrupted
		}
	}
	for _, failure := range r.undo(ctx) {
		if result.Error != "" {
			result.Error += "; "
		}
		result.Error += r.scrub(failure)
		r.left = append(r.left, failure)
	}
	for _, left := range r.left {
		result.LeftBehind = append(result.LeftBehind, r.scrub(r.renamed(left)))
	}
}

func (r *replay) replay(ctx context.Context, result *Result) (err error) {
	e := &r.exchange
	if *e, err = r.expecting(*e, r.substitution); err != nil {
		return err
	}
	for _, read := range []func(context.Context) error{r.readSettings, r.readDisclosures} {
		if err := read(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
	if result.Drifts, err = r.issueTokens(ctx); err != nil || result.Drifts != nil {
		return err
	}
	for i, request := range e.Before {
		if missing := r.missing(request, r.aims[i]); missing != "" {
			result.Drifts = r.failed(e.Before[max(i-1, 0)], "answer with the "+missing+" of something new", "none")
			return nil
		}
		_, got, err := r.send(ctx, request, r.aims[i])
		if err != nil {
			return err
		}
		if !got.accepted() {
			result.Drifts = r.failed(request, "succeed", fmt.Sprintf("status %d", got.status))
			return nil
		}
		r.ids.Learn(got.body)
	}
	if missing := r.missing(e.Request, r.aims[len(e.Before)]); missing != "" {
		result.Drifts = r.failed(e.Before[len(e.Before)-1], "answer with the "+missing+" of something new", "none")
		return nil
	}
	sent, got, err := r.send(ctx, e.Request, r.aims[len(e.Before)])
	if err != nil {
		return err
	}
	for _, d := range compare(*e, r.Behavior, r.substitution, got) {
		d.Message, d.Place = r.scrub(d.Message), r.scrub(d.Place)
		result.Drifts = append(result.Drifts, d)
	}
	return r.record(*e, result, sent, got)
}

// missing returns the name of an id in a request's path that no answer gave, or that may be of something that was there
// before, where the request could change it. Such a request must not be sent. Empty: none is missing.
func (r *replay) missing(request fixtures.Request, a aim) string {
	if _, name := r.ids.In(request.Path); name != "" {
		return strings.Trim(name, "{}")
	}
	if name := about(a.op); name != "" && !r.own[r.ids[name]] {
		return name
	}
	return ""
}

// failed returns the drift of a preceding request that does not do what the exchange needs.
func (r *replay) failed(request fixtures.Request, want, got string) []Drift {
	place := fmt.Sprintf("preceding %s %s: %s", request.Method, request.Path, got)
	return []Drift{newDrift(r.exchange, r.Behavior, entryOfAnswer(r.exchange), place, fmt.Sprintf(
		"expected the preceding request %s %s to %s, got %s", request.Method, request.Path, want, got))}
}

// send sends a request with its values replaced, and notes what it changes. It returns the request as it was sent.
func (r *replay) send(ctx context.Context, golden fixtures.Request, a aim) (fixtures.Request, answer, error) {
	sent := r.withIDs(golden, r.ids)
	if a.op == nil {
		got, err := r.client.send(ctx, sent)
		return sent, got, err
	}
	got, err := r.client.sendThrough(ctx, sent)
	r.wrote = r.wrote || !unsent(err)
	switch {
	case got.status == http.StatusTooManyRequests || unsent(err):
	case err != nil && got.status == 0:
		r.lost(a, golden, "the answer was lost")
	case got.status >= 500:
		r.lost(a, golden, fmt.Sprintf("it answered %d", got.status))
	case got.accepted():
		r.noteSettings(a, golden)
		r.noteCreated(a, golden, sent, got)
		r.noteDeleted(a)
		if a.op == contract.TokensIssue || a.op == contract.TokensRevoke {
			r.noteGone(a, sent)
		}
		if a.op == contract.TokensIssue {
			r.noteIssued(sent, got)
		}
	}
	return sent, got, err
}

// lost notes what a request may have changed whose answer doesn't tell.
func (r *replay) lost(a aim, golden fixtures.Request, why string) {
	switch a.op {
	case contract.TokensIssue:
		r.left = append(r.left, "a token, if the service issued one: "+why)
	case contract.GroupsCreate, contract.AlertsCreatePreference:
		r.left = append(r.left, leaves(a.op, golden)+", if the service created it: "+why)
	default:
		for _, user := range namedUsers(golden) {
			r.touched[user] = slices.Contains(a.users, user)
		}
	}
}

// undo undoes what was changed, and returns what is not as it was.
func (r *replay) undo(ctx context.Context) []string {
	steps := 12*len(r.accounts) + 8*len(r.listed) + 6*len(r.issued) + len(r.created)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout+time.Duration(steps)*r.client.interval())
	defer cancel()
	var failed []string
	if r.wrote {
		failed = append(r.restoreSettings(ctx), r.restoreDisclosures(ctx)...)
	}
	r.revokeIssued(ctx)
	r.deleteCreated(ctx)
	return failed
}

// namedUsers returns the users that a request names: in its query by hostUserId or loginId or, without either, by a token
// that is bound to one.
func namedUsers(r fixtures.Request) []string {
	_, rawQuery, _ := strings.Cut(r.Path, "?")
	query, _ := url.ParseQuery(rawQuery)
	if len(query["hostUserId"])+len(query["loginId"]) == 0 {
		return boundUsers(r)
	}
	users := slices.Clone(query["hostUserId"])
	for _, u := range fixtures.Users {
		if u.LoginID != "" && slices.Contains(query["loginId"], u.LoginID) {
			users = append(users, u.HostUserID)
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// boundUsers returns the user that the token of a request is bound to.
func boundUsers(r fixtures.Request) (users []string) {
	bound := strings.TrimSpace(header(r, "Authorization"))
	for _, u := range fixtures.Users {
		if slices.ContainsFunc(u.Own, func(token string) bool { return strings.HasSuffix(bound, token) }) {
			users = append(users, u.HostUserID)
		}
	}
	return users
}

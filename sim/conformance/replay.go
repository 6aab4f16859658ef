package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const (
	// undoTimeout is how long undoing what one exchange has made may take.
	undoTimeout = 45 * time.Second
	// endTimeout is how much longer each step may take once the context has ended (choice): the request under way, the
	// undoing, and the last request of the undoing.
	endTimeout = 3 * time.Second
)

// outlast returns a context that ends a while after another one has.
func outlast(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// skipped is an error that ends a replay before it has sent anything that may change something. Its text is the reason.
type skipped string

func (s skipped) Error() string { return string(s) }

// replay is one replay of an exchange.
type replay struct {
	check       *replayer
	sub         *substitution // of what the service gets
	toSimulator *substitution // of what the simulator gets; it has tokens of its own
	exchange    fixtures.Exchange
	plan        plan // or none of a journey

	ids       fixtures.IDs // that answers gave
	issued    []issued
	created   []creation
	found     []Difference    // while undoing
	changed   map[string]bool // users whose preferences it may have changed; true means those of all accounts
	leftovers []string        // what could not be undone
}

func (r *replayer) newReplay(e fixtures.Exchange, p plan) *replay {
	sub := newSubstitution(e, r.cfg.Credentials)
	simulated := *sub // with the same request ids and names
	simulated.values = map[string]string{}
	return &replay{
		check: r, sub: sub, toSimulator: &simulated,
		exchange: e, plan: p, ids: fixtures.IDs{}, changed: map[string]bool{},
	}
}

// undoing calls send, and then undoes all changes, also if the context ends.
func (r *replay) undoing(ctx context.Context, result *Result, send func(context.Context, *Result) error) {
	err := send(ctx, result)
	var skip skipped
	if errors.As(err, &skip) {
		result.Skipped = r.check.scrub(skip.Error())
	} else if err != nil {
		result.Error = r.check.scrub(err.Error())
		if ctx.Err() != nil {
			result.Error = interrupted
		}
	}
	longer, end := outlast(ctx, endTimeout)
	defer end()
	if ctx.Err() != nil {
		r.check.client.cfg.Rate = 0 // the last requests of the check
	}
	paced := r.check.client.paced(2*len(r.issued) + 2*len(r.created))
	undo, cancel := context.WithTimeout(longer, undoTimeout+paced)
	defer cancel()
	r.revokeIssued(undo)
	r.deleteCreated(undo)
	r.restoreUsers(undo)
	result.Differences = append(result.Differences, r.found...)
	for _, leftover := range r.leftovers {
		result.LeftBehind = append(result.LeftBehind, r.check.scrub(r.sub.renamed(leftover)))
	}
}

// sendExchange sends the exchange's requests, and compares the answer to the last one.
func (r *replay) sendExchange(ctx context.Context, result *Result) (err error) {
	a := asked{sent: r.plan.last()}
	if a.Exchange, a.simulated, err = r.check.simulator.expecting(r.exchange, r.toSimulator); err != nil {
		return err
	}
	r.exchange = a.Exchange
	if err := r.rememberUsers(ctx); err != nil {
		return err
	}
	if result.Differences, err = r.issueTokens(ctx); result.Differences != nil || err != nil {
		return err
	}
	if a.got, result.Differences, err = r.sendAll(ctx); result.Differences != nil || err != nil {
		return err
	}
	return r.judge(ctx, a, result)
}

// issueTokens has tokens issued to the replay if its exchange needs some. It returns a difference if the service
// doesn't.
func (r *replay) issueTokens(ctx context.Context) ([]Difference, error) {
	for _, issue := range r.plan.issue {
		got, err := r.send(ctx, issue)
		if err != nil {
			return nil, err
		}
		r.noteCredentials(issue, false, got)
		if len(r.issued) == 0 || r.issued[0].Access == "" || r.issued[0].Refresh == "" { // revoking "" could revoke all
			const why = "needs tokens of its own, and the service issues none: see "
			r.check.stopped[contract.TokensIssue] = why + r.exchange.Name
			return r.failed(issue, "issue tokens", "an answer without them"), nil
		}
		r.sub.values[spentTokens[0]], r.sub.values[spentTokens[1]] = r.issued[0].Access, r.issued[0].Refresh
	}
	return nil, nil
}

// sendAll sends the exchange's requests. It returns the answer to the last one, or a difference of an earlier one.
func (r *replay) sendAll(ctx context.Context) (got answer, failed []Difference, err error) {
	all := r.plan.requests
	for i, request := range all {
		if missing := r.missing(request); missing != "" {
			failed = r.failed(all[max(i-1, 0)], "answer with the "+missing+" of something new", "none")
			return got, failed, nil
		}
		if got, err = r.send(ctx, request); err != nil {
			return got, nil, err
		}
		isLast := i == len(all)-1
		r.noteCredentials(request, isLast, got)
		if isLast {
			break
		}
		if !got.accepted() {
			return got, r.failed(request, "succeed", fmt.Sprintf("status %d", got.status)), nil
		}
		r.ids.Learn(got.body)
	}
	return got, nil, nil
}

// judge compares the answers to the last request, and its changes.
func (r *replay) judge(ctx context.Context, a asked, result *Result) (err error) {
	result.Differences = r.differences(r.check.setting, a)
	err = r.explain(result.Differences, a, func(s setting) ([]Difference, error) {
		expected, ids, err := s.simulator.expecting(a.Exchange, r.toSimulator)
		if err != nil {
			return nil, err
		}
		other := a
		other.Exchange, other.simulated = expected, ids
		return r.differences(s, other), nil
	})
	if err != nil {
		return err
	}
	result.Differences = append(result.Differences, r.check.scrubbed(r.compareUserID(a.got))...)
	r.show(result.Differences, a)
	r.recognize(a.Request, result.Differences, a.got)
	after, err := r.compareState(ctx, a)
	result.Differences = append(result.Differences, after...)
	return err
}

// compareUserID compares the institutionUserId of the user that the exchange is about with the one of earlier answers.
// The case of its letters may differ.
func (r *replay) compareUserID(got answer) []Difference {
	var body struct {
		ID      string                               `json:"institutionUserId"`
		Records []struct{ InstitutionUserID string } `json:"institutionUserDisclosures"`
	}
	user := aboutHost().FindStringSubmatch(r.exchange.Request.Path)
	if user == nil || !got.accepted() || json.Unmarshal(got.body, &body) != nil {
		return nil
	}
	if len(body.Records) > 0 {
		body.ID = body.Records[0].InstitutionUserID
	}
	id, known := strings.ToUpper(body.ID), r.check.userIDs[user[1]]
	switch {
	case id == "" || known == id:
	case known == "":
		r.check.userIDs[user[1]] = id
	default:
		return []Difference{r.difference(mismatch{
			".institutionUserId", contract.UsersIDs, "the id of earlier answers, " + known, id,
		})}
	}
	return nil
}

// aboutHost matches a path about the user that a hostUserId names.
var aboutHost = lazy.Regexp(`(?:[?&]hostUserId=|/)(\d+)(?:$|&|\?userIdType=HOST_USER_ID)`)

// scrubbed returns differences without secrets.
func (r *replayer) scrubbed(found []Difference) []Difference {
	for i, d := range found {
		found[i].Message, found[i].Place = wording.Message(r.scrub(d.Message)), wording.Message(r.scrub(d.Place))
	}
	return found
}

// recognize counts the answers until the first one that the interface could give: one without a difference, one with
// the code of an error other than 404, or JSON to an accepted request. An answer 401 says nothing, nor does a success
// without a body.
func (r *replay) recognize(request fixtures.Request, found []Difference, got answer) {
	first := &r.check.recognized
	switch {
	case first.isRight || got.status == http.StatusUnauthorized || got.accepted() && len(got.body) == 0:
	case len(found) == 0, got.accepted() && json.Valid(got.body),
		got.status != http.StatusNotFound && contract.ErrorCode(got.body) != "":
		first.isRight = true
	default:
		first.wrong++
		first.last = fmt.Sprintf("%d to %s %s", got.status, request.Method, request.Path)
		if base, err := url.Parse(r.check.cfg.BaseURL); err == nil && base.Path != "" {
			const why = "; the paths of the interface are appended to the base URL: is its path %s too much?"
			first.last += fmt.Sprintf(why, base.Path)
		} else if bytes.Contains(got.body, []byte("this is the control API")) {
			first.last += "; it is the control API of a simulator, whose bank has another port"
		}
	}
}

// noteCredentials counts the answers 401 to requests with credentials until the first accepted request.
func (r *replay) noteCredentials(request planned, isLast bool, got answer) {
	first := &r.check.authorized
	switch {
	case first.isRight || header(request.Request, "Authorization") == "":
	case got.accepted():
		first.isRight = true
	case got.status == http.StatusUnauthorized && !(isLast && r.exchange.Answer.Status == got.status):
		first.wrong++
	}
}

// missing returns the name of an id in a request's path that no answer gave, or "". If the request could change
// something, the id must belong to a creation of this replay. Without the id, the request must not be sent.
func (r *replay) missing(request planned) string {
	if _, name := r.ids.In(request.Path); name != "" {
		return strings.Trim(name, "{}")
	}
	if k := request.kind; k != nil && !request.creates() && !r.hasCreated(r.ids[k.idMember]) {
		return k.idMember
	}
	return ""
}

// failed returns the difference of a preceding request that does not do what the exchange needs.
func (r *replay) failed(request planned, want, got string) []Difference {
	where := fmt.Sprintf("preceding %s %s: %s", request.Method, request.Path, got)
	const wrong = "expected the preceding request %s %s to %s, got %s"
	message := fmt.Sprintf(wrong, request.Method, request.Path, want, got)
	return []Difference{r.newDifference(entryOfAnswer(r.exchange), where, message)}
}

// send sends a request with its values replaced, and notes its changes.
func (r *replay) send(ctx context.Context, golden planned) (answer, error) {
	sent := r.sub.withIDs(golden.Request, r.ids)
	got, err := r.check.client.send(ctx, sent)
	switch op := golden.changes; {
	case op == nil:
	case op.Kind() == "estatements":
		ofAll := op == contract.EstatementsUpdateUser && (err != nil || got.accepted() || got.status >= 500)
		for _, user := range golden.users {
			r.changed[user] = r.changed[user] || ofAll
		}
	case err != nil || got.status >= 500:
		r.noteLost(golden, got, err)
	case !got.accepted():
	case op == contract.TokensIssue:
		r.noteIssued(sent, got)
	case golden.creates():
		r.noteCreated(golden, sent, got)
	case golden.removes(): // it must not be deleted again
		for i, c := range r.created {
			r.created[i].isRemoved = c.isRemoved || c.id == r.ids[golden.kind.idMember]
		}
	}
	return got, err
}

// noteLost notes what a request may have created, if the answer doesn't tell.
func (r *replay) noteLost(golden planned, got answer, err error) {
	why := "the answer was lost"
	if got.status > 0 {
		why = fmt.Sprintf("it answered %d", got.status)
	}
	switch {
	case unsent(err) || got.status == http.StatusTooManyRequests:
	case golden.changes == contract.TokensIssue:
		r.leftovers = append(r.leftovers, "a token, if the service issued one: "+why)
	case golden.creates():
		r.leftovers = append(r.leftovers, golden.leaves()+", if the service created it: "+why)
	}
}

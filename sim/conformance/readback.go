package conformance

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// readBack is a request that shows what an accepted change has done, and the entry that says it.
type readBack struct {
	op      *contract.Operation
	request fixtures.Request
	says    *contract.Entry
}

// issuedToken is the name of an access token that an exchange was issued. Each side has its own in its place.
const issuedToken = "issued-token"

// readBacks returns the requests that show what the exchange's last request has changed, in the dialect that is
// checked.
func (r *replay) readBacks() (all []readBack) {
	e, cfg := r.exchange, r.check.cfg
	p := r.plan.last()
	switch op, k := p.changes, p.kind; {
	case e.Operation() == contract.JobsList.Name:
		return cfg.jobsOf(e.Request)
	case op == nil:
	case k != nil:
		says := contract.GroupsListAnswer
		if k.list == contract.AlertsListPreferences {
			says = contract.AlertsCreateBody
		}
		if p.removes() {
			says = k.gone
		}
		all = append(all, readBack{k.list, cfg.listing(k, e.Request), says})
	case op.Kind() == "estatements":
		for _, user := range fixtures.Users {
			for _, account := range user.Accounts {
				isChanged := op == contract.EstatementsUpdateUser || strings.Contains(e.Request.Content(), account)
				if isChanged && slices.Contains(p.users, user.HostUserID) && cfg.Credentials.has(account) {
					reading := contract.EstatementsGetDisclosures
					request := cfg.reading(reading, user, account)
					all = append(all, readBack{reading, request, contract.EstatementsUpdateEffect})
				}
			}
		}
	case op == contract.TokensIssue:
		all = append(all, readBack{
			contract.UsersGetStatus, cfg.withToken(contract.UsersGetStatus, issuedToken), contract.TokensIssueAnswer,
		})
	case op == contract.TokensRevoke && p.spendsToken():
		for _, reading := range []*contract.Operation{
			contract.UsersGetStatus, contract.GroupsList, contract.EstatementsGetDisclosures,
			contract.AlertsListPreferences, contract.DisclosuresListUser,
		} {
			all = append(all, readBack{reading, cfg.withToken(reading, spentTokens[0]), contract.RevokeCascade})
		}
	}
	return all
}

// listedJob is the name of the first job of a list. Each side has its own in its place.
const listedJob = "listed-job"

// firstJob returns the id of the first job of a list, or "".
func firstJob(list []byte) string {
	var page struct{ Content []struct{ JobID string } }
	if decode(list, &page) != nil || len(page.Content) == 0 {
		return ""
	}
	return page.Content[0].JobID
}

// jobsOf returns the requests for a job of a list and its errors.
func (cfg Config) jobsOf(list fixtures.Request) (all []readBack) {
	for _, back := range []readBack{
		{op: contract.JobsGet, says: contract.JobsGetOperation},
		{op: contract.JobsListErrors, says: contract.JobsErrorsOperation},
	} {
		back.op = cfg.inDialect(back.op)
		back.request = fixtures.Request{Method: back.op.Method, Headers: maps.Clone(list.Headers),
			Path: strings.Replace(back.op.Path, "{jobId}", listedJob, 1)}
		all = append(all, back)
	}
	return all
}

// listing returns the request that lists what a kind creates, as the caller of another request.
func (cfg Config) listing(k *kind, like fixtures.Request) fixtures.Request {
	op := cfg.inDialect(k.list)
	request := fixtures.Request{Method: op.Method, Path: op.Path, Headers: cfg.headersFor(op, like.Headers)}
	_, query, _ := strings.Cut(like.Path, "?")
	if k.list == contract.GroupsList {
		query = "size=2000"
	}
	request.Path = strings.TrimSuffix(request.Path+"?"+query, "?")
	return request
}

// withToken returns a request that reads about Avery with an access token.
func (cfg Config) withToken(op *contract.Operation, token string) fixtures.Request {
	user := fixtures.Avery
	user.Token = token
	return cfg.reading(op, user, user.Accounts[0])
}

// reading returns a request that reads about a user or an account with the user's token.
func (cfg Config) reading(op *contract.Operation, user fixtures.User, account string) fixtures.Request {
	op = cfg.inDialect(op)
	query := ""
	if op.TakesQuery("hostUserId") {
		query = "?hostUserId=" + user.HostUserID
	} else if op.TakesQuery("userIdType") {
		query = "?userIdType=HOST_USER_ID"
	}
	path := strings.NewReplacer("{institutionUserId}", user.HostUserID, "{accountId}", account).Replace(op.Path)
	headers := map[string]string{"Authorization": "Bearer " + user.Token, op.Family.RequestID: newID()}
	if slices.Contains(op.ParameterNames("header"), "fiid") {
		headers["fiid"], headers["userid"] = fixtures.Institution, user.HostUserID
	}
	return fixtures.Request{Method: http.MethodGet, Path: path + query, Headers: headers}
}

// compareState reads back what the exchange has changed, at the simulator and at the service, and compares it. It
// returns nothing unless both have accepted the change.
func (r *replay) compareState(ctx context.Context, written asked) ([]Difference, error) {
	if !written.got.accepted() || written.Answer.Status >= 300 {
		return nil, nil
	}
	if written.Operation() == contract.JobsList.Name {
		simulated, served := firstJob(written.Answer.JSON), firstJob(written.got.body)
		if simulated == "" || served == "" { // one of the banks has no job
			return nil, nil
		}
		r.toSimulator.values[listedJob], r.sub.values[listedJob] = simulated, served
	}
	if len(r.issued) > 0 {
		var pair tokenPair
		_ = decode(written.Answer.JSON, &pair)
		r.toSimulator.values[issuedToken], r.sub.values[issuedToken] = pair.Access, r.issued[len(r.issued)-1].Access
	}
	if written.sent.kind != nil && r.rowAfter(written) == nil { // nothing tells which row it is
		return nil, nil
	}
	for _, back := range r.readBacks() {
		needsToken := header(back.request, "Authorization") == "Bearer "+issuedToken
		if needsToken && r.sub.values[issuedToken] == "" || r.check.cfg.Credentials.missing(back.request, true) != "" {
			continue // the service issued nothing, or the credentials lack what the request needs
		}
		found, err := r.compareReadBack(ctx, written, back)
		if err != nil || len(found) > 0 { // one request that shows it is enough
			return found, err
		}
	}
	return nil, nil
}

// compareReadBack compares the answers to a request that shows a change. The differences concern the entry about the
// change.
func (r *replay) compareReadBack(ctx context.Context, written asked, back readBack) ([]Difference, error) {
	e := fixtures.Exchange{
		Name: back.op.Name + "/read-back", Dialect: written.Dialect, Request: back.request,
		Before: requests(written.Exchange),
	}
	a, err := r.ask(ctx, e, written.simulated)
	if err != nil {
		return nil, err
	}
	a.ofBank = written.Operation() == contract.JobsList.Name
	if a.onlyRows = written.sent.kind != nil; a.onlyRows {
		a.rows = []*row{r.rowAfter(written)}
	}
	found := r.differences(r.check.setting, a)
	r.show(found, a)
	for i, d := range found {
		message := "afterwards, " + back.request.Method + " " + back.request.Path + ": " + d.Message
		found[i] = r.newDifference(back.says, d.Place, message)
		found[i].shown = d.shown
	}
	return found, r.explain(found, a, func(s setting) ([]Difference, error) {
		expected, ids, err := s.simulator.expecting(written.Exchange, r.toSimulator)
		if err != nil || expected.Answer.Status >= 300 {
			return nil, cmp.Or(err, errors.New("the change is refused"))
		}
		changed, other := written, a
		changed.Exchange, changed.simulated = expected, ids
		other.simulated = changed.simulated
		if a.onlyRows {
			other.rows = []*row{r.rowAfter(changed)}
		}
		other.Exchange = s.simulator.answering(e, r.toSimulator, changed.simulated)
		return r.differences(s, other), nil
	})
}

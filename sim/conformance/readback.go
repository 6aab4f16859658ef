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
	case op == contract.TokensRevoke && p.usesOwnToken():
		for _, reading := range []*contract.Operation{
			contract.UsersGetStatus, contract.GroupsList, contract.EstatementsGetDisclosures,
			contract.AlertsListPreferences, contract.DisclosuresListUser,
		} {
			all = append(all, readBack{reading, cfg.withToken(reading, ownTokens[0]), contract.RevokeCascade})
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
	request := fixtures.Request{Method: op.Method, Path: op.Path, Headers: maps.Clone(like.Headers)}
	maps.DeleteFunc(request.Headers, func(name, _ string) bool {
		return strings.EqualFold(name, "Content-Type") || isRequestID(name)
	})
	request.Headers[op.Family.RequestID] = newID()
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
func (r *replay) compareState(
	ctx context.Context, got answer, own *substitution, simulated fixtures.IDs,
) ([]Drift, error) {
	if !got.accepted() || r.exchange.Answer.Status >= 300 {
		return nil, nil
	}
	written := r.exchange
	isJobs := written.Operation() == contract.JobsList.Name
	if isJobs {
		own.values[listedJob], r.sub.values[listedJob] = firstJob(written.Answer.JSON), firstJob(got.body)
	}
	if len(r.issued) > 0 {
		var pair tokenPair
		_ = decode(written.Answer.JSON, &pair)
		own.values[issuedToken], r.sub.values[issuedToken] = pair.Access, r.issued[len(r.issued)-1].Access
	}
	rows := r.rowsAfter(written, got, simulated)
	if r.plan.last().kind != nil && rows == nil { // nothing tells which row it is
		return nil, nil
	}
	for _, back := range r.readBacks() {
		if isJobs && (own.values[listedJob] == "" || r.sub.values[listedJob] == "") {
			continue // one of the banks has no job
		}
		if r.sub.values[issuedToken] == "" && header(back.request, "Authorization") == "Bearer "+issuedToken ||
			r.check.cfg.Credentials.missing(back.request, true) != "" {
			continue // the service issued nothing, or the credentials lack what the request needs
		}
		e := fixtures.Exchange{
			Name: back.op.Name + "/read-back", Dialect: written.Dialect, Request: back.request,
			Before: requests(written),
		}
		readBack := e
		e = r.check.simulator.answering(e, own, simulated)
		served, err := r.send(ctx, r.check.cfg.plan(back.request))
		if err != nil {
			return nil, err
		}
		x := r.newComparison(e, simulated)
		x.rows, x.ofBank = rows, isJobs
		found := r.check.scrubbed(x.compareState(served))
		r.show(found, x, back.request, served)
		for i := range found {
			found[i] = x.attributed(found[i], back)
			found[i].Exchange = written.Name
		}
		err = r.explain(found, served, back.op.Name, func(other *replay) ([]Drift, error) {
			expected, ids, err := other.check.expecting(written, own)
			if err != nil || expected.Answer.Status >= 300 {
				return nil, cmp.Or(err, errors.New("the change is refused"))
			}
			x := other.newComparison(other.check.simulator.answering(readBack, own, ids), ids)
			x.rows, x.ofBank = other.rowsAfter(expected, got, ids), isJobs
			return x.compareState(served), nil
		})
		if err != nil {
			return nil, err
		}
		if len(found) > 0 { // one request that shows it is enough
			return found, nil
		}
	}
	return nil, nil
}

// attributed returns a difference that a read-back has shown. It concerns the entry about the change.
func (x comparison) attributed(d Drift, back readBack) Drift {
	message := "afterwards, " + back.request.Method + " " + back.request.Path + ": " + d.Message
	attributed := x.drift(back.says, d.Place, message)
	attributed.shown = d.shown
	return attributed
}

// rowsAfter returns what an exchange has created or changed, as a list must show it.
func (r *replay) rowsAfter(e fixtures.Exchange, got answer, simulated fixtures.IDs) []row {
	p := r.plan.last()
	k := p.kind
	if k == nil {
		return nil
	}
	about := row{kind: k, simulated: maps.Clone(simulated), served: maps.Clone(r.ids), deleted: p.removes(),
		write: e.Request}
	if p.creates() {
		about.simulated.Learn(e.Answer.JSON)
		about.served.Learn(got.body)
	}
	if !r.own[about.served[k.idMember]] {
		return nil
	}
	return []row{about}
}

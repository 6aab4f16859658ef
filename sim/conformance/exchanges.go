package conformance

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
)

var loadGolden = sync.OnceValues(fixtures.Load)

// exchanges returns the exchanges of the dialect that is checked, sorted by name. Those of the other dialect follow at
// this one's paths: the simulator says what the answer is there. So does an exchange that shows a switch, under the
// switches of the service. The document's leaves out public ones that ask for the same as its own.
func (cfg Config) exchanges() ([]fixtures.Exchange, error) {
	golden, err := loadGolden()
	var all, others []fixtures.Exchange
	for _, e := range golden {
		isKnown, isOfPath := e.Operation() != "unknown", contract.DialectOf(e.Request.Path) == e.InDialect()
		if e.Behavior != nil {
			e.Behavior, e.About = nil, e.About+"; here under the switches of the service"
		}
		e = withoutJobs(e)
		switch {
		case e.InDialect() == cfg.dialect() && (isOfPath || !isKnown && cfg.dialect() == sim.DialectDocument):
			all = append(all, e)
		case e.InDialect() != cfg.dialect() && isOfPath && isKnown:
			others = append(others, cfg.ofOtherDialect(e))
		}
	}
	seen := map[string]bool{}
	for _, e := range all {
		seen[sameRequests(e)] = true
	}
	for _, e := range others {
		if key := sameRequests(e); !seen[key] || cfg.dialect() == sim.DialectPublic {
			seen[key] = true
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b fixtures.Exchange) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// sameRequests returns a text that two exchanges have in common if they ask for the same but for the ids of requests.
func sameRequests(e fixtures.Exchange) string {
	text := ""
	for _, r := range requests(e) {
		text += r.Method + " " + r.Path + "\n"
		for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
			value := r.Headers[name]
			if isRequestID(name) && value != "" {
				value = strconv.FormatBool(contract.UUID.MatchString(value))
			}
			text += strings.ToLower(name) + ": " + value + "\n"
		}
		text += r.Content() + "\n"
	}
	return text
}

// ofOtherDialect returns an exchange of the other dialect at the paths of the dialect that is checked.
func (cfg Config) ofOtherDialect(e fixtures.Exchange) fixtures.Exchange {
	translate := requestInDocument
	if e.Dialect = cfg.dialect(); e.Dialect == sim.DialectPublic {
		translate = func(r fixtures.Request) fixtures.Request { return requestInPublic(r, e.Replay.NoToken) }
	}
	e.Request = translate(e.Request)
	e.Before = slices.Clone(e.Before)
	for i, r := range e.Before {
		e.Before[i] = translate(r)
	}
	return e
}

// requestInDocument returns a request at the prefixed path. There, headers name the institution of a client, and the
// user of an alert.
func requestInDocument(r fixtures.Request) fixtures.Request {
	path, query, _ := strings.Cut(r.Path, "?")
	for _, op := range contract.Document().Operations {
		bare := contract.Public().Operation(op.Name).Path
		if match.Covers(bare, path) {
			r.Headers = maps.Clone(r.Headers)
			values, err := url.ParseQuery(query)
			if takes := op.ParameterNames("header"); err == nil && slices.Contains(takes, "fiid") {
				r.Headers["fiid"], r.Headers["userid"] = fixtures.Institution, values.Get("hostUserId")
				values.Del("hostUserId")
				query = values.Encode()
			} else if op == contract.TokensRevoke {
				r.Headers["institutionId"] = fixtures.Institution
			}
			path = strings.TrimSuffix(op.Path, bare) + path
			break
		}
	}
	r.Path = strings.TrimSuffix(path+"?"+query, "?")
	return r
}

// requestInPublic returns a request at the bare path. There, an access token is needed, and the query names the user of
// an alert.
func requestInPublic(r fixtures.Request, noToken bool) fixtures.Request {
	path, query, _ := strings.Cut(r.Path, "?")
	prefix := ""
	for _, op := range contract.Document().Operations {
		of := strings.TrimSuffix(op.Path, contract.Public().Operation(op.Name).Path)
		if strings.HasPrefix(path, of) && len(of) > len(prefix) {
			prefix = of
		}
	}
	headers := map[string]string{}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "userid") {
			query = strings.TrimSuffix("hostUserId="+value+"&"+query, "&")
		} else {
			headers[name] = value
		}
	}
	if header(r, "Authorization") == "" && !noToken && takesToken(r) {
		headers["Authorization"] = "Bearer " + fixtures.DemoToken
	}
	r.Headers, r.Path = headers, strings.TrimSuffix(strings.TrimPrefix(path, prefix)+"?"+query, "?")
	return r
}

// withoutJobs returns an exchange that lists jobs without the requests that would start jobs: a group whose job is
// running can't be deleted.
func withoutJobs(e fixtures.Exchange) fixtures.Exchange {
	if e.Operation() == contract.JobsList.Name {
		e.Before, e.Replay.Never = nil, ""
	}
	return e
}

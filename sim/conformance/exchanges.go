package conformance

import (
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

var loadGolden = sync.OnceValues(fixtures.Load)

// exchanges returns the exchanges of the dialect that is checked, sorted by name. In the public dialect, the document's
// exchanges follow at the bare paths. An exchange that shows a switch is replayed under the switches of the service:
// the simulator says what the answer is then.
func (cfg Config) exchanges() ([]fixtures.Exchange, error) {
	golden, err := loadGolden()
	var all []fixtures.Exchange
	for _, e := range golden {
		isKnown, isOfPath := e.Operation() != "unknown", contract.DialectOf(e.Request.Path) == e.InDialect()
		switch {
		case e.InDialect() == cfg.dialect() && (isOfPath || !isKnown && cfg.dialect() == sim.DialectDocument):
		case cfg.dialect() == sim.DialectPublic && isOfPath && isKnown:
			e = inPublic(e)
		default:
			continue
		}
		if e.Behavior != nil {
			e.Behavior, e.About = nil, e.About+"; here under the switches of the service"
		}
		all = append(all, withoutJobs(e))
	}
	return all, err
}

// inPublic returns an exchange of the document at the bare paths. The simulator says what the answer is there.
func inPublic(e fixtures.Exchange) fixtures.Exchange {
	e.Dialect = sim.DialectPublic
	e.Request = requestInPublic(e.Request, e.Replay.NoToken)
	e.Before = slices.Clone(e.Before)
	for i, r := range e.Before {
		e.Before[i] = requestInPublic(r, e.Replay.NoToken)
	}
	return e
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

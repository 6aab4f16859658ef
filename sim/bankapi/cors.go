package bankapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// The headers of CORS (Fetch standard, CORS protocol).
const (
	origin         = "Origin"
	requestMethod  = "Access-Control-Request-Method"
	requestHeaders = "Access-Control-Request-Headers"
	allowOrigin    = "Access-Control-Allow-Origin"
)

// allowedMethods is what pages may do.
var allowedMethods = strings.Join(contract.Methods(), ", ")

// cors returns what pages of other origins may, nil if that is nothing. A request that reaches no bank is answered as by the
// default one, so that a page can read why.
func (x *exchange) cors() *sim.CORSBehavior {
	world := x.at.World
	if world == nil {
		world = x.handler.Sandboxes.Default().Known().World
	}
	if len(world.Behavior().CORS.Origins) == 0 {
		return nil
	}
	return &world.Behavior().CORS
}

// isPreflight reports whether a browser asks what a page may do.
func (x *exchange) isPreflight() bool {
	return x.r.Method == http.MethodOptions && len(x.r.Header[origin]) > 0 && len(x.r.Header[requestMethod]) > 0
}

// orPreflight returns a refusal, or the reply to a preflight that comes before it.
func (x *exchange) orPreflight(refusal reply) reply {
	if !x.isPreflight() {
		return refusal
	}
	cors := x.cors()
	if cors == nil {
		x.lint("cors-off", "this is a preflight of a browser, for a page of another origin: behavior.cors.origins in the scenario lists "+
			"those whose pages may read the answers")
		return refusal
	}
	return x.preflight(cors)
}

// preflight replies to a preflight: what a page of its origin may do, whatever the path.
func (x *exchange) preflight(cors *sim.CORSBehavior) reply {
	header := x.r.Header
	page := header[origin]
	if len(page) > 1 || !cors.Admits(page[0]) {
		rep := x.refuse(sim.Refuse(contract.OriginRefused, "%s", notAdmitted(strings.Join(page, ", "))))
		rep.vary(origin, requestMethod, requestHeaders)
		return rep
	}
	rep := reply{status: contract.PreflightStatus}
	rep.admit(cors, page[0])
	rep.header("Access-Control-Allow-Methods", allowedMethods)
	if asked := header[requestHeaders]; len(asked) > 0 {
		rep.header("Access-Control-Allow-Headers", strings.Join(asked, ", "))
	}
	rep.vary(origin, requestMethod, requestHeaders)
	rep.decision = journal.Decision{
		Outcome: journal.Accepted,
		Rule:    contract.Preflight,
		Message: fmt.Sprintf("a preflight: pages of the origin %s may send %s", phrase.Quote(page[0]), allowedMethods),
		Basis:   string(contract.EverywhereCORS.BasisUnder(x.behavior)),
		Entries: []string{contract.EverywhereCORS.ID},
	}
	return rep
}

func notAdmitted(page string) string {
	return fmt.Sprintf("behavior.cors.origins doesn't list the origin %s, so its pages can't read the answers", phrase.Quote(page))
}

// share adds to the reply what lets the page that has sent the request read it, if its origin may.
func (x *exchange) share() {
	cors := x.cors()
	if cors == nil || x.isPreflight() {
		return
	}
	page, any := x.r.Header[origin], slices.Contains(cors.Origins, sim.AnyOrigin)
	if !any {
		x.reply.vary(origin) // caches must not give one origin the answer for another
	}
	switch {
	case any || len(page) == 1 && cors.Admits(page[0]):
		x.reply.admit(cors, strings.Join(page, ""))
		x.reply.header("Access-Control-Expose-Headers", x.exposed())
	case len(page) > 0 && !x.sameOrigin(page):
		x.lint("cors-origin-refused", notAdmitted(strings.Join(page, ", ")))
	}
	if len(page) > 0 {
		x.reply.decision.Entries = union(x.reply.decision.Entries, []string{contract.EverywhereCORS.ID})
	}
}

// sameOrigin reports whether the page that has sent the request is of the origin that it was sent to: then the browser lets the
// page read the answer without being told.
func (x *exchange) sameOrigin(page []string) bool {
	scheme, rest, _ := strings.Cut(x.baseURL, "://")
	host, _, _ := strings.Cut(rest, "/")
	return len(page) == 1 && strings.EqualFold(page[0], scheme+"://"+host)
}

// admit adds the header that lets a page read the reply.
func (rep *reply) admit(cors *sim.CORSBehavior, page string) {
	if slices.Contains(cors.Origins, sim.AnyOrigin) {
		page = sim.AnyOrigin
	}
	rep.header(allowOrigin, page)
}

// vary names the headers of requests on which the reply depends.
func (rep *reply) vary(names ...string) { rep.header("Vary", strings.Join(names, ", ")) }

// exposed returns the headers of the reply that a page may read, those that a fault sets among them, each once, whatever its case.
func (x *exchange) exposed() string {
	names := contract.ExposedHeaders()
	if x.behavior.Headers.Scenario {
		names = append(names, contract.ScenarioHeader.Name)
	}
	if x.injected != nil {
		for _, h := range x.injected.headers {
			if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, h[0]) }) {
				names = append(names, h[0])
			}
		}
	}
	return strings.Join(names, ", ")
}

package bankapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// The headers of CORS (Fetch standard, CORS protocol).
const (
	origin           = "Origin"
	requestMethod    = "Access-Control-Request-Method"
	requestHeaders   = "Access-Control-Request-Headers"
	allowOrigin      = "Access-Control-Allow-Origin"
	allowCredentials = "Access-Control-Allow-Credentials"
)

// allowedMethods is what pages may do.
var allowedMethods = strings.Join(contract.Methods(), ", ")

// corsOf returns what pages of other origins may do, or nil if they may do nothing. For a request that reaches no bank,
// it returns what the default bank allows, so that a page can read the refusal. If the scenario of the bank lists no
// origins, the origins of the handler count.
func (h *Handler) corsOf(m moment) *sim.CORSBehavior {
	world := m.World
	if world == nil {
		world = h.Sandboxes.Default().Known().World
	}
	cors := &world.Behavior().CORS
	switch {
	case len(cors.Origins) > 0:
		return cors
	case len(h.CORSOrigins) > 0:
		return &sim.CORSBehavior{Origins: h.CORSOrigins, Credentials: cors.Credentials}
	}
	return nil
}

// isPreflight reports whether a browser asks what a page may do.
func isPreflight(req *request) bool {
	return req.Method == http.MethodOptions && len(req.Header[origin]) > 0 && len(req.Header[requestMethod]) > 0
}

// refuseOrPreflight returns a refusal, or the reply to a preflight in place of it.
func (h *Handler) refuseOrPreflight(req *request, m moment, refusal reply) decided {
	if !isPreflight(req) {
		return decided{reply: refusal}
	}
	cors := h.corsOf(m)
	if cors == nil {
		return decided{reply: refusal, lints: []journal.Lint{{Code: "cors-off",
			Message: "this is a preflight of a browser, for a page of another origin: " + whyNoCORS}}}
	}
	return decided{reply: answerPreflight(req, m, cors)}
}

// whyNoCORS says why no page of another origin may read answers.
const whyNoCORS = "behavior.cors.origins in the scenario lists those whose pages may read the answers"

// answerPreflight says what a page of the request's origin may do, whatever the path.
func answerPreflight(req *request, m moment, cors *sim.CORSBehavior) reply {
	page := req.Header[origin]
	if len(page) > 1 || !cors.Admits(page[0]) {
		rep := refusalReply(m, sim.Refuse(contract.OriginRefused, "%s", notAdmitted(strings.Join(page, ", "))))
		return rep.vary(origin, requestMethod, requestHeaders)
	}
	rep := reply{status: contract.PreflightStatus}.admit(cors, page[0])
	rep = rep.with("Access-Control-Allow-Methods", allowedMethods)
	if asked := req.Header[requestHeaders]; len(asked) > 0 {
		rep = rep.with("Access-Control-Allow-Headers", strings.Join(asked, ", "))
	}
	rep = rep.vary(origin, requestMethod, requestHeaders)
	rep.decision = journal.Decision{
		Outcome: journal.Accepted,
		Rule:    contract.Preflight,
		Message: fmt.Sprintf("a preflight: pages of the origin %s may send %s", wording.Quote(page[0]), allowedMethods),
		Basis:   string(contract.EverywhereCORS.BasisUnder(m.policy)),
		Entries: citedFor(cors),
	}
	return rep
}

func notAdmitted(page string) string {
	return fmt.Sprintf(
		"behavior.cors.origins doesn't list the origin %s, so its pages can't read the answers", wording.Quote(page))
}

// addCORSHeaders adds the headers that let the page that sent the request read the reply, if its origin may.
func (h *Handler) addCORSHeaders(req *request, m moment, e effects, rep reply) (reply, []journal.Lint) {
	cors := h.corsOf(m)
	if cors == nil || isPreflight(req) {
		return rep, nil
	}
	var lints []journal.Lint
	cited := []string{contract.EverywhereCORS.ID}
	page, named := req.Header[origin], !slices.Contains(cors.Origins, sim.AnyOrigin)
	if named {
		rep = rep.vary(origin) // caches must not give one origin the answer for another
	}
	switch {
	case !named || len(page) == 1 && cors.Admits(page[0]):
		rep = rep.admit(cors, strings.Join(page, ""))
		rep = rep.with("Access-Control-Expose-Headers", exposedHeaders(m, e))
		cited = citedFor(cors)
	case len(page) > 0 && !isSameOrigin(req.baseURL, page):
		lints = []journal.Lint{{Code: "cors-origin-refused", Message: notAdmitted(strings.Join(page, ", "))}}
	}
	if len(page) > 0 {
		rep.decision.Entries = union(rep.decision.Entries, cited)
	}
	return rep, lints
}

// isSameOrigin reports whether a page is of the origin that it has called. Then the browser lets the page read the
// answer without being told.
func isSameOrigin(baseURL string, page []string) bool {
	scheme, rest, _ := strings.Cut(baseURL, "://")
	host, _, _ := strings.Cut(rest, "/")
	host = strings.TrimSuffix(host, ":"+standardPorts[scheme]) // which browsers leave out
	return len(page) == 1 && strings.EqualFold(page[0], scheme+"://"+host)
}

// admit adds the headers that let a page read the reply.
func (r reply) admit(cors *sim.CORSBehavior, page string) reply {
	if slices.Contains(cors.Origins, sim.AnyOrigin) {
		return r.with(allowOrigin, sim.AnyOrigin)
	}
	r = r.with(allowOrigin, page)
	if takesCredentials(cors) {
		r = r.with(allowCredentials, "true")
	}
	return r
}

// takesCredentials reports whether admitted pages may send cookies. Browsers refuse that together with all origins.
func takesCredentials(cors *sim.CORSBehavior) bool {
	return cors.Credentials && !slices.Contains(cors.Origins, sim.AnyOrigin)
}

// citedFor returns the entries that the answer to an admitted page cites.
func citedFor(cors *sim.CORSBehavior) []string {
	if takesCredentials(cors) {
		return []string{contract.EverywhereCORS.ID, contract.EverywhereCORSCredentials.ID}
	}
	return []string{contract.EverywhereCORS.ID}
}

// vary names the headers of requests that the reply depends on.
func (r reply) vary(names ...string) reply { return r.with("Vary", strings.Join(names, ", ")) }

// exposedHeaders returns the names of the headers that a page may read. Headers that faults set are among them. No name
// comes twice, in whatever case.
func exposedHeaders(m moment, e effects) string {
	names := contract.ExposedHeaders()
	if m.policy.Headers.Scenario {
		names = append(names, contract.ScenarioHeader.Name)
	}
	for _, h := range e.headers {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, h.Name) }) {
			names = append(names, h.Name)
		}
	}
	return strings.Join(names, ", ")
}

package bankapi_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// The control calls of a sequence. Each sends a call, predicts its status, and makes the same change in the reference.

// controlCall sends a control call, requires a status and returns the body.
func (m *machine) controlCall(method, path, body string, want int) string {
	m.steps++
	m.where = fmt.Sprintf("%s %s %s", method, path, body)
	status, _, got := serve(m.control, "", simtest.NewCall(method, path, body))
	m.met[fmt.Sprintf("%s %d", method, status)]++
	if status != want {
		m.t.Fatalf("%s: want %d, got %d %s", m.where, want, status, got)
	}
	return got
}

// anySandbox draws a name, usually of a sandbox that exists; nil: it does not.
func (m *machine) anySandbox() (string, *refSandbox) {
	names := m.names()
	if chance(m.t, 20, "any name") {
		names = sandboxNames
	}
	name := pick(m.t, "sandbox", names...)
	return name, m.sandboxes[name]
}

func (m *machine) createSandbox(t *rapid.T) {
	name, sc := pick(t, "name", "a", "b", "c", "default", "-c", "C"), pick(t, "scenario", refScenarios...)
	var seed *uint64
	body := map[string]any{"name": name, "scenarioYaml": string(sc.Source)}
	if chance(t, 3, "seeded") {
		s := pick(t, "seed", uint64(7), uint64(11))
		seed, body["seed"] = &s, s
	}
	if chance(t, 10, "of a bad scenario") {
		body["scenarioYaml"] = "institutions: 7"
		m.controlCall(http.MethodPost, "/v1/sandboxes", simtest.JSON(body), 422)
		return
	}
	if m.addSandbox("/v1/sandboxes", simtest.JSON(body), name) {
		m.sandboxes[name] = newRefSandbox(sc, seed)
		m.compare(name)
	}
}

// addSandbox sends a call that makes a sandbox, and reports whether it should succeed.
func (m *machine) addSandbox(path, body, name string) bool {
	switch {
	case name == "-c" || name == "C":
		m.controlCall(http.MethodPost, path, body, 400)
	case m.sandboxes[name] != nil:
		m.controlCall(http.MethodPost, path, body, 409)
	default:
		m.controlCall(http.MethodPost, path, body, 201)
		return true
	}
	return false
}

func (m *machine) forkSandbox(t *rapid.T) {
	of, s := m.anySandbox()
	name := pick(t, "name", "a", "b", "c", "-c")
	path, body := "/v1/sandboxes/"+of+"/fork", fmt.Sprintf(`{"name":%q}`, name)
	if s == nil {
		m.controlCall(http.MethodPost, path, body, 404)
		return
	}
	s.bank.endJobs(s.now)
	if m.addSandbox(path, body, name) {
		fork := &refSandbox{scenario: s.scenario, given: s.given, seed: s.seed, start: s.refMoment.copy(), snapshots: map[string]refMoment{}}
		fork.reset()
		m.sandboxes[name] = fork
		m.compare(name)
		m.compare(of)
	}
}

func (m *machine) deleteSandbox(*rapid.T) {
	name, s := m.anySandbox()
	want := 204
	switch {
	case s == nil:
		want = 404
	case name == sandbox.Default:
		want = 409
	}
	m.controlCall(http.MethodDelete, "/v1/sandboxes/"+name, "", want)
	if want == 204 {
		delete(m.sandboxes, name)
	}
}

// inSandbox sends a call to a sandbox that may exist, after act has predicted its status and made its change in the
// reference.
func (m *machine) inSandbox(method, path, body string, act func(s *refSandbox) (status int)) {
	name, s := m.anySandbox()
	m.inThe(name, s, method, path, body, act)
}

// inThe is inSandbox for a sandbox that was drawn; nil: it does not exist.
func (m *machine) inThe(name string, s *refSandbox, method, path, body string, act func(s *refSandbox) (status int)) {
	path = "/v1/sandboxes/" + name + path
	if s == nil {
		m.controlCall(method, path, body, 404)
		return
	}
	s.bank.endJobs(s.now)
	m.controlCall(method, path, body, act(s))
	m.compare(name)
}

func (m *machine) resetSandbox(*rapid.T) {
	m.inSandbox(http.MethodPost, "/reset", "", func(s *refSandbox) int {
		s.reset()
		return 204
	})
}

func (m *machine) replaceScenario(t *rapid.T) {
	sc := pick(t, "scenario", refScenarios...)
	if chance(t, 4, "bad") {
		m.inSandbox(http.MethodPut, "/scenario", `{"institutions": [{"institutionId": "02688", "users": [{}]}]}`, func(*refSandbox) int { return 422 })
		return
	}
	m.inSandbox(http.MethodPut, "/scenario", string(sc.Source), func(s *refSandbox) int {
		s.restart(sc)
		return 200
	})
}

func (m *machine) takeSnapshot(t *rapid.T) {
	name := pick(t, "name", "s1", "s2", "s3", "start")
	m.inSandbox(http.MethodPost, "/snapshots", fmt.Sprintf(`{"name":%q}`, name), func(s *refSandbox) int {
		if _, taken := s.snapshots[name]; taken {
			return 409
		}
		if name == "start" {
			return 400
		}
		s.snapshots[name] = s.refMoment.copy()
		return 201
	})
}

func (m *machine) restoreSnapshot(t *rapid.T) {
	name := pick(t, "name", "s1", "s2", "s3")
	m.inSandbox(http.MethodPost, "/snapshots/"+name+"/restore", "", func(s *refSandbox) int {
		snapshot, ok := s.snapshots[name]
		if !ok {
			return 404
		}
		s.refMoment = snapshot.copy()
		return 204
	})
}

func (m *machine) clearJournal(*rapid.T) {
	m.inSandbox(http.MethodDelete, "/journal", "", func(s *refSandbox) int {
		s.forgotten += len(s.exchanges)
		s.exchanges = nil
		return 204
	})
}

// moveClock moves a clock: by a duration, or to about the expiry of a token.
func (m *machine) moveClock(t *rapid.T) {
	name, s := m.anySandbox()
	move := func(body string, to func(now time.Time) time.Time) {
		m.inThe(name, s, http.MethodPost, "/clock", body, func(s *refSandbox) int {
			s.now = to(s.now)
			return 200
		})
	}
	if s != nil && chance(t, 3, "set") {
		ends := []time.Time{refStart}
		for _, g := range s.bank.grants {
			ends = append(ends, g.tokens[len(g.tokens)-1].expires)
		}
		slices.Reverse(ends) // so that the newest come first
		to := pick(t, "to", ends...).Add(pick(t, "less", -time.Second, 0, -time.Millisecond, -time.Minute))
		move(simtest.JSON(map[string]any{"set": to}), func(time.Time) time.Time { return to })
		return
	}
	by := pick(t, "by", time.Second, time.Millisecond, 5*time.Minute, 10*time.Minute, 10*time.Minute-time.Second, 30*time.Minute,
		time.Hour, -time.Minute, 24*time.Hour, 24*time.Hour-time.Second, 4320*time.Hour)
	move(fmt.Sprintf(`{"advance":%q}`, by), func(now time.Time) time.Time { return now.Add(by) })
}

func (m *machine) mintToken(t *rapid.T) {
	institution, client := pick(t, "institution", "02688", "02688", "05523", "7"), pick(t, "client", "demo-app", "other-app", "second-app")
	user, lifetime := pick(t, "user", "", "1001", "1003"), pick(t, "lifetime", 0, time.Hour, time.Second)
	body := map[string]any{"client": client}
	if user != "" {
		body["hostUserId"] = user
	}
	if lifetime > 0 {
		body["expiresIn"] = lifetime.String()
	}
	name, s := m.anySandbox()
	path, status := "/v1/sandboxes/"+name+"/institutions/"+institution+"/tokens", 201
	switch {
	case s == nil || s.bank.institution(institution) == nil:
		status = 404
	case !s.bank.institution(institution).hasClient(client), user != "" && s.bank.user(institution, user) == nil:
		status = 400
	}
	answer := m.controlCall(http.MethodPost, path, simtest.JSON(body), status)
	if status == 201 {
		text := decodeSome[api.MintedToken](&m.learner, answer).AccessToken
		m.freshToken(&s.bank, text, 28)
		m.drew(&s.bank, "access", text)
		grant := refGrant{institution: institution, client: client, user: user, grantType: sim.GrantClientCredentials}
		if user != "" {
			grant.grantType = sim.GrantPassword
		}
		grant.tokens = []refToken{{text: text, expires: s.now.Add(cmp.Or(lifetime, s.bank.behavior.Tokens.AccessLifetime))}}
		s.bank.grants = append(s.bank.grants, grant)
	}
	if s != nil {
		m.compare(name)
	}
}

func (in *refInstitution) hasClient(shared string) bool {
	return slices.ContainsFunc(in.Clients, func(c refClient) bool { return c.SharedKey == shared })
}

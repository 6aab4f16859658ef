package bankapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

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

// inSandbox sends a call to a sandbox that may exist. Where it should succeed, do makes the change in the reference.
func (m *machine) inSandbox(method, path, body string, succeeds func(s *refSandbox) int, do func(s *refSandbox, answer string)) {
	name, s := m.anySandbox()
	if s == nil {
		m.controlCall(method, "/v1/sandboxes/"+name+path, body, 404)
		return
	}
	m.inThe(name, s, method, path, body, succeeds, do)
}

// inThe is inSandbox for a sandbox that exists.
func (m *machine) inThe(name string, s *refSandbox, method, path, body string, succeeds func(s *refSandbox) int, do func(s *refSandbox, answer string)) {
	path = "/v1/sandboxes/" + name + path
	status := succeeds(s)
	answer := m.controlCall(method, path, body, status)
	if status < 300 {
		do(s, answer)
	}
	m.compare(name)
}

// always predicts a status, whatever the sandbox.
func always(status int) func(*refSandbox) int { return func(*refSandbox) int { return status } }

func (m *machine) resetSandbox(*rapid.T) {
	m.inSandbox(http.MethodPost, "/reset", "", always(204), func(s *refSandbox, _ string) { s.reset() })
}

func (m *machine) replaceScenario(t *rapid.T) {
	sc := pick(t, "scenario", refScenarios...)
	if chance(t, 4, "bad") {
		m.inSandbox(http.MethodPut, "/scenario", `{"institutions": [{"institutionId": "02688", "users": [{}]}]}`, always(422), nil)
		return
	}
	m.inSandbox(http.MethodPut, "/scenario", string(sc.Source), always(200), func(s *refSandbox, _ string) { s.restart(sc) })
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
		return 201
	}, func(s *refSandbox, _ string) { s.snapshots[name] = s.refMoment.copy() })
}

func (m *machine) restoreSnapshot(t *rapid.T) {
	name := pick(t, "name", "s1", "s2", "s3")
	m.inSandbox(http.MethodPost, "/snapshots/"+name+"/restore", "", func(s *refSandbox) int {
		if _, ok := s.snapshots[name]; !ok {
			return 404
		}
		return 204
	}, func(s *refSandbox, _ string) { s.refMoment = s.snapshots[name].copy() })
}

func (m *machine) clearJournal(*rapid.T) {
	m.inSandbox(http.MethodDelete, "/journal", "", always(204), func(s *refSandbox, _ string) {
		s.forgotten += len(s.exchanges)
		s.exchanges = nil
	})
}

// moveClock moves a clock: by a duration, or to about the expiry of a token.
func (m *machine) moveClock(t *rapid.T) {
	name, s := m.anySandbox()
	if s == nil {
		m.controlCall(http.MethodPost, "/v1/sandboxes/"+name+"/clock", `{"advance":"1s"}`, 404)
		return
	}
	if chance(t, 3, "set") {
		var ends []time.Time
		for _, g := range slices.Backward(s.bank.grants) {
			ends = append(ends, g.tokens[len(g.tokens)-1].expires)
		}
		to := pick(t, "to", append(ends, refStart)...).Add(pick(t, "less", -time.Second, 0, -time.Millisecond, -time.Minute))
		m.inThe(name, s, http.MethodPost, "/clock", simtest.JSON(map[string]any{"set": to}), always(200), func(s *refSandbox, _ string) { s.now = to })
		return
	}
	by := pick(t, "by", time.Second, time.Millisecond, 5*time.Minute, 10*time.Minute, 10*time.Minute-time.Second, 30*time.Minute,
		time.Hour, -time.Minute, 24*time.Hour, 24*time.Hour-time.Second, 4320*time.Hour)
	m.inThe(name, s, http.MethodPost, "/clock", fmt.Sprintf(`{"advance":%q}`, by), always(200), func(s *refSandbox, _ string) { s.now = s.now.Add(by) })
}

func (m *machine) patchInstitution(t *rapid.T) {
	id, on := pick(t, "institution", "02688", "05523", "7"), rapid.Bool().Draw(t, "multistatement")
	m.inSandbox(http.MethodPatch, "/institutions/"+id, fmt.Sprintf(`{"multistatement":%v}`, on),
		found(func(s *refSandbox) bool { return s.bank.institution(id) != nil }),
		func(s *refSandbox, _ string) { s.bank.institution(id).Multistatement = on })
}

// found predicts 200 where something exists, else 404.
func found(there func(s *refSandbox) bool) func(*refSandbox) int {
	return func(s *refSandbox) int {
		if there(s) {
			return 200
		}
		return 404
	}
}

func (m *machine) patchUser(t *rapid.T) {
	institution, id := pick(t, "institution", "02688", "02688", "05523"), pick(t, "user", "1001", "1002", "1003", "1004", "7")
	active, status := optional(t, "active", true, true, false), optional(t, "disclosureStatus", "ACCEPTED", "ACCEPTED", "NOT_ACCEPTED", "MAYBE")
	path, body := "/institutions/"+institution+"/users/"+id, patchBody("active", active, status)
	if status != nil && *status == "MAYBE" {
		m.inSandbox(http.MethodPatch, path, body, always(400), nil)
		return
	}
	m.inSandbox(http.MethodPatch, path, body,
		found(func(s *refSandbox) bool { return s.bank.user(institution, id) != nil }),
		func(s *refSandbox, _ string) {
			user := s.bank.user(institution, id)
			if active != nil {
				user.Active = *active
			}
			user.Disclosures = withStatus(user.Disclosures, status, s.now)
		})
}

func (m *machine) patchAccount(t *rapid.T) {
	institution, id := pick(t, "institution", "02688", "02688", "05523"), pick(t, "user", "1001", "1002", "1003", "7")
	accountID := pick(t, "account", "checking", "savings", "loan")
	activate, status := optional(t, "activateEstatement", true, false), optional(t, "disclosureStatus", "ACCEPTED", "ACCEPTED", "NOT_ACCEPTED")
	m.inSandbox(http.MethodPatch, "/institutions/"+institution+"/users/"+id+"/accounts/"+accountID, patchBody("activateEstatement", activate, status),
		found(func(s *refSandbox) bool {
			user := s.bank.user(institution, id)
			return user != nil && user.account(accountID) != nil
		}),
		func(s *refSandbox, _ string) {
			account := s.bank.user(institution, id).account(accountID)
			account.Disclosures = withStatus(account.Disclosures, status, s.now)
			if activate != nil {
				account.prefer(*activate)
			}
		})
}

func patchBody(flag string, on *bool, status *string) string {
	body := map[string]any{}
	if on != nil {
		body[flag] = *on
	}
	if status != nil {
		body["disclosureStatus"] = *status
	}
	return simtest.JSON(body)
}

// withStatus sets the status of disclosures. One that has it keeps its time; if there are none, one is added.
func withStatus(ds []refDisclosure, status *string, now time.Time) []refDisclosure {
	if status == nil {
		return ds
	}
	if len(ds) == 0 {
		return []refDisclosure{{Name: "OLS", Status: *status, Updated: now}}
	}
	for i := range ds {
		if ds[i].Status != *status {
			ds[i].Status, ds[i].Updated = *status, now
		}
	}
	return ds
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
	m.inSandbox(http.MethodPost, "/institutions/"+institution+"/tokens", simtest.JSON(body), func(s *refSandbox) int {
		in := s.bank.institution(institution)
		switch {
		case in == nil:
			return 404
		case !in.hasClient(client), user != "" && s.bank.user(institution, user) == nil:
			return 400
		}
		return 201
	}, func(s *refSandbox, answer string) {
		text := decodeSome[struct {
			AccessToken string `json:"accessToken"`
		}](&m.learner, answer).AccessToken
		m.freshToken(&s.bank, text, 28)
		m.drew(&s.bank, "access", text)
		grant := refGrant{institution: institution, client: client, user: user, grantType: "client_credentials"}
		if user != "" {
			grant.grantType = "password"
		}
		expires := s.now.Add(lifetime)
		if lifetime == 0 {
			expires = s.now.Add(s.bank.behavior.Tokens.AccessLifetime)
		}
		grant.tokens = []refToken{{text: text, expires: expires}}
		s.bank.grants = append(s.bank.grants, grant)
	})
}

func (in *refInstitution) hasClient(shared string) bool {
	for _, c := range in.Clients {
		if c.SharedKey == shared {
			return true
		}
	}
	return false
}

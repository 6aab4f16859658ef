package controlapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// A sandbox is created as the body says, up to a number of sandboxes, and has a base URL of its own.
func TestCreateSandbox(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, simtest.FrozenRetail), Limit: 3,
	})})
	longest := strings.Repeat("x", 63)
	for body, want := range map[string]api.Sandbox{
		"": {Name: "sandbox-1", Scenario: "test", Follows: true, Seed: 7},
		`{"name":null,"seed":null,"ttl":null,"scenario":null}`:               {Name: "sandbox-1", Scenario: "test", Follows: true, Seed: 7},
		`{"name":"` + longest + `"}`:                                         {Name: longest, Scenario: "test", Follows: true, Seed: 7},
		`{"name":"0-a","scenario":"empty","seed":18446744073709551615}`:      {Name: "0-a", Scenario: "empty", Seed: 1<<64 - 1},
		`{"name":"b","scenarioYaml":"name: mine\nseed: 9\nextends: base\n"}`: {Name: "b", Scenario: "mine", Seed: 9},
		`{"name":"c","scenarioYaml":"extends: base\nseed: 7\n","seed":0}`:    {Name: "c", Scenario: "scenario", Seed: 0},
	} {
		res := b.Control(201, "POST /v1/sandboxes", body)
		got := simtest.Decode[api.Sandbox](t, res)
		assert.WithinDuration(t, time.Now(), got.CreatedAt, simtest.Patience)
		if want.Name == "sandbox-1" { // or another number
			assert.Regexp(t, `^sandbox-\d$`, got.Name)
			want.Name = got.Name
		}
		want.CreatedAt, want.BaseURL = got.CreatedAt, b.Server.ServiceURL()+"/sandboxes/"+want.Name
		assert.Equal(t, want, got)
		location := res.Header.Get("Location")
		assert.Equal(t, "/v1/sandboxes/"+want.Name, location)
		assert.Equal(t, res.Body, b.Control(200, "GET "+location, "").Body)
		assert.Contains(t, b.Control(200, "GET /v1/sandboxes", "").Body, res.Body)
		sb := b.In(got.Name)
		assert.Equal(t, 200, simtest.ListGroups.Send(sb).StatusCode)

		b.Control(204, "DELETE "+location, "")
		b.Control(404, "GET "+location, "")
		assert.Equal(t, 404, simtest.ListGroups.Send(sb).StatusCode)
	}
	b.Control(201, "POST /v1/sandboxes", `{"name":"sandbox-3"}`)
	assert.Contains(t, b.Control(201, "POST /v1/sandboxes", "").Body, `"name":"sandbox-4"`, "the next name is taken")
	for _, request := range []string{"POST /v1/sandboxes", "POST /v1/sandboxes/default/fork"} {
		res := b.Control(429, request, "")
		assert.Contains(t, res.Body, "delete some, or give them a ttl")
		assert.Equal(t, "5", res.Header.Get("Retry-After"))
	}
}

// A program that reads numbers as floating point, such as jq, repeats a bank by the seed that the bank has drawn.
func TestDrawnSeedsFitFloats(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: unseeded\nextends: retail\n")
	fork := simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", `{"ttl":"1h"}`))
	for range 4 {
		for _, sb := range []*simtest.Bank{b, b.In(fork.Name)} {
			sb.ControlSandbox(204, "POST /reset", "")
			assert.Less(t, simtest.Decode[api.Sandbox](t, sb.ControlSandbox(200, "GET ", "")).Seed, uint64(1<<53))
		}
	}
	assert.Equal(t, time.Hour, fork.ExpiresAt.Sub(fork.CreatedAt))
	renewed := simtest.Decode[api.Sandbox](t, b.Control(200, "PATCH /v1/sandboxes/"+fork.Name, `{"ttl":"2h"}`))
	assert.GreaterOrEqual(t, renewed.ExpiresAt.Sub(fork.CreatedAt), 2*time.Hour)
	b.Control(204, "DELETE /v1/sandboxes/"+fork.Name, "")
}

// A fork is the sandbox as it is now, at a base URL of its own, with the faults of the scenario. A reset returns to
// that.
func TestFork(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.WithFaults("- {name: own, operation: jobs.list, then: {status: 500}}\n"))
	faults := get(b, "/faults")
	b.ControlSandbox(204, "DELETE /faults", "")
	simtest.CreateGroup.Send(b)
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	res := b.ControlSandbox(201, "POST /fork", `{"name":"f"}`)
	assert.Equal(t, "/v1/sandboxes/f", res.Header.Get("Location"))
	fork := b.In("f")
	assert.Equal(t, res.Body, get(fork, ""))
	for _, path := range []string{"/state", "/clock", "/scenario"} {
		assert.Equal(t, get(b, path), get(fork, path))
	}
	assert.Contains(t, get(fork, "/journal"), `"exchanges":[]`)
	next := simtest.CreateGroup.WithBody(`{"groupName":"Next"}`)
	assert.Equal(t, next.Send(b).Body, next.Send(fork).Body, "both draw the same ids")
	assert.Equal(t, faults, get(fork, "/faults"))
	forked := b.State()
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, forked, fork.State(), "it is independent")
	fork.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	fork.ControlSandbox(204, "POST /reset", "")
	assert.Contains(t, get(fork, "/diff"), `"changes":[]`)
	assert.Contains(t, get(fork, "/clock"), "T10:00:00Z")
}

// The list can be narrowed by a text, and cut off; it says how many there are then.
func TestListSandboxes(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for _, plan := range []string{`{"name":"ci-1"}`, `{"name":"ci-2"}`,
		`{"name":"mine","scenarioYaml":"name: My CI-like bank\nextends: base"}`} {
		b.Control(201, "POST /v1/sandboxes", plan)
	}
	for query, want := range map[string]string{
		"":                  "4 ci-1 ci-2 default mine",
		"?limit=2":          "4 ci-1 ci-2",
		"?text=":            "4 ci-1 ci-2 default mine",
		"?text=ci-":         "3 ci-1 ci-2 mine",
		"?text=CI-&limit=1": "3 ci-1",
		"?text=LIKE":        "1 mine",
		"?text=nothing":     "0",
		"?limit=0":          "4",
	} {
		got := simtest.Decode[api.Sandboxes](t, b.Control(200, "GET /v1/sandboxes"+query, ""))
		listed := fmt.Sprint(got.Total)
		for _, sb := range got.Sandboxes {
			listed += " " + sb.Name
		}
		assert.Equal(t, want, listed, query)
	}
}

// observed is what the control API shows of a sandbox, without who reset it last.
func observed(b *simtest.Bank) string {
	var all strings.Builder
	for _, path := range []string{"", "/state", "/clock", "/scenario", "/snapshots", "/diff", "/faults", "/journal"} {
		all.WriteString(get(b, path) + "\n")
	}
	return lastReset.ReplaceAllString(all.String(), "")
}

var lastReset = regexp.MustCompile(`"lastReset":(null|\{[^}]*\})`)

func TestReset(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /snapshots", `{"name":"s"}`)
	before := observed(b)
	first := simtest.CreateGroup.Send(b)
	for _, call := range []simtest.Call{simtest.UpdateUser, simtest.IssueTokens, simtest.RevokeTokens,
		simtest.CreateAlert} {
		call.Send(b)
	}
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h","run":true}`)
	b.ControlSandbox(200, "PATCH "+institutionPath, `{"multistatement":false}`)
	b.ControlSandbox(201, "POST /faults", `{"then":{"delay":"1ms"}}`)
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, before, observed(b))
	assert.Equal(t, first.Body, simtest.CreateGroup.Send(b).Body, "the random source is back at the start, too")
}

func TestScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, strings.TrimSpace(simtest.FrozenRetail), get(b, "/scenario"))
	simtest.CreateGroup.Send(b)

	const other = "name: other\nextends: empty\nseed: 9\nclock: {start: 2030-01-01T00:00:00Z, run: false}\n"
	put := simtest.Decode[api.Sandbox](
		t, b.ControlSandbox(200, "PUT /scenario", other, "Content-Type: application/yaml"),
	)
	assert.Equal(t, "other", put.Scenario)
	assert.Equal(t, uint64(9), put.Seed, "that of the new scenario")
	assert.Equal(t, strings.TrimSpace(other), get(b, "/scenario"))
	assert.Equal(t, `{"now":"2030-01-01T00:00:00Z","running":false}`, get(b, "/clock"))
	assert.Contains(t, get(b, "/journal"), `"exchanges":[]`)
	state := b.State()
	assert.NotContains(t, state, "1001")
	simtest.CreateGroup.Send(b)
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, state, b.State(), "a reset returns to the new scenario")
	assert.False(t, put.Follows)
	followed := simtest.Decode[api.Sandbox](t, b.ControlSandbox(200, "DELETE /scenario", ""))
	assert.True(t, followed.Follows)
	assert.Equal(t, strings.TrimSpace(simtest.FrozenRetail), get(b, "/scenario"))
}

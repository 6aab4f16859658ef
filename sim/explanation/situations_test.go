package explanation_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const groupsPath = "/digitalbanking/groups/v3/groups"

// create sends a request that makes a group, whatever becomes of its answer.
func create(b *simtest.Bank, body string, headers ...string) {
	_, _ = b.Try(b.Request("POST", b.BaseURL()+groupsPath, body,
		append([]string{"transactionId: t-1", "Content-Type: application/json"}, headers...)...))
}

const aGroup = `{"groupName": "Night owls"}`

// What faults and the simulator itself do to requests is explained as a file says.
func TestSituations(t *testing.T) {
	t.Parallel()
	// The rules of faults, in YAML, that a request for a new group meets.
	faults := []string{
		"{name: outage, then: {status: 503}}",
		"{name: late-error, phase: after, then: {status: 500}}",
		"{name: cut, then: {connection: reset}}",
		"{name: lost, phase: after, then: {connection: reset}}",
		"{name: stuck, then: {connection: {hang: 1ms}}}",
		"{name: half, then: {connection: truncate}}",
		"{name: broken, then: {connection: malformed}}",
		"{name: slow, then: {delay: 2ms}}",
		"{name: marked, then: {headers: {x-test: boom}}}",
		"{name: slow, then: {delay: 2ms}}, {name: slower, then: {delay: 3ms}}, {name: outage, then: {status: 503}}",
	}
	var all strings.Builder
	describe := func(name string, why explanation.Explanation) {
		_, decision, _ := strings.Cut(why.FullText(false), "\nDecision\n")
		decision, _, _ = strings.Cut(decision, "\n\n")
		text := fmt.Sprintf("%s\n%s\n%s\n%s\n", name, why.Title, why.Cause, decision)
		for _, f := range why.Faults {
			text += fmt.Sprintf("%s: %s\n", f.Name, f.Effect)
		}
		for _, l := range why.Lints {
			text += fmt.Sprintf("lint %s\n", l.Code)
		}
		for _, note := range why.Copies.Notes {
			text += fmt.Sprintf("note: %s\n", note)
		}
		text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:8080")
		all.WriteString(text + "\n")
	}
	for _, rules := range faults {
		b := simtest.NewBank(t, simtest.FrozenRetail+"faults: ["+rules+"]\n")
		create(b, aGroup)
		describe("faults: "+rules, newest(t, b))
	}

	stale := simtest.NewBank(t, simtest.FrozenRetail+`faults:
- {name: old, operation: groups.list, then: {stale: 10m}}
- {name: slow, operation: groups.list, then: {delay: 2ms}}
`)
	create(stale, aGroup)
	simtest.ListGroups.Send(stale)
	describe("a fault that lets the bank answer from earlier data", newest(t, stale))

	expiring := simtest.NewBank(
		t, simtest.FrozenRetail+"faults: [{name: aged, when: {first: 1}, then: {expireToken: true}}]\n",
	)
	for range 2 {
		create(expiring, aGroup, "Authorization: Bearer demo-token")
		describe("a fault that lets the access token expire", newest(t, expiring))
	}

	refused := simtest.NewBank(t, simtest.WithFaults("- {name: late-error, phase: after, then: {status: 500}}\n"))
	create(refused, `{}`)
	describe("a fault after a refusal", newest(t, refused))

	asking := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	create(asking, aGroup, "Banksim-Fault: status=500")
	describe("a fault that the request asks for", newest(t, asking))
	create(asking, aGroup, "Banksim-Fault: statsu=500")
	describe("a fault header that can't be read", newest(t, asking))

	stubbed := simtest.NewBank(
		t, simtest.WithFaults("- {name: stub, path: /v3/x, then: {status: 200, body: {}, delay: 1ms}}\n"),
	)
	_, _ = stubbed.Try(stubbed.Request("GET", stubbed.BaseURL()+"/v3/x", ""))
	describe("a stub", newest(t, stubbed))

	full := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {limits: {rows: 1}}\n")
	create(full, aGroup)
	create(full, `{"groupName": "Early birds"}`)
	describe("a full bank, and an id that is used twice", newest(t, full))

	create(full, `{"groupName": "`+strings.Repeat("x", 1<<20)+`"}`, "Accept: text/html")
	describe("a large body", newest(t, full))

	alone := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {tokens: {accessTokenAlone: true}}\n")
	for range 2 { // the first one has revoked it
		require.Equal(t, 200, simtest.RevokeTokens.WithBody(`{"token": "demo-token"}`).Send(alone).StatusCode)
	}
	create(alone, aGroup, "Authorization: Bearer demo-token")
	describe("a token that was revoked alone", newest(t, alone))

	narrow := simtest.NewBank(t, simtest.FrozenRetail+`
institutions:
  - institutionId: "02688"
    clients: [{sharedKey: demo-app, scopes: ["groups:read", "groups:write"]}]
    tokens: [{accessToken: demo-token, scopes: ["groups:read"]}]
`)
	create(narrow, aGroup, "Authorization: Bearer demo-token")
	describe("a token without the scope", newest(t, narrow))
	narrow.Do(narrow.Request("GET", narrow.BaseURL()+"/v1/user-status/1001?userIdType=HOST_USER_ID", "",
		"Authorization: Bearer demo-token"))
	describe("a client without the scope", newest(t, narrow))

	nameless := simtest.Start(t, server.Config{NoDefault: true})
	create(nameless, aGroup)
	describe("a simulator without a default sandbox", newest(t, nameless))

	reset := func(b *simtest.Bank, _ context.CancelFunc) { b.ControlSandbox(204, "POST /reset", "") }
	describe("a reset during a delay", duringDelay(t, reset))
	leave := func(_ *simtest.Bank, leave context.CancelFunc) { leave() }
	describe("a client that gives up during a delay", duringDelay(t, leave))

	for _, e := range golden(t) {
		switch e.Name {
		case "groups.create/501-strict", "alerts.createPreference/415-public-text", "unknown/403-cors-preflight":
			b, _ := simtest.GoldenBank(t, e)
			describe(e.Name, explain(t, b, b.SendGolden(e.Request).Header.Get("Banksim-Exchange")))
		}
	}

	compare(t, "testdata/situations.txt", all.String())
}

// duringDelay returns the explanation of a request that something happens to while a fault delays it.
func duringDelay(t *testing.T, happen func(*simtest.Bank, context.CancelFunc)) explanation.Explanation {
	t.Helper()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: slow, then: {delay: 400ms}}\n"))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = b.Try(b.Request("GET", b.BaseURL()+groupsPath, "", "transactionId: t-1").WithContext(ctx))
	}()
	b.AwaitFired(1)
	happen(b, leave)
	<-answered
	require.NoError(t, b.Journal().Wait(t.Context(), 0))
	return newest(t, b)
}

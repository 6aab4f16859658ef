package bankapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// What a fault defines replaces what is documented, and an answer that is not documented is marked. A header replaces
// the bank's own, in every spelling and however the answer is delivered; others are sent as they are spelled.
func TestFaultDefinesItsAnswer(t *testing.T) {
	t.Parallel()
	const documented = `{"code":"2001","message":"an unexpected fault occurred inside the service"}`
	const others = "headers: {content-TYPE: text/html, x-Node: [a, b]}"
	for then, test := range map[string]struct {
		status       int
		body         string
		undocumented bool
	}{
		`status: 500, error: {message: out of order}`: {500, `{"code":"2001","message":"out of order"}`,
			false},
		`status: 503, error: {code: X, message: closed}`:                {503, `{"code":"X","message":"closed"}`, true},
		`status: 502, body: "<html>"`:                                   {502, `<html>`, true},
		`status: 200, body: ""`:                                         {200, ``, false},
		`status: 500`:                                                   {500, documented, false},
		`status: 500, connection: {truncate: 3}`:                        {500, `{"c`, false},
		`status: 500, connection: {dribble: {bytes: 9999, every: 1ms}}`: {500, documented, false},
	} {
		faults := "- {name: f, operation: groups.list, then: {" + then + ", " + others + "}}\n"
		b := simtest.NewBank(t, simtest.WithFaults(faults))
		request := raw(listGroups.With("Connection", "close"), "/sandboxes/"+b.Sandbox.Name())
		head, body, _ := strings.Cut(exchangeBytes(t, b, request), "\r\n\r\n")
		assert.Contains(t, head, fmt.Sprint("HTTP/1.1 ", test.status), then)
		assert.Equal(t, test.body, strings.TrimSpace(body), then)
		assert.Equal(t, []string{"Content-Type: text/html"},
			regexp.MustCompile(`(?im)^content-type: [^\r]*`).FindAllString(head, -1), then)
		assert.Contains(t, head, "\r\nx-Node: a\r\nx-Node: b", then)
		assert.Equal(t, []string{"text/html"}, b.Last().Response.Headers.Values()["Content-Type"], "in the journal")
		assert.Equal(t, test.undocumented, b.Last().Fault.Undocumented, then)
	}
}

// exchangeBytes sends a request as it is and returns the whole answer.
func exchangeBytes(t *testing.T, b *simtest.Bank, request string) string {
	t.Helper()
	received, err := io.ReadAll(b.Dial(request))
	require.NoError(t, err)
	return string(received)
}

// A status alone brings the error body of the operation's family, in the shape, with the code and with the challenge
// that the contract says, whichever way the fault is asked for; and nothing is carried out.
func TestInjectedStatuses(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	before := b.World()
	every := simtest.Times(20, 1) // of the statuses that the operation doesn't list
	for i, op := range contract.Document().Operations {
		for status := 400; status <= 599; status++ {
			if !op.Lists(status) && (status+i)%every != 0 {
				continue
			}
			res := simtest.Calls[op.Name].With("Banksim-Fault", fmt.Sprintf("status=%d", status)).Send(b)
			want := op.Family.Injection(status)
			require.Equal(t, status, res.StatusCode, op.Name)
			require.Equal(t, string(op.Family.Error(status, want.Code, want.Message)), res.Body, op.Name)
			require.Equal(t, status == 401, res.Header.Get("WWW-Authenticate") != "", op.Name)
			require.Equal(t, !op.Lists(status), b.Last().Fault.Undocumented, "%s %d", op.Name, status)
		}
	}
	assert.True(t, before.Equal(b.World()))
}

// A code that the family has comes with its message, its challenge and the entry that it rests on. A code that the
// operation doesn't have with a status of its own is refused.
func TestInjectedCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op                       *contract.Operation
		status                   int
		code, message, challenge string
		entry                    *contract.Entry
	}{
		{contract.EstatementsGetDisclosures, 401, "UXESTMT_10004", "the access token has expired",
			`Bearer realm="banksim", error="invalid_token"`, contract.EstatementsBearerFailure},
		{contract.GroupsCreate, 400, "2004", "a group of this name exists", "", contract.GroupsCreateDuplicateName},
		{contract.TokensIssue, 401, "CMN_90001", "the client may not use the resource",
			`Basic realm="banksim", charset="UTF-8"`, contract.EverywhereOtherCodes},
		{contract.GroupsList, 503, "SOMETHING", "service unavailable", "", contract.EverywhereFaults},
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		b.ControlSandbox(201, "POST /faults", fmt.Sprintf(`{"operation":%q,"then":{"status":%d,"error":{"code":%q}}}`,
			test.op.Name, test.status, test.code))
		res := simtest.Calls[test.op.Name].Expect(b, test.status, test.code)
		assert.Equal(t, string(test.op.Family.Error(test.status, test.code, test.message)), res.Body)
		assert.Equal(t, test.challenge, res.Header.Get("WWW-Authenticate"), test.code)
		assert.Equal(t, test.entry.ID, b.Last().Decision.Entries[0], test.code)
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for rule, want := range map[string]string{
		`{"operation":"groups.list","then":{"status":500,"error":{"code":"UXESTMT_10004"}}}`: "groups.list has no code " +
			`\"UXESTMT_10004\" with status 500, only \"2001\", \"CMN_90001\", \"CMN_90002\": for another answer write body`,
		`{"operation":"groups.*","then":{"status":400,"error":{"code":"2004"}}}`: `groups.list has no code \"2004\"`,
		`{"then":{"status":401,"error":{"code":"2003"}}}`:                        `estatements.getDisclosures has no code`,
	} {
		assert.Contains(t, b.ControlSandbox(422, "POST /faults", rule).Body, want)
	}
}

// A scenario's text for a code stands in every answer with it: in the bank's own refusals, in injected ones and in both
// members of a revocation's error. The journal says as before why the bank refused. A message of the fault's own wins.
func TestMessagesOfAScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+
		"behavior: {faultHeader: true, messages: {\"2004\": \"Taken: <try> again\", CMN_90004: \"Who are you?\"}}\n")
	const taken = `{"code":"2004","message":"Taken: <try> again"}`
	ask := func(header string) string { return createGroup.With("Banksim-Fault", header).Send(b).Body }
	createGroup.Expect(b, 200)
	assert.Equal(t, taken, createGroup.Send(b).Body)
	assert.Equal(t, `a group named "Night owls" exists`, b.Last().Decision.Message)
	assert.Equal(t, taken, ask("status=400; code=2004"))
	assert.Contains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	assert.Equal(t, `{"code":"2004","message":"mine"}`, ask("status=400; code=2004; message=mine"))
	assert.NotContains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	revoked := revokeTokens.With("Authorization", simtest.BasicWrong).Send(b).Body
	assert.Equal(t, 2, strings.Count(revoked, "Who are you?"), revoked)
}

// A request can ask for a fault by a header if the scenario allows it.
func TestFaultHeader(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: own, operation: groups.list, then: {status: 401}}\nbehavior: {faultHeader: true}\n"))
	ask := func(call simtest.Call, header string) simtest.Answer {
		return call.With("Banksim-Fault", header).Send(b)
	}
	assert.Equal(t, 500, ask(listGroups, "status=500").StatusCode, "it comes before the scenario's")
	assert.Equal(t, []string{"Banksim-Fault", "own"}, b.Last().Fault.Fired)
	assert.Equal(t, `{"code":"LIMIT","message":"slow down"}`,
		ask(createGroup, " status = 429 ;code=LIMIT; message=slow down; delay=1ms;").Body)
	for header, message := range map[string]string{
		"statsu=500":             `unknown key "statsu": did you mean "status"?`,
		" ; ":                    "then says nothing: add status, headers, delay, connection, expireToken or stale",
		"status=500; status=401": `duplicate key "status", first on line 1: remove one of them`,
		"forward=http://other.example": "forward goes with a path that the interface doesn't have: " +
			"add path, or remove forward",
	} {
		assert.Equal(t, `{"code":"BANKSIM_FAULT_HEADER","message":`+simtest.JSON("header Banksim-Fault: "+message)+"}",
			ask(listGroups, header).Body)
	}
	off := simtest.NewBank(t, simtest.FrozenRetail)
	listGroups.With("Banksim-Fault", "statsu=500").Expect(off, 200)
	assert.Equal(t, []string{"fault-header-ignored"}, lints(off.Last()))
}

// After a lost answer the group exists once, the caller does not know it, and a retry meets the bank's own refusal.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: lost, operation: groups.create, when: {first: 1}, phase: after, then: {connection: close}}\n"))
	_, err := createGroup.Try(b)
	require.ErrorIs(t, err, io.EOF)
	x := b.Last()
	assert.Equal(t, "accepted", x.Decision.Outcome)
	assert.Equal(t, journal.Response{}, x.Response, "nothing was sent")
	assert.Equal(t, &journal.Fault{Fired: []string{"lost"}, AnsweredBy: "lost", Phase: "after", Connection: "close",
		BankStatus: 200},
		x.Fault)
	assert.Equal(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, createGroup.Send(b).Body)
}

// Delays and hangs end with the server and do not hold up its end. The cleanup of the bank fails otherwise.
func TestFaultsEndWithTheServer(t *testing.T) {
	t.Parallel()
	waits := []string{"delay: 4m", "connection: {hang: 4m}", "connection: {dribble: {bytes: 1, every: 1m}}"}
	for _, then := range waits {
		t.Run(then, func(t *testing.T) {
			t.Parallel()
			var waiting sync.WaitGroup
			t.Cleanup(waiting.Wait)
			b := simtest.StartScenario(t, simtest.WithFaults("- {then: {"+then+"}}\n"))
			// An answer may arrive after the registry is closed: then there is no sandbox whose contract it could be
			// checked against.
			unchecked := &http.Transport{}
			t.Cleanup(unchecked.CloseIdleConnections)
			b.Client = &http.Client{Transport: unchecked, Timeout: simtest.Patience}
			for range 8 {
				waiting.Go(func() {
					res, err := listGroups.Try(b)
					assert.True(t, err != nil || res.StatusCode == 200, "%v", err)
				})
			}
			b.AwaitFired(8)
		})
	}
}

// A fault lets an access token expire for good: the operation refuses that request and the next one, until the app has
// refreshed. An alert operation takes the token without the word Bearer, too.
func TestFaultExpiresToken(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: aged, operation: groups.*, when: {nth: 1}, then: {expireToken: true}}\n"+
			"- {name: bare, operation: alerts.createPreference, then: {expireToken: true}}\n"))
	list := listGroups.WithToken("demo-token-2")
	for _, by := range []string{"aged", ""} {
		assert.Equal(t, `{"code":"2003","message":"the access token has expired"}`, list.Send(b).Body)
		assert.Equal(t, by != "", b.Last().Fault != nil && b.Last().Fault.ExpiredBy == by)
	}
	listGroups.WithToken("demo-token").Expect(b, 200, "the token of another grant")
	refresh := issueTokens.WithForm("grant_type=refresh_token&refresh_token=demo-refresh")
	tokens := simtest.Decode[map[string]string](t, refresh.Send(b))
	list.WithToken(tokens["access_token"]).Expect(b, 200)

	createAlert.With("authorization", "avery-token").Expect(b, 401)
	assert.Equal(t, "bare", b.Last().Fault.ExpiredBy)
}

// A window of time opens and closes by the virtual clock.
func TestFaultDuring(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: f, operation: groups.list, when: {during: {from: 1m, for: 5m}}, then: {status: 500}}\n"))
	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{59 * time.Second, 200}, {time.Second, 500}, {5*time.Minute - 1, 500}, {1, 200}} {
		b.Advance(step.advance)
		assert.Equal(t, step.status, listGroups.Send(b).StatusCode, "after another %s", step.advance)
	}
}

// Hours of each day are those of a zone, also after its clocks were set forward. They may go over midnight.
func TestFaultDaily(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {operation: groups.list, when: {during: {daily: '09:00-17:00', zone: Europe/Berlin}}, then: {status: 500}}\n"+
			"- {operation: jobs.list, when: {during: {daily: '22:00-06:00'}}, then: {status: 500}}\n"))
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		at           string
		groups, jobs int
	}{
		{"01-15 09:00:00", 500, 200}, {"01-15 15:59:59", 500, 200}, {"01-15 16:00:00", 200, 200},
		{"01-15 22:00:00", 200, 500}, {"01-16 05:59:59", 200, 500}, {"01-16 06:00:00", 200, 200},
		{"03-28 07:59:59", 200, 200}, {"03-28 08:00:00", 500, 200},
		{"03-29 06:59:59", 200, 200}, {"03-29 07:00:00", 500, 200}, // in summer time
	} {
		at, err := time.Parse("2006-01-02 15:04:05", "2026-"+step.at)
		require.NoError(t, err)
		b.Advance(at.Sub(now))
		now = at
		listGroups.Expect(b, step.groups, step.at)
		simtest.Calls["jobs.list"].Expect(b, step.jobs, step.at)
	}
}

// A delay ends when the caller disconnects, with a large body as well: it needs no room then. The operation is not
// carried out. That is no failure of a store.
func TestDelayEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	file, err := store.OpenFile(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	scenario := simtest.Scenario(t, simtest.WithFaults("- {name: slow, operation: groups.create, then: {delay: 4m}}\n"))
	sandboxes, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: scenario}, file)
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Sandboxes: sandboxes})
	before := b.World()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Try(largeGroup(1).Request(b).WithContext(ctx))
		ended <- err
	}()
	b.AwaitFired(1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	x := b.Exchanges(journal.Query{})[0]
	assert.Equal(t, []any{0, "faulted", "the client disconnected during the delay: nothing was carried out"},
		[]any{x.Response.Status, x.Decision.Outcome, x.Decision.Message})
	assert.Equal(t, (4 * time.Minute).Microseconds(), x.Fault.DelayMicros)
	assert.True(t, before.Equal(b.World()))
	assert.NotContains(t, b.Control(200, "GET /readyz", "").Body, "could not be stored")
}

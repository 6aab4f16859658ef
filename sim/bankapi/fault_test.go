package bankapi_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What a fault defines replaces what is documented, and an answer that is not documented is marked.
func TestFaultDefinesItsAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		then         string
		status       int
		body         string
		headers      map[string]string
		undocumented bool
	}{
		"message":      {`{status: 500, error: {message: out of order}}`, 500, `{"code":"2001","message":"out of order"}`, nil, false},
		"undocumented": {`{status: 503, error: {code: X, message: closed}}`, 503, `{"code":"X","message":"closed"}`, nil, true},
		"raw body": {`{status: 502, body: "<html>", headers: {Content-Type: text/html}}`, 502, `<html>`,
			map[string]string{"Content-Type": "text/html"}, true},
		"success, empty": {`{status: 200, body: ""}`, 200, ``, nil, false},
		"headers": {`{status: 500, headers: {Retry-After: "7", transactionId: other}}`, 500,
			`{"code":"2001","message":"an unexpected fault occurred inside the service"}`, map[string]string{"Retry-After": "7",
				"Transactionid": "other"}, false},
		"headers alone": {`{headers: {X-Node: b}}`, 200, "", map[string]string{"X-Node": "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.WithFaults("- {name: f, operation: groups.list, then: "+test.then+"}\n"))
			res := listGroups.Send(b)
			assert.Equal(t, test.status, res.StatusCode)
			if name == "headers alone" {
				assert.Contains(t, res.Body, `"totalElements":23`, "the operation's own answer")
			} else {
				assert.Equal(t, test.body, res.Body)
			}
			for header, want := range test.headers {
				assert.Equal(t, []string{want}, res.Header.Values(header))
			}
			assert.Equal(t, test.undocumented, b.Last().Fault.Undocumented)
		})
	}
}

// A header with a list of values is sent several times, in place of the bank's own.
func TestFaultSendsHeaderSeveralTimes(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {operation: groups.create, then: {headers: {set-cookie: [a=1, b=2], Content-Type: text/plain}}}\n"))
	answer := createGroup.Send(b)
	assert.Equal(t, []string{"a=1", "b=2"}, answer.Header.Values("Set-Cookie"))
	assert.Equal(t, []string{"text/plain"}, answer.Header.Values("Content-Type"))
}

// After a lost answer the group exists once, the caller does not know it, and a retry meets the bank's own refusal.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.WithFaults("- {name: lost, operation: groups.create, when: {first: 1}, phase: after, then: {connection: close}}\n"))
	_, err := createGroup.Try(b)
	require.ErrorIs(t, err, io.EOF)
	x := b.Last()
	assert.Equal(t, "accepted", x.Decision.Outcome)
	assert.Equal(t, journal.Response{Headers: journal.Header{}}, x.Response, "nothing was sent")
	assert.Equal(t, &journal.Fault{Fired: []string{"lost"}, AnsweredBy: "lost", Phase: "after", Connection: "close", BankStatus: 200},
		x.Fault)

	retry := createGroup.Send(b)
	assert.Equal(t, 400, retry.StatusCode)
	assert.JSONEq(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, retry.Body)
	assert.Contains(t, listGroups.WithQuery("size=100").Send(b).Body, `"totalElements":24`)
}

// A delay ends when the caller disconnects: the operation is not carried out.
func TestDelayEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: slow, operation: groups.create, then: {delay: 4m}}\n"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Try(createGroup.Request(b).WithContext(ctx))
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.Sandbox.Known().Faults.Counts()[0].Fired == 1 }, simtest.Patience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Eventually(t, func() bool { return b.Journal().Last() == 1 }, simtest.Patience, time.Millisecond)
	x := b.Last()
	assert.Equal(t, 0, x.Response.Status)
	assert.Equal(t, "faulted", x.Decision.Outcome)
	assert.Equal(t, "the client disconnected during the delay: nothing was carried out", x.Decision.Message)
	assert.Equal(t, (4 * time.Minute).Microseconds(), x.Fault.DelayMicros)
	assert.Contains(t, listGroups.Send(b).Body, `"totalElements":23`)
}

// Delays and hangs end with the server and do not hold up its end. The cleanup of the bank fails otherwise.
func TestFaultsEndWithTheServer(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"delay":   "{name: f, then: {delay: 4m}}",
		"hang":    "{name: f, then: {connection: {hang: 4m}}}",
		"dribble": "{name: f, then: {connection: {dribble: {bytes: 1, every: 1m}}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var waiting sync.WaitGroup
			t.Cleanup(waiting.Wait)
			b := simtest.StartScenario(t, simtest.WithFaults("- "+rule+"\n"))
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
			require.Eventually(t, func() bool {
				return b.Sandbox.Known().Faults.Counts()[0].Fired == 8
			}, simtest.Patience, time.Millisecond)
		})
	}
}

// A fault lets an access token expire for good: the operation refuses that request and the next one, until the app has
// refreshed.
func TestFaultExpiresToken(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.WithFaults("- {name: aged, operation: groups.*, when: {nth: 1}, then: {expireToken: true, delay: 1ms}}\n"))
	list := listGroups.WithToken("demo-token-2")
	for range 2 {
		res := list.Send(b)
		assert.Equal(t, 401, res.StatusCode)
		assert.Equal(t, `{"code":"2003","message":"the access token has expired"}`, res.Body)
	}
	exchanges := b.Exchanges(journal.Query{})
	assert.Equal(t, "aged", exchanges[0].Fault.ExpiredBy)
	assert.Nil(t, exchanges[1].Fault, "it has fired once")
	assert.Equal(t, 200, listGroups.WithToken("demo-token").Send(b).StatusCode, "the token of another grant")
	refresh := issueTokens.WithForm("grant_type=refresh_token&refresh_token=demo-refresh")
	tokens := simtest.Decode[map[string]string](t, refresh.Send(b))
	assert.Equal(t, 200, list.WithToken(tokens["access_token"]).Send(b).StatusCode)
}

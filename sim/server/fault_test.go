package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

const faultsURL = defaultURL + "/faults"

// withFaults is frozen retail with fault rules, as YAML.
func withFaults(rules string) string { return frozenRetail + "faults:\n" + rules }

// last returns the newest exchange of the default sandbox's journal.
func (b *bank) last() journal.Exchange {
	b.t.Helper()
	page := b.sandbox.Now().Journal.Page(journal.Query{Limit: 1, Newest: true})
	require.Len(b.t, page.Exchanges, 1)
	return page.Exchanges[0]
}

// try sends a request that may fail.
func (a attempt) try(b *bank) (answer, error) {
	b.t.Helper()
	return b.tryRequest(a.request(b))
}

func (a attempt) request(b *bank) *http.Request {
	b.t.Helper()
	return b.request(a.method, b.server.ServiceURL()+a.path, a.body, a.headers...)
}

func (b *bank) tryRequest(r *http.Request) (answer, error) {
	res, err := b.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	data, err := io.ReadAll(res.Body)
	return answer{res, strings.TrimSpace(string(data))}, errors.Join(err, res.Body.Close())
}

// allOperations is a request that succeeds for each operation.
var allOperations = map[string]attempt{
	"estatements.getDisclosures": getDisclosures, "estatements.updateAccount": updateAccount,
	"estatements.updateUser": updateUser, "tokens.issue": issueTokens, "tokens.revoke": revokeToken,
	"groups.create": createGroup, "groups.list": listGroups, "alerts.createPreference": createAlert,
}

// A status alone brings the documented body: that of a real refusal with this status.
func TestFaultStatusBringsTheDocumentedBody(t *testing.T) {
	bodies := map[string]map[int]string{
		"estatements": {
			400: `{"status":400,"code":"UXESTMT_11010","message":"injected by the fault f"}`,
			401: `{"status":401,"code":"UXESTMT_10002","message":"injected by the fault f"}`,
			403: `{"status":403,"code":"UXESTMT_10003","message":"injected by the fault f"}`,
			404: `{"status":404,"code":"UXESTMT_88888","message":"injected by the fault f"}`,
		},
		"tokens.issue": {
			400: `{"code":"CMN_90011","message":"injected by the fault f"}`,
			401: `{"code":"CMN_90004","message":"injected by the fault f"}`,
			403: `{"code":"CMN_90006","message":"injected by the fault f"}`,
			500: `{"code":"CMN_90000","message":"injected by the fault f"}`,
		},
		"tokens.revoke": {
			400: `{"statusMessage":"injected by the fault f","errorInfo":{"errorType":"USER_ERROR","errorCode":"CMN_90011","errorMessage":"injected by the fault f"}}`,
			401: `{"statusMessage":"injected by the fault f","errorInfo":{"errorType":"USER_ERROR","errorCode":"CMN_90004","errorMessage":"injected by the fault f"}}`,
			500: `{"statusMessage":"injected by the fault f","errorInfo":{"errorType":"SYSTEM_ERROR","errorCode":"CMN_90000","errorMessage":"injected by the fault f"}}`,
		},
		"groups": {
			400: `{"code":"2000","message":"injected by the fault f"}`,
			401: `{"code":"2003","message":"injected by the fault f"}`,
			500: `{"code":"2001","message":"injected by the fault f"}`,
		},
		"alerts": {
			400: `{"code":"PRMSYS_10002","message":"injected by the fault f"}`,
			401: `{"code":"CMN_90001","message":"injected by the fault f"}`,
		},
	}
	challenges := map[string]string{
		"estatements": `Bearer realm="banksim", error="invalid_token"`, "groups": `Bearer realm="banksim", error="invalid_token"`,
		"alerts": `Bearer realm="banksim", error="invalid_token"`, "tokens": `Basic realm="banksim", charset="UTF-8"`,
	}
	for _, op := range contract.Operations {
		require.Contains(t, allOperations, op.Name)
		for _, status := range op.Errors {
			t.Run(fmt.Sprintf("%s %d", op.Name, status), func(t *testing.T) {
				b := startBank(t, withFaults(fmt.Sprintf("- {name: f, operation: %s, then: {status: %d}}\n", op.Name, status)))
				before := b.state()
				res := allOperations[op.Name].send(b)
				family, _, _ := strings.Cut(op.Name, ".")
				want, ok := bodies[op.Name]
				if !ok {
					want = bodies[family]
				}
				assert.Equal(t, status, res.StatusCode)
				assert.Equal(t, want[status], res.body)
				assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
				if status == 401 {
					assert.Equal(t, challenges[family], res.Header.Get("WWW-Authenticate"))
				} else {
					assert.Empty(t, res.Header.Get("WWW-Authenticate"))
				}
				assert.Equal(t, before, b.state(), "nothing was carried out")
				x := b.last()
				assert.Equal(t, "faulted", x.Decision.Outcome)
				assert.Equal(t, "f", x.Decision.Rule)
				assert.Equal(t, &journal.Fault{Fired: []string{"f"}, AnsweredBy: "f", Phase: "before"}, x.Fault)
				assert.Equal(t, status, x.Response.Status)
			})
		}
	}
}

// What a fault says itself goes before what is documented, and an answer that no description has is marked.
func TestFaultSaysItself(t *testing.T) {
	for name, test := range map[string]struct {
		then         string
		status       int
		body         string
		headers      map[string]string
		undocumented bool
	}{
		"code": {`{status: 401, error: {code: "2999"}}`, 401, `{"code":"2999","message":"injected by the fault f"}`,
			map[string]string{"WWW-Authenticate": `Bearer realm="banksim", error="invalid_token"`}, false},
		"message":         {`{status: 500, error: {message: out of order}}`, 500, `{"code":"2001","message":"out of order"}`, nil, false},
		"undocumented":    {`{status: 503, error: {code: X, message: closed}}`, 503, `{"code":"X","message":"closed"}`, nil, true},
		"raw body":        {`{status: 502, body: "<html>", headers: {Content-Type: text/html}}`, 502, `<html>`, map[string]string{"Content-Type": "text/html"}, true},
		"success, empty":  {`{status: 200, body: ""}`, 200, ``, nil, false},
		"headers":         {`{status: 500, headers: {Retry-After: "7", transactionId: other}}`, 500, `{"code":"2001","message":"injected by the fault f"}`, map[string]string{"Retry-After": "7", "Transactionid": "other"}, false},
		"headers, no end": {`{headers: {X-Node: b}}`, 200, "", map[string]string{"X-Node": "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBank(t, withFaults("- {name: f, operation: groups.list, then: "+test.then+"}\n"))
			res := listGroups.send(b)
			assert.Equal(t, test.status, res.StatusCode)
			if name != "headers, no end" {
				assert.Equal(t, test.body, res.body)
			} else {
				assert.Contains(t, res.body, `"totalElements":23`)
			}
			for header, want := range test.headers {
				assert.Equal(t, []string{want}, res.Header.Values(header))
			}
			assert.Equal(t, test.undocumented, b.last().Fault.Undocumented)
		})
	}
}

// The story of a lost answer: the group is there once, nobody was told, and trying again meets the bank's own refusal.
func TestLostAnswer(t *testing.T) {
	b := startBank(t, withFaults("- {name: lost, operation: groups.create, when: {first: 1}, phase: after, then: {connection: close}}\n"))
	_, err := createGroup.try(b)
	require.ErrorIs(t, err, io.EOF)
	x := b.last()
	assert.Equal(t, "accepted", x.Decision.Outcome)
	assert.Equal(t, journal.Response{Headers: journal.Values{}}, x.Response, "nothing was sent")
	assert.Equal(t, &journal.Fault{Fired: []string{"lost"}, AnsweredBy: "lost", Phase: "after", Connection: "close", BankStatus: 200}, x.Fault)

	retry := createGroup.send(b)
	assert.Equal(t, 400, retry.StatusCode)
	assert.JSONEq(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, retry.body)
	assert.Contains(t, listGroups.at(groupsURL+"?size=100").send(b).body, `"totalElements":24`)
}

// After the commit the answer may be replaced as well as lost; the journal has both.
func TestReplacedAnswer(t *testing.T) {
	b := startBank(t, withFaults("- {name: late, operation: groups.create, phase: after, then: {status: 500}}\n"))
	assert.Equal(t, 500, createGroup.send(b).StatusCode)
	x := b.last()
	assert.Equal(t, journal.Decision{Outcome: "accepted", Rule: "groups.create", Basis: "choice", Entries: x.Decision.Entries}, x.Decision)
	assert.Equal(t, 500, x.Response.Status)
	assert.Equal(t, 200, x.Fault.BankStatus)
	assert.Equal(t, 500, createGroup.send(b).StatusCode)
	assert.Equal(t, "group-exists", b.last().Decision.Rule)
	assert.Equal(t, 400, b.last().Fault.BankStatus)
}

// Exactly three of many requests at once, a hundred times over.
func TestFirstThreeUnderManyClients(t *testing.T) {
	b := startBank(t, frozenRetail)
	for round := range 100 {
		name := fmt.Sprintf("round-%d", round)
		b.call(201, "POST "+faultsURL, fmt.Sprintf(`{"name":%q,"operation":"groups.list","when":{"first":3},"then":{"status":500}}`, name))
		var failed atomic.Int64
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				res, err := listGroups.try(b)
				if assert.NoError(t, err) && res.StatusCode == 500 {
					failed.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 3, failed.Load())
		counts := b.call(200, "GET "+faultsURL, "").body
		require.Contains(t, counts, `"matched":64,"fired":3`)
		b.call(204, "DELETE "+faultsURL+"/"+name, "")
	}
}

// A fault is of one sandbox: others, and the control API, never see it.
func TestFaultsAreOfOneSandbox(t *testing.T) {
	b := startBank(t, frozenRetail)
	for _, name := range []string{"faulty", "sound"} {
		b.call(201, "POST "+sandboxesURL, fmt.Sprintf(`{"name":%q}`, name))
	}
	b.call(201, "POST "+sandboxesURL+"/faulty/faults", `[{"then":{"connection":"reset"}},{"then":{"delay":"1ms"}}]`)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for operation, a := range allOperations {
				_, err := a.in("faulty").try(b)
				assert.Error(t, err, operation)
				for _, sandbox := range []string{"sound", "default"} {
					a := a
					if sandbox != "default" {
						a = a.in(sandbox)
					}
					res, err := a.try(b)
					if assert.NoError(t, err, operation) {
						assert.Less(t, res.StatusCode, 500, operation)
					}
				}
			}
			res, err := b.tryRequest(b.request(http.MethodGet, b.server.ControlURL()+"/healthz", ""))
			if assert.NoError(t, err) {
				assert.Equal(t, 200, res.StatusCode)
			}
		})
	}
	all.Wait()
	for _, sandbox := range []string{"sound", "default"} {
		sb, _ := b.sandboxes.Get(sandbox)
		for _, x := range sb.Now().Journal.Page(journal.Query{}).Exchanges {
			assert.Nil(t, x.Fault)
		}
		assert.JSONEq(t, `{"faults":[]}`, b.call(200, "GET "+sandboxesURL+"/"+sandbox+"/faults", "").body)
	}
	faulty, _ := b.sandboxes.Get("faulty")
	for _, counted := range faulty.Faults().Counts() { // more than were sent: Go's client tries some again
		assert.Equal(t, faulty.Now().Journal.Last(), counted.Matched)
		assert.Equal(t, counted.Matched, counted.Fired)
		assert.GreaterOrEqual(t, counted.Fired, uint64(16*len(allOperations)))
	}
	fork := decode[sandboxInfo](t, b.call(201, "POST "+sandboxesURL+"/faulty/fork", `{}`))
	assert.JSONEq(t, `{"faults":[]}`, b.call(200, "GET "+sandboxesURL+"/"+fork.Name+"/faults", "").body, "a fork has the scenario's faults")
}

// Windows of time are the virtual clock's.
func TestFaultDuring(t *testing.T) {
	b := startBank(t, withFaults("- {name: f, operation: groups.list, when: {during: {from: 1m, for: 5m}}, then: {status: 500}}\n"))
	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{0, 200}, {59 * time.Second, 200}, {time.Second, 500}, {5*time.Minute - 1, 500}, {1, 200}} {
		b.advance(step.advance)
		assert.Equal(t, step.status, listGroups.send(b).StatusCode, "after another %s", step.advance)
	}
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Equal(t, 200, listGroups.send(b).StatusCode)
	b.advance(2 * time.Minute)
	assert.Equal(t, 500, listGroups.send(b).StatusCode)
}

// Conditions see what the service sees: institution and user by token, header or parameter, and the body.
func TestFaultConditions(t *testing.T) {
	for name, test := range map[string]struct {
		request string
		fires   []attempt
		not     []attempt
	}{
		"institution": {`{institutionId: "05523"}`,
			[]attempt{listGroups.with("authorization", "Bearer second-token"), listGroups.with("institutionId", "05523"), createAlert.with("authorization", "Bearer second-token"), createAlert.without("authorization").with("fiid", "05523")},
			[]attempt{listGroups, listGroups.with("authorization", "Bearer demo-token"), createAlert, revokeToken}},
		"user": {`{hostUserId: "1001"}`,
			[]attempt{getDisclosures, updateUser, createAlert, listGroups.with("authorization", "Bearer avery-token")},
			[]attempt{updateUser.at(allURL + "1004"), createAlert.with("userid", "1004"), listGroups}},
		"body": {`{body: {groupName: "~owl", groupDescription: null}}`,
			[]attempt{createGroup.saying(`{"groupName":"Night owls"}`)},
			[]attempt{createGroup, createGroup.saying(`{"groupName":"Day birds"}`), listGroups, createGroup.saying(`{"groupName":`)}},
		"form": {`{body: {grant_type: client_credentials}}`,
			[]attempt{issueTokens.with("Content-Type", "application/x-www-form-urlencoded").saying("grant_type=client_credentials")},
			[]attempt{issueTokens}},
		"header and query": {`{header: {X-Test: "~^b", X-Other: null}, query: {size: "5"}}`,
			[]attempt{listGroups.at(groupsURL+"?size=5").with("x-test", "boom")},
			[]attempt{listGroups.at(groupsURL + "?size=5"), listGroups.at(groupsURL+"?size=6").with("x-test", "boom"),
				listGroups.at(groupsURL+"?size=5").with("x-test", "boom").with("x-other", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBank(t, withFaults("- {name: f, when: {request: "+test.request+"}, then: {status: 418, body: x}}\n"))
			for i, a := range test.fires {
				assert.Equal(t, 418, a.send(b).StatusCode, "request %d", i)
			}
			for i, a := range test.not {
				assert.NotEqual(t, 418, a.send(b).StatusCode, "request %d", i)
			}
		})
	}
}

// A delay ends with the caller: what was still to be carried out isn't.
func TestDelayEndsWithTheCaller(t *testing.T) {
	b := startBank(t, withFaults("- {name: slow, operation: groups.create, then: {delay: 4m}}\n"))
	client := *b.client
	client.Timeout = 20 * time.Millisecond
	_, err := client.Do(createGroup.request(b))
	require.Error(t, err)
	require.Eventually(t, func() bool { return b.sandbox.Now().Journal.Last() == 1 }, 10*time.Second, time.Millisecond)
	x := b.last()
	assert.Equal(t, 0, x.Response.Status)
	assert.Equal(t, "faulted", x.Decision.Outcome)
	assert.Equal(t, "the client disconnected during the delay: nothing was carried out", x.Decision.Message)
	assert.Equal(t, (4 * time.Minute).Microseconds(), x.Fault.DelayMicros)
	assert.Contains(t, listGroups.send(b).body, `"totalElements":23`)
}

// Delays and hangs end with the server, whose end they don't hold up. The Cleanup of startBank fails otherwise.
func TestFaultsEndWithTheServer(t *testing.T) {
	for name, rule := range map[string]string{
		"delay":   "{name: f, then: {delay: 4m}}",
		"hang":    "{name: f, then: {connection: {hang: 4m}}}",
		"dribble": "{name: f, then: {connection: {dribble: {bytes: 1, every: 1m}}}}",
	} {
		t.Run(name, func(t *testing.T) {
			var waiting sync.WaitGroup
			t.Cleanup(waiting.Wait)
			b := startBank(t, withFaults("- "+rule+"\n"))
			for range 8 {
				waiting.Go(func() {
					res, err := listGroups.try(b)
					assert.True(t, err != nil || res.StatusCode == 200, "%v", err)
				})
			}
			require.Eventually(t, func() bool {
				return b.call(200, "GET "+faultsURL, "").body != "" && b.sandbox.Faults().Counts()[0].Fired == 8
			}, 10*time.Second, time.Millisecond)
		})
	}
}

package bankapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A window of time opens and closes by the virtual clock.
func TestFaultDuring(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: f, operation: groups.list, when: {during: {from: 1m, for: 5m}}, then: {status: 500}}\n"))
	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{0, 200}, {59 * time.Second, 200}, {time.Second, 500}, {5*time.Minute - 1, 500}, {1, 200}} {
		b.Advance(step.advance)
		assert.Equal(t, step.status, listGroups.Send(b).StatusCode, "after another %s", step.advance)
	}
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	b.Advance(2 * time.Minute)
	assert.Equal(t, 500, listGroups.Send(b).StatusCode)
}

// onUser is a request that reads something of a user.
func onUser(path string) simtest.Call { return getDisclosures.At(path).WithToken("demo-token") }

// Conditions see what the bank API sees: institution and user by token, header or parameter, and the body.
func TestFaultConditions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request string
		fires   []simtest.Call
		not     []simtest.Call
	}{
		"institution": {`{institutionId: "05523"}`,
			[]simtest.Call{listGroups.WithToken("second-token"), listGroups.With("institutionId", "05523"), createAlert.WithToken("second-token"), createAlert.Without("authorization").With("fiid", "05523")},
			[]simtest.Call{listGroups, listGroups.WithToken("demo-token"), createAlert, revokeTokens}},
		"user": {`{hostUserId: "1001"}`,
			[]simtest.Call{getDisclosures, updateUser, createAlert, listGroups.WithToken("avery-token")},
			[]simtest.Call{updateUser.At(simtest.UpdateUserPath + "1004"), createAlert.With("userid", "1004"), listGroups}},
		"user by another name": {`{hostUserId: "1001"}`,
			[]simtest.Call{
				onUser("/v1/e-statements/acc-1001-checking/disclosures?loginId=avery"), onUser("/v1/e-statements/acc-1001-checking/disclosures").WithToken("avery-token"),
				onUser("/digitalbanking/db-disclosures/v1/institution-user-disclosures?loginId=avery"),
				onUser("/v1/user-status/avery?userIdType=LOGIN_ID"), onUser("/v1/user-status/1001?userIdType=HOST_USER_ID"),
				onUser("/v1/user-status/E013E3BD0440D18C8638BBB61BED7FF7?userIdType=INSTITUTION_USER_ID"),
			},
			[]simtest.Call{
				onUser("/v1/e-statements/acc-1001-checking/disclosures?loginId=nobody"), onUser("/v1/e-statements/acc-1001-checking/disclosures"),
				onUser("/v1/user-status/blake?userIdType=LOGIN_ID"), onUser("/v1/user-status/1001?userIdType=CUSTOMER_ID"), onUser("/v1/user-status/1001?userIdType=7"),
				onUser("/v3/groups?loginId=avery"),
			}},
		"body": {`{body: {groupName: "~owl", groupDescription: null}}`,
			[]simtest.Call{createGroup.WithBody(`{"groupName":"Night owls"}`)},
			[]simtest.Call{createGroup, createGroup.WithBody(`{"groupName":"Day birds"}`), listGroups, createGroup.WithBody(`{"groupName":`)}},
		"form": {`{body: {grant_type: client_credentials}}`,
			[]simtest.Call{issueTokens.WithForm("grant_type=client_credentials")},
			[]simtest.Call{issueTokens}},
		"header and query": {`{header: {X-Test: "~^b", X-Other: null}, query: {size: "5"}}`,
			[]simtest.Call{listGroups.WithQuery("size=5").With("x-test", "boom")},
			[]simtest.Call{listGroups.WithQuery("size=5"), listGroups.WithQuery("size=6").With("x-test", "boom"),
				listGroups.WithQuery("size=5").With("x-test", "boom").With("x-other", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.WithFaults("- {name: f, when: {request: "+test.request+"}, then: {status: 418, body: x}}\n"))
			for i, a := range test.fires {
				assert.Equal(t, 418, a.Send(b).StatusCode, "request %d", i)
			}
			for i, a := range test.not {
				assert.NotEqual(t, 418, a.Send(b).StatusCode, "request %d", i)
			}
		})
	}
}

// A window of times opens and closes when the sandbox's clock shows them, wherever the clock was started or is set to.
func TestFaultDuringTimes(t *testing.T) {
	t.Parallel()
	const rule = `{"name":"f","operation":"groups.list","when":{"during":{"from":"2026-01-15T09:30:00Z","until":"2026-01-15T11:00:00+01:00"}},"then":{"status":500}}`
	asked := simtest.NewBank(t, simtest.FrozenRetail)
	asked.ControlSandbox(201, "POST /faults", rule)
	for name, b := range map[string]*simtest.Bank{"scenario": simtest.NewBank(t, simtest.WithFaults("- "+rule+"\n")), "control API": asked} {
		assert.JSONEq(t, `{"faults":[`+strings.TrimSuffix(rule, "}")+`,"matched":0,"fired":0}]}`, b.ControlSandbox(200, "GET /faults", "").Body, "shown as given")
		for _, step := range []struct {
			now    string
			status int
		}{
			{"2026-01-15T09:29:59Z", 200}, {"2026-01-15T09:30:00Z", 500}, {"2026-01-15T09:59:59.999Z", 500}, {"2026-01-15T10:00:00Z", 200},
			{"2026-01-15T09:45:00Z", 500}, {"2027-01-15T09:45:00Z", 200},
		} {
			b.ControlSandbox(200, "POST /clock", fmt.Sprintf(`{"set":%q}`, step.now))
			assert.Equal(t, step.status, listGroups.Send(b).StatusCode, "%s: at %s", name, step.now)
		}
	}
	b := simtest.NewBank(t, simtest.WithFaults("- {operation: groups.list, when: {during: {from: 1m, until: 3m}}, then: {status: 500}}\n"))
	for _, status := range []int{200, 500, 500, 200} {
		assert.Equal(t, status, listGroups.Send(b).StatusCode)
		b.Advance(time.Minute)
	}
}

// A rule can be for several operations and families. It counts their requests together, and is shown as it was given.
func TestFaultOfSeveralOperations(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: written, operation: [groups.create, tokens.*], when: {first: 2}, then: {status: 401}}\n"))
	b.ControlSandbox(201, "POST /faults", `[{"name":"added","operation":["alerts.createPreference"],"then":{"status":403}},{"name":"one","operation":"groups.list","then":{"headers":{"Retry-After":"1"}}}]`)
	assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	assert.Equal(t, 401, issueTokens.Send(b).StatusCode)
	assert.Equal(t, 401, createGroup.Send(b).StatusCode)
	assert.Equal(t, 200, revokeTokens.Send(b).StatusCode)
	assert.Equal(t, 403, createAlert.Send(b).StatusCode)
	assert.Equal(t, 204, updateUser.Send(b).StatusCode)
	assert.JSONEq(t, `{"faults":[
		{"name":"written","operation":["groups.create","tokens.*"],"when":{"first":2},"then":{"status":401},"matched":3,"fired":2},
		{"name":"added","operation":["alerts.createPreference"],"then":{"status":403},"matched":1,"fired":1},
		{"name":"one","operation":"groups.list","then":{"headers":{"Retry-After":"1"}},"matched":1,"fired":1}]}`, b.ControlSandbox(200, "GET /faults", "").Body)

	before := b.ControlSandbox(200, "GET /faults", "").Body
	refused := b.ControlSandbox(422, "POST /faults", `[{"then":{"delay":"1s"}},{"operation":["groups.list","groups.lst","groups.list"],"then":{"status":500}}]`).Body
	assert.Contains(t, refused, `"line":1,"column":54,"message":"unknown operation \"groups.lst\": did you mean \"groups.list\"?"`)
	assert.Contains(t, refused, `"line":1,"column":67,"message":"operation \"groups.list\" is listed twice: remove one of them"`)
	assert.Equal(t, before, b.ControlSandbox(200, "GET /faults", "").Body, "nothing was added")
}

// A delay given by percentiles is drawn as the lognormal distribution that has them, and shown as it was given.
func TestFaultPercentiles(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"name":"f","operation":"groups.list","then":{"delay":{"p50":"1ms","p95":"2ms"}}}`)
	assert.JSONEq(t, `{"faults":[{"name":"f","operation":"groups.list","then":{"delay":{"p50":"1ms","p95":"2ms"}},"matched":0,"fired":0}]}`,
		b.ControlSandbox(200, "GET /faults", "").Body)
	var drawn []int64
	for range 20 {
		assert.Equal(t, 200, listGroups.Send(b).StatusCode)
		drawn = append(drawn, b.Last().Fault.DelayMicros)
	}
	slices.Sort(drawn)
	assert.InDelta(t, 1000, drawn[10], 400)
	assert.Greater(t, drawn[19], drawn[0])
}

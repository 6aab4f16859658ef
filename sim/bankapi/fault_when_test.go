package bankapi_test

import (
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

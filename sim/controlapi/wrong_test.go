package controlapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// An expectation that no request can fulfil is refused: it would hold whatever the requests were.
func TestWrongExpectations(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	empty := b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.list","exactly":0}`).Body
	assert.Contains(t, empty, `"text":"verified: the bank had no request at all\n`)
	simtest.ListGroups.Send(b)
	for expectation, want := range map[string]string{
		`{"operation":""`:                                                            `operation can't be \"\": give it a value, or leave it out`,
		`{"operation":null`:                                                          `operation can't be null: give it a value`,
		`{"operation":"groups.list","status":0`:                                      `status can't be 0: give it a value`,
		`{"operation":"groups.delete","method":"PATCH"`:                              `method is \"PATCH\": groups.delete has \"DELETE\"`,
		`{"path":"/digitalbanking/groups/v3/group"`:                                  `did you mean \"/digitalbanking/groups/v3/groups\"?`,
		`{"body":{"alertOpted":"true"}`:                                              `body.alertOpted is a string, not a boolean`,
		`{"body":{"alertTypeName":"LOW_BALANCE"}`:                                    `did you mean {\"alertPreferenceDetails\": {\"alertTypeName\": …}}?`,
		`{"body":{"alertPreferenceDetails":{"alertTypeName":"LOW_BALANSE"}}`:         `is \"LOW_BALANSE\": did you mean \"LOW_BALANCE\"?`,
		`{"operation":"alerts.listPreferences","query":{"alertTypes":"LOW_BALANSE"}`: `did you mean \"LOW_BALANCE\"?`,
	} {
		assert.Contains(t, b.ControlSandbox(400, "POST /journal/verify", expectation+`,"exactly":0}`).Body, want, expectation)
	}
	b.ControlSandbox(400, "POST /journal/verify", `{"operation":"groups.list","atLeast":0}`)

	const stub = `{"path":"/digitalbanking/groups/v3/group","then":{"status":200,"body":"x"}}`
	b.ControlSandbox(201, "POST /faults", stub)
	b.ControlSandbox(200, "POST /journal/verify", `{"path":"/digitalbanking/groups/v3/group","exactly":0}`)
	forced := simtest.NewBank(t, "extends: retail\nbehavior: {dialect: public}\n")
	assert.Contains(t, forced.ControlSandbox(400, "POST /journal/verify", `{"dialect":"document","exactly":0}`).Body,
		"the bank answers all requests in public")
}

// A fault for requests that there can't be is refused. Nothing is added.
func TestFaultsForNoRequest(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	const details = `"operation":"alerts.createPreference","when":{"request":{"body":{"alertPreferenceDetails":`
	for rule, want := range map[string]string{
		`{"when":{"first":0}`: `first must be at least 1, not 0`,
		`{"when":{"request":{"header":{"transacionId":null}}}`: `"line":1,"column":46,"message":"unknown header \"transacionId\": ` +
			`did you mean \"transactionId\"?"`,
		`{"when":{"request":{"query":{"Size":null}}}`:                                             `did you mean \"size\"?`,
		`{"operation":"groups.*","when":{"request":{"body":{"groupName":5}}}`:                     `body.groupName is a number, not a string`,
		`{"operation":"groups.list","when":{"request":{"body":{"groupName":"x"}}}`:                `leave body out: groups.list has none`,
		`{"operation":"groups.list","when":{"request":{"dialect":"public","query":{"fiid":"1"}}}`: `it is a header`,
		`{` + details + `"LOW_BALANCE"}}}`:                                                        `body.alertPreferenceDetails is a string, not an object`,
		`{` + details + `{"alertTypeName":"LOW_BALANSE"}}}}`:                                      `fault 1: body.alertPreferenceDetails.alertTypeName is \"LOW_BALANSE\": did you`,
		`{"when":{"request":{"institutionId":"0268"}}`:                                            `fault 1: the bank has no institution \"0268\"`,
		`{"when":{"request":{"institutionId":"02688","hostUserId":"9"}}`:                          `fault 1: the bank has no user \"9\"`,
	} {
		for _, method := range []string{"POST", "PUT"} {
			res := b.ControlSandbox(422, method+" /faults", rule+`,"then":{"status":500}}`)
			assert.Contains(t, res.Body, want, rule)
		}
	}
	assert.Equal(t, `{"faults":[]}`, get(b, "/faults"))
	for _, rule := range []string{
		`{"operation":"groups.create","when":{"request":{"body":{"testCase":7,"groupName":"~^x"},"header":{"X-Fiid":null}}}`,
		`{"path":"/v1/own","when":{"request":{"body":{"alertOpted":"true"},"query":{"Size":"1"}}}`,
		`{"when":{"request":{"hostUserId":"1001"}}`, `{"when":{"request":{"institutionId":"~^02","hostUserId":"~^9"}}`,
		`{` + details + `{"alertTypeName":"OTHER"}}}}`,
	} {
		b.ControlSandbox(201, "POST /faults", rule+`,"then":{"status":500,"body":""}}`)
	}
}

package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A body that is encoded, or of another media type than the operation reads, is refused. The answer says what was sent.
func TestMediaThatIsNotRead(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	before := b.World()
	for _, op := range contract.AllOperations() {
		if op.Request == nil {
			continue
		}
		for _, c := range [][3]string{
			{"content-encoding", "gzip",
				`header Content-Encoding is "gzip", and the simulator reads no encoded body: send it as it is`},
			{"content-encoding", "identity, br", `header Content-Encoding is "identity, br"`},
			{"content-type", "text/plain", `, not "text/plain"`},
			{"content-type", "application/xml; charset=latin1", `, not "application/xml; charset=latin1"`},
			{"content-type", "x\"<script>\\", `, not "x\"<script>\\"`},
			{"content-type", "", "header Content-Type must be"},
		} {
			res := exampleCall(op).With(c[0], c[1]).Send(b)
			assert.Contains(t, []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}, res.StatusCode, "%s: %s",
				op.ID, res.Body)
			assert.Contains(t, b.Last().Decision.Message, c[2], op.ID)
		}
	}
	assert.True(t, before.Equal(b.World()))
	createGroup.With("content-encoding", "Identity").Expect(b, 200)
}

// A byte order mark before JSON is ignored, with a lint, also by the conditions of faults and of queries.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {when: {request: {body: {groupName: Owls}}}, then: {headers: {X-Fault: b}}}\n"))
	const mark, body = "\ufeff", `{"groupName":"Owls"}`
	res := createGroup.WithBody(mark + body).Send(b)
	assert.Equal(t, []any{200, "b"}, []any{res.StatusCode, res.Header.Get("X-Fault")})
	assert.Equal(t, []string{"byte-order-mark"}, lints(b.Last()))
	verdict := b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.create","body":`+body+`}`)
	assert.Contains(t, verdict.Body, `"verified":true`)
	createGroup.WithBody(mark+mark+body).Expect(b, 400)
}

// The keys of a client count as they are first, and form-decoded second.
func TestFormEncodedKeys(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`institutions:
- institutionId: "02688"
  clients:
  - {sharedKey: plus, secretKey: "a+b"}
  - {sharedKey: gap, secretKey: "a b"}
  - {sharedKey: escaped, secretKey: "a%2Bb"}
  - {sharedKey: "k/1", secretKey: "ü%"}
`)
	for keys, want := range map[string]string{ // the status, and the lint
		"plus:a+b":        "200 []",
		"pl%75s:a%2bb":    "200 [basic-form-encoded]",
		"plus:a%252Bb":    "401 []", // decoded once
		"plus:a%2Bb%":     "401 []",
		"gap:a+b":         "200 [basic-form-encoded]",
		"escaped:a%2Bb":   "200 []",
		"escaped:a+b":     "401 []",
		"k/1:ü%":          "200 []",
		"k%2F1:%C3%BC%25": "200 [basic-form-encoded]",
		"%00:%00":         "401 []",
	} {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(keys))
		call := issueTokens.WithBody(`{"grant_type":"client_credentials"}`).With("authorization", basic)
		res := call.With("transactionId", keys).Send(b)
		assert.Equal(t, want, fmt.Sprint(res.StatusCode, " ", lints(b.Last())), keys)
	}
}

// An institution whose id lacks leading zeros, or has more of them, is asked for, wherever an operation has it in a
// header.
func TestInstitutionWithoutZeros(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	checked := map[string]int{}
	for _, op := range contract.Document().Operations {
		for _, name := range []string{"fiid", "institutionId"} {
			refusal := func(given string) string { return simtest.Calls[op.Name].With(name, given).Send(b).Body }
			if strings.Contains(refusal("2688"), "; did you mean "+name+" 02688?") {
				assert.Contains(t, refusal("0002688"), "; did you mean "+name+" 02688?", op.Name)
				assert.NotContains(t, refusal("7777"), "did you mean", op.Name)
				checked[name]++
			}
		}
	}
	assert.Equal(t, map[string]int{"fiid": 7, "institutionId": 12}, checked)
}

// A request with the header by which other operations identify requests is told so.
func TestOtherRequestID(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range contract.AllOperations() {
		other := "correlationid"
		if strings.EqualFold(op.Family.RequestID, other) {
			other = "transactionId"
		}
		without := exampleCall(op).Without(op.Family.RequestID)
		hint := "header " + op.Family.RequestID + " is missing; the request has " + other +
			", which is the header of other operations"
		assert.Contains(t, strings.ToLower(without.With(other, "t-1").Send(b).Body), strings.ToLower(hint), op.ID)
		assert.NotContains(t, without.Send(b).Body, "other operations", op.ID)
	}
}

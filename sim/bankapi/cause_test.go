package bankapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// exampleCall returns the call that is the contract's example of an operation in its dialect.
func exampleCall(op *contract.Operation) simtest.Call {
	e := op.Example()
	call := simtest.NewCall(op.Method, e.Path, e.Body)
	if e.JSON != nil {
		call.Body = simtest.JSON(e.JSON)
	}
	for name, value := range e.Headers {
		call.Header.Set(name, value)
	}
	return call
}

// callsWithBody returns a call of each operation that takes a body, in both dialects.
func callsWithBody() map[string]simtest.Call {
	calls := map[string]simtest.Call{}
	for _, op := range contract.AllOperations() {
		if op.Request != nil {
			calls[op.ID] = exampleCall(op)
		}
	}
	return calls
}

// A body that is compressed, or of another media type than the operation reads, is refused. The answer says what was
// sent.
func TestMediaThatIsNotRead(t *testing.T) {
	t.Parallel()
	const hostile = "x\"<script>\\"
	for id, call := range callsWithBody() {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		before := b.State()
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write([]byte(call.Body))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		for name, c := range map[string]struct {
			call simtest.Call
			says string
		}{
			"gzip": {call.WithBody(packed.String()).With("content-encoding", "gzip"),
				`header Content-Encoding is "gzip", and the simulator reads no encoded body: send it as it is`},
			"several encodings": {call.With("content-encoding", "identity, br"),
				`header Content-Encoding is "identity, br"`},
			"other type": {call.With("content-type", "text/plain"), `, not "text/plain"`},
			"other charset": {call.With("content-type", "application/xml; charset=latin1"),
				`, not "application/xml; charset=latin1"`},
			"no type":      {call.Without("content-type"), "header Content-Type must be"},
			"hostile type": {call.With("content-type", hostile), `, not "x\"<script>\\"`},
			"long type": {call.With("content-type", strings.Repeat("y", 5000)),
				`, not "` + strings.Repeat("y", 80) + `…"`},
		} {
			res := c.call.Send(b)
			statuses := []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}
			assert.Contains(t, statuses, res.StatusCode, "%s: %s: %s", id, name, res.Body)
			assert.Contains(t, b.Last().Decision.Message, c.says, "%s: %s", id, name)
		}
		assert.Equal(t, before, b.State(), id)
		res := call.With("content-encoding", "Identity").Send(b)
		assert.Less(t, res.StatusCode, 300, "%s: %s", id, res.Body)
	}
}

// A byte order mark before JSON is ignored, with a lint. It is a part of anything else.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	for id, call := range callsWithBody() {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		res := call.WithBody(mark + call.Body).Send(b)
		x := b.Last()
		if !strings.HasPrefix(call.Header.Get("content-type"), "application/json") {
			assert.Equal(t, http.StatusBadRequest, res.StatusCode, "%s: %s", id, res.Body)
			assert.NotContains(t, lints(x), "byte-order-mark", id)
			continue
		}
		assert.Less(t, res.StatusCode, 300, "%s: %s", id, res.Body)
		assert.Contains(t, lints(x), "byte-order-mark", id)
		assert.Contains(t, x.Decision.Entries, contract.EverywhereByteOrderMark.ID, id)
		res = call.WithBody(mark + mark + call.Body).Send(b)
		assert.Equal(t, http.StatusBadRequest, res.StatusCode, "%s: two marks: %s", id, res.Body)
	}
}

// The conditions of faults and of queries see the JSON behind a byte order mark.
func TestByteOrderMarkInConditions(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: owls, operation: groups.create, when: {request: {body: {groupName: Owls}}}, then: {status: 503}}\n"))
	assert.Equal(t, 503, createGroup.WithBody("\ufeff"+`{"groupName":"Owls","groupDescription":"d"}`).Send(b).StatusCode)
	query := `{"operation":"groups.create","body":{"groupName":"Owls"}}`
	verdict := b.ControlSandbox(200, "POST /journal/verify", query)
	assert.Contains(t, verdict.Body, `"verified":true`)
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
	for keys, c := range map[string]struct {
		status  int
		decoded bool
	}{
		"plus:a+b":         {200, false},
		"plus:a%2Bb":       {200, true},
		"plus:a%2bb":       {200, true},
		"plus:a%252Bb":     {401, false}, // decoded once
		"plus:a b":         {401, false},
		"gap:a b":          {200, false},
		"gap:a+b":          {200, true},
		"gap:a%20b":        {200, true},
		"escaped:a%2Bb":    {200, false},
		"escaped:a%252Bb":  {200, true},
		"escaped:a+b":      {401, false},
		"k/1:ü%":           {200, false},
		"k%2F1:%C3%BC%25":  {200, true},
		"k%2F1:ü%":         {401, false}, // no escape
		"k/1:%C3%BC%25":    {200, true},
		"plus:":            {401, false},
		"%00:%00":          {401, false},
		"nobody%2B:a%2Bb":  {401, false},
		"plus%3Aa%2Bb:":    {401, false},
		"plus:a%2Bb%":      {401, false},
		"pl%75s:a%2Bb":     {200, true},
		"pl%75s:a%2Bb+":    {401, false},
		"escaped:a%252Bb ": {401, false},
	} {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(keys))
		for _, call := range []simtest.Call{
			issueTokens.WithBody(`{"grant_type":"client_credentials"}`),
			revokeTokens.WithBody(`{"refresh_token":"unknown"}`),
		} {
			call = call.With("authorization", basic)
			res := call.Send(b)
			x := b.Last()
			if call.Method == http.MethodPost {
				assert.Equal(t, c.status, res.StatusCode, "%s: %s", keys, res.Body)
			} else {
				isRefused := res.StatusCode == http.StatusUnauthorized
				assert.Equal(t, c.status == http.StatusUnauthorized, isRefused, "%s: %s", keys, res.Body)
			}
			assert.Equal(t, c.decoded, strings.Contains(simtest.JSON(lints(x)), "basic-form-encoded"), keys)
			if res.StatusCode == http.StatusOK {
				cites := strings.Contains(simtest.JSON(x.Decision.Entries), contract.TokensBasicEncoded.ID)
				assert.Equal(t, c.decoded, cites, keys)
			}
		}
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
			call := simtest.Calls[op.Name]
			for _, given := range []string{"2688", "0002688"} {
				res := call.With(name, given).Send(b)
				if res.StatusCode < 300 || !strings.Contains(strings.Join(op.ParameterNames("header"), " "), name) {
					continue
				}
				assert.Contains(t, res.Body, "; did you mean "+name+" 02688?", "%s: %s", op.Name, given)
				checked[name]++
				other := call.With(name, "7777").Send(b)
				assert.NotContains(t, other.Body, "did you mean", op.Name)
			}
		}
	}
	assert.GreaterOrEqual(t, checked["fiid"], 14, checked)
	assert.GreaterOrEqual(t, checked["institutionId"], 20, checked)
}

// A request with the header by which other operations identify requests is told so.
func TestOtherRequestID(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range contract.AllOperations() {
		own, other := op.Family.RequestID, "correlationid"
		if strings.EqualFold(own, other) {
			other = "transactionId"
		}
		missing := "header " + strings.ToLower(own) + " is missing"
		without := exampleCall(op).Without(own)
		hinted := strings.ToLower(without.With(other, "t-1").Send(b).Body)
		hint := "; the request has " + strings.ToLower(other) + ", which is the header of other operations"
		assert.Contains(t, hinted, missing+hint, op.ID)
		plain := strings.ToLower(without.Send(b).Body)
		assert.Contains(t, plain, missing, op.ID)
		assert.NotContains(t, plain, "other operations", op.ID)
	}
}

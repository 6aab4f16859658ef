package bankapi_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Whatever bytes come, a request that net/http can read is answered as the contract says, is journaled, and changes nothing
// unless it is accepted.
func FuzzRequest(f *testing.F) {
	for _, call := range simtest.Hostile() {
		if raw := call.Raw(""); len(raw) < 4096 { // long inputs make fuzzing slow
			f.Add(raw)
		}
	}
	for _, call := range simtest.Calls {
		f.Add(call.Raw(""))
	}
	d := simtest.NewDetached(f, simtest.FrozenRetail)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := simtest.Parse(raw)
		if r == nil || !readable(r) {
			t.Skip("net/http refuses it")
		}
		answered(t, d, r)
	})
}

// Whatever the header asks for, the fault is delivered, or the header is refused and the operation is not carried out.
func FuzzFaultHeader(f *testing.F) {
	for _, value := range []string{"status=500", "status=500; message=\x80", "message=é; status=401; code=\xff",
		"delay=200ms; phase=after; status=429", "connection=reset",
		"connection=truncate; phase=after", "connection=dribble; status=500", "connection=garbage; phase=after", "connection=hang", "connection=malformed; status=500",
		"status=204", "status=304", "status=200; body=x", "delay=9999999h", "status=99999999999999999999", "status=500; status=500", ";;=;", ""} {
		f.Add(value)
	}
	d := simtest.NewDetached(f, "extends: retail\nclock: {run: false}\nbehavior: {faultHeader: true}\n")
	f.Fuzz(func(t *testing.T, value string) {
		r := simtest.Parse(createGroup.Raw(""))
		r.Header.Set(fault.Header, value)
		if !readable(r) {
			t.Skip("net/http refuses it")
		}
		answered(t, d, r)
	})
}

// readable reports whether net/http gives a request with such headers to a handler: it refuses control characters.
func readable(r *http.Request) bool {
	for _, values := range r.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return false
			}
		}
	}
	return true
}

// answered sends a request and requires of its answer what holds for every request.
func answered(t *testing.T, d *simtest.Detached, r *http.Request) {
	t.Helper()
	d = d.Fresh(t, sandbox.Default)
	before, count := d.World(), d.Journal().Last()
	res := d.ServeBank(r)

	if res.Code() == contract.GroupsList.Family.Refusal(contract.SandboxUnknown).Code {
		require.Equal(t, http.StatusNotFound, res.StatusCode)
		return // no journal has it
	}
	require.Equal(t, count+1, d.Journal().Last(), "it is journaled")
	x := d.Last()
	archive := wire.NewStream(io.Discard)
	archive.Value(x)
	journal.WriteHAR(archive, slices.Values([]journal.Exchange{x}), "test")
	require.NoError(t, archive.Err(), "it can be shown")
	require.NotEqual(t, string(contract.InternalFault), x.Decision.Rule, "the simulator failed: %s", res.Body)
	if x.Decision.Outcome != journal.Accepted {
		require.True(t, before.Equal(d.World()), "it changes nothing")
	}
	if x.Fault != nil {
		return // whoever injects a fault decides what it answers
	}
	if x.Decision.Outcome == journal.Refused {
		require.NotEmpty(t, res.Code(), "an error body of the family's: %d %s", res.StatusCode, res.Body)
	}
	require.True(t, res.Body == "" || json.Valid([]byte(res.Body)), "%s", res.Body)
	res.Request = r
	// an empty one is as good as none
	maps.DeleteFunc(r.Header, func(_ string, values []string) bool { return strings.Join(values, "") == "" })
	require.NoError(t, d.Check(r, res.Response, []byte(res.Body)), "%d %s", res.StatusCode, res.Body)
}

package bankapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Whatever bytes come, a request that net/http can read is answered as the contract says, is journaled, and changes
// nothing unless it is accepted.
func FuzzRequest(f *testing.F) {
	for _, call := range append(hostile(), slices.Collect(maps.Values(simtest.Calls))...) {
		f.Add([]byte(raw(call, "")))
	}
	d := simtest.NewDetached(f, simtest.FrozenRetail)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := parse(raw)
		if r == nil || !readable(r) {
			t.Skip("net/http refuses it")
		}
		answered(t, d, r)
	})
}

// Whatever the header asks for, the fault is delivered, or the header is refused and the operation is not carried out.
func FuzzFaultHeader(f *testing.F) {
	for _, value := range []string{
		"status=500", "status=500; message=\x80", "message=é; status=401; code=\xff",
		"status=204", "status=304", "status=200; body=x", "status=99999999999999999999", "status=500; status=500",
		"delay=200ms; phase=after; status=429", "delay=9999999h",
		"connection=reset", "connection=hang", "connection=truncate; phase=after", "connection=garbage; phase=after",
		"connection=dribble; status=500", "connection=malformed; status=500",
		";;=;", "",
	} {
		f.Add(value)
	}
	d := simtest.NewDetached(f, "extends: retail\nclock: {run: false}\nbehavior: {faultHeader: true}\n")
	f.Fuzz(func(t *testing.T, value string) {
		r := parse([]byte(raw(createGroup, "")))
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
	strictjson.MustEncode(x) // it can be shown
	journal.WriteHAR(strictjson.NewWriter(io.Discard), slices.Values([]journal.Exchange{x}), "test")
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
	// an empty one counts as left out
	maps.DeleteFunc(r.Header, func(_ string, values []string) bool { return strings.Join(values, "") == "" })
	require.NoError(t, d.Check(r, res.Response, []byte(res.Body)), "%d %s", res.StatusCode, res.Body)
}

// raw returns a call as a request of HTTP/1.1 in bytes, with a base path. Nothing is
// escaped or checked, so that a call can be one that no client library sends.
func raw(c simtest.Call, basePath string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\nHost: bank.test\r\n", c.Method, basePath, c.Path)
	for name, values := range c.Header {
		for _, value := range values {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	if c.Body != "" && c.Header.Get("Content-Length") == "" && c.Header.Get("Transfer-Encoding") == "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(c.Body))
	}
	b.WriteString("\r\n" + c.Body)
	return b.String()
}

// hostile returns calls that careless programs handle wrongly: broken paths, queries, headers, framing and bodies.
func hostile() (all []simtest.Call) {
	for _, path := range []string{
		"/%80", "/%zz", "/%00", "//", "/..", "*", simtest.GroupsPath + "%80", "/sandboxes/%80", "/sandboxes/default/",
	} {
		all = append(all, createGroup.At(path))
	}
	for _, id := range []string{
		"../../acc-1001-checking", "..\\", "?/", "#", "{accountId}", "%2e%2e", "..;/", ".", "*", "' OR '1'='1", `"`,
		"$(id)", "<script>", "\r\nx: y", "\u202e🙂", "\xff", "null", "1001,1002", "1001\n",
		strings.Repeat("A", 10_000),
	} {
		account := strings.Replace(contract.EstatementsGetDisclosures.Path, "{accountId}", url.PathEscape(id), 1)
		all = append(all, getDisclosures.At(account+"?hostUserId=1001"),
			updateUser.At(simtest.UpdateUserPath+url.QueryEscape(id)))
	}
	for _, query := range []string{"size=99999999999999999999", "page=1e3", "page=%80", "sort=groupName,%00", "sort=;",
		"=&&=", "%zz=1"} {
		all = append(all, listGroups.WithQuery(query))
	}
	for _, value := range []string{"\x80", "\x01", "\x7f", "a\x00b", "é🙂", "Bearer \x80", "Basic =", "Bearer"} {
		all = append(all, getDisclosures.With("authorization", value), createAlert.With("userid", value),
			createGroup.With("transactionId", value))
	}
	for _, framing := range [][2]string{
		{"Content-Length", "5"}, {"Content-Length", "-1"},
		{"Transfer-Encoding", "chunked, identity"}, {"Transfer-Encoding", "\x0bchunked"},
		{"Expect", "100-continue"}, {"Upgrade", "h2c"},
		{"Content-Encoding", "gzip"}, {"Content-Type", "application/json; charset=\x80"},
	} {
		all = append(all, createGroup.With(framing[0], framing[1]))
	}
	for _, body := range []string{
		`{"groupName":"x","groupName":"y"}`, "{\"groupName\":\"\x80\"}", "{\"groupName\":\"a\x01b\"}",
		`{"groupName":"\ud800"}`, `{"groupName":1e999999999}`, `{"activateEstatement":"true"}`,
		`{"alertPreferenceDetails":{"alertPrefId":9223372036854775808}}`,
		"grant_type=password&username=%80&password=%zz", "grant_type=client_credentials&grant_type=password",
		strings.Repeat("[", 2_000), "\ufeff{}", "null", "", "\x00", "{}{}", "[]",
	} {
		all = append(all, createGroup.WithBody(body), updateAccount.WithBody(body), createAlert.WithBody(body),
			issueTokens.WithForm(body))
	}
	return all
}

// parse reads a request of HTTP/1 as a server does. It returns nil if the header is not complete. The body can be read
// again if it is whole.
func parse(raw []byte) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return nil
	}
	r.RemoteAddr = "192.0.2.1:1234"
	body, err := io.ReadAll(r.Body)
	if err != nil {
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
		return r
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}

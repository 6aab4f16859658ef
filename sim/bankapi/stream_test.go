package bankapi_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// overHTTP2 lets the client of a bank speak HTTP/2, on one connection whose reuse it checks.
func overHTTP2(t *testing.T, b *simtest.Bank) *simtest.Bank {
	t.Helper()
	b.OverHTTP2()
	b.Client.Transport = oneConnection{t, b.Client.Transport, new(string)}
	return b
}

// oneConnection is a transport that may have only one connection to the bank.
type oneConnection struct {
	t *testing.T
	http.RoundTripper
	local *string
}

// RoundTrip sends a request.
func (c oneConnection) RoundTrip(r *http.Request) (*http.Response, error) {
	local := ""
	trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { local = i.Conn.LocalAddr().String() }}
	res, err := c.RoundTripper.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if strings.Contains(r.URL.Path, "/digitalbanking/") {
		if *c.local == "" {
			*c.local = local
		}
		assert.Equal(c.t, *c.local, local, "the connection stays")
	}
	if res != nil {
		assert.Equal(c.t, 2, res.ProtoMajor)
	}
	return res, err
}

// A fault of the connection happens to the request alone that it is for. The journal has what was sent.
func TestConnectionFaultsOverHTTP2(t *testing.T) {
	t.Parallel()
	for connection, want := range map[string]struct {
		status int // that the client sees; 0: none
		cut    bool
		made   bool // whether the operation was carried out
	}{
		`"reset"`:         {0, false, false},
		`"close"`:         {0, false, false},
		`{"hang": "1ms"}`: {0, false, false},
		`"garbage"`:       {0, false, true},
		`{"truncate": 5}`: {200, true, true},
		`"malformed"`:     {200, false, true},
		`{"dribble": {"bytes": 9, "every": "1ms"}}`: {200, false, true},
	} {
		t.Run(connection, func(t *testing.T) {
			t.Parallel()
			b := overHTTP2(t, simtest.NewBank(t, simtest.FrozenRetail))
			require.Equal(t, 200, listGroups.Send(b).StatusCode)
			b.ControlSandbox(201, "POST /faults", `{"name": "broken", "operation": "groups.create", "then": {"connection": `+connection+`}}`)
			r := createGroup.Request(b)
			res, err := b.Client.Do(r)
			if want.status == 0 {
				assert.ErrorContains(t, err, "INTERNAL_ERROR")
			} else {
				require.NoError(t, err)
				assert.Equal(t, want.status, res.StatusCode)
				body, err := io.ReadAll(res.Body)
				require.NoError(t, res.Body.Close())
				if want.cut {
					assert.ErrorContains(t, err, "INTERNAL_ERROR")
					assert.Len(t, body, 5)
				} else {
					assert.NoError(t, err)
				}
				assert.Equal(t, string(body), b.Last().Response.Body)
			}
			x := b.Last()
			assert.EqualValues(t, 2, b.Journal().Last(), "this client doesn't retry")
			assert.Equal(t, want.status, x.Response.Status)
			assert.Equal(t, strings.Trim(strings.Split(connection, ":")[0], `{"`), x.Fault.Connection)
			assert.Equal(t, want.made, x.Changed)
			assert.Equal(t, "HTTP/2", x.Request.HTTPVersion)
			why := b.ControlSandbox(200, "GET /journal/2/why", "").Body
			assert.Equal(t, want.status == 0 || want.cut, strings.Contains(why, "and sent no answer") ||
				strings.Contains(why, "and closed the connection"), why)
			assert.Contains(t, b.ControlSandbox(200, "GET /journal.har", "").Body, `"httpVersion":"HTTP/2"`)
			b.ControlSandbox(204, "DELETE /faults", "")
			assert.Equal(t, 200, listGroups.Send(b).StatusCode)
		})
	}
}

package bankapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// breaking returns a handler with an operation that panics with a value, and its log. The bank is of the scenario
// retail with faults, in YAML.
func breaking(t *testing.T, op *contract.Operation, with any, faults string) (*Handler, *bytes.Buffer) {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte("extends: retail\nfaults: ["+faults+"]\n"))
	require.NoError(t, err)
	out := &bytes.Buffer{}
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	h := New(Config{
		Sandboxes: sandboxes,
		Meter:     metrics.New(metrics.Config{Sandboxes: sandboxes}),
		Log:       slog.New(slog.NewTextHandler(out, nil)),
	})
	t.Cleanup(sandboxes.Close)
	h.endpoints = maps.Clone(h.endpoints) // that of the package is for all handlers
	h.replace(op, func(e *endpoint) { e.handle = func(*call) (answer, error) { panic(with) } })
	return h, out
}

// replace changes what serves an operation.
func (h *Handler) replace(op *contract.Operation, change func(*endpoint)) {
	changed := *h.endpoints[op]
	change(&changed)
	h.endpoints[op] = &changed
}

func sendTo(h http.Handler, w http.ResponseWriter, op *contract.Operation, body io.Reader) {
	r := httptest.NewRequest(op.Method, op.Path, body)
	r.Header.Set("Content-Type", mediaJSON)
	r.Header.Set(op.Family.RequestID, "t-1")
	h.ServeHTTP(w, r)
}

func journalOf(h *Handler) []journal.Exchange {
	return slices.Collect(h.Sandboxes.Default().Known().Journal.Select(journal.Query{}).Exchanges())
}

// counts returns the handler's metrics.
func counts(h *Handler) string {
	w := httptest.NewRecorder()
	h.Meter.(http.Handler).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Body.String()
}

// requireInternalFault sends a request that must be answered as a failure, recorded and logged, and change nothing. It
// returns the exchange.
func requireInternalFault(t *testing.T, h *Handler, out *bytes.Buffer, op *contract.Operation,
	body io.Reader) journal.Exchange {
	t.Helper()
	before, number := h.Sandboxes.Default().Known().World, len(journalOf(h))
	w := httptest.NewRecorder()
	sendTo(h, w, op, body)
	refusal := op.Family.Refusal(contract.InternalFault)
	require.Equal(t, refusal.Status, w.Code, op.Name)
	require.Equal(t, refusal.Code, contract.ErrorCode(w.Body.Bytes()), w.Body)
	require.NotEmpty(t, w.Header().Get(contract.ExchangeHeader.Name))
	exchanges := journalOf(h)
	require.Len(t, exchanges, number+1)
	require.Equal(t, string(contract.InternalFault), exchanges[number].Decision.Rule)
	require.Contains(t, out.String(), "panic=boom stack=")
	require.True(t, before.Equal(h.Sandboxes.Default().Known().World))
	return exchanges[number]
}

// A panic is answered like any other failure, in the operation, in a condition of evidence after it, and before the
// operation is known. A fault that has fired stays on record.
func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, op := range contract.Document().Operations {
		h, out := breaking(t, op, "boom", "{name: slow, then: {delay: 1ms}}")
		x := requireInternalFault(t, h, out, op, strings.NewReader("{}"))
		assert.Equal(t, op.Name, x.Operation)
		assert.Equal(t, []string{"slow"}, x.Fault.Fired)
		for _, metric := range []string{
			`requests_total{operation=%q,status="500"}`, "unexplained_errors_total{operation=%q}",
			"faults_fired_total{operation=%q}",
		} {
			assert.Contains(t, counts(h), "banksim_"+fmt.Sprintf(metric, op.Name)+" 1")
		}
	}
	for _, op := range []*contract.Operation{contract.GroupsCreate, contract.GroupsList} {
		h, out := breaking(t, contract.TokensIssue, "", "")
		h.replace(op, func(e *endpoint) {
			e.evidence = []condition{{contract.GroupsAuth, func(facts) bool { panic("boom") }}}
		})
		for range 2 {
			requireInternalFault(t, h, out, op, strings.NewReader(`{"groupName":"Owls"}`))
		}
	}
	h, out := breaking(t, contract.TokensIssue, "", "")
	requireInternalFault(t, h, out, contract.AlertsCreatePreference, brokenBody{})
}

// brokenBody panics when it is read.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { panic("boom") }

// brokenWriter panics when the answer begins, or when a fault takes the connection.
type brokenWriter struct{ http.ResponseWriter }

func (w brokenWriter) WriteHeader(int) { panic("boom") }

func (w brokenWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { panic("boom") }

// An answer that was begun stands in the journal, and its connection is aborted, also if a connection fault delivers
// it. The next request is answered. http.ErrAbortHandler is no failure.
func TestPanicsAbortAnswers(t *testing.T) {
	t.Parallel()
	for _, connection := range []string{"", "reset", "truncate", "malformed", "garbage"} {
		faults := ""
		if connection != "" {
			faults = "{operation: groups.list, when: {first: 1}, then: {connection: " + connection + "}}"
		}
		h, out := breaking(t, contract.GroupsCreate, http.ErrAbortHandler, faults)
		assert.PanicsWithValue(t, http.ErrAbortHandler,
			func() { sendTo(h, httptest.NewRecorder(), contract.GroupsCreate, strings.NewReader("{}")) })
		assert.NotContains(t, out.String(), "stack=")
		assert.PanicsWithValue(t, http.ErrAbortHandler,
			func() { sendTo(h, brokenWriter{httptest.NewRecorder()}, contract.GroupsList, http.NoBody) }, connection)
		assert.Equal(t, 1, strings.Count(out.String(), "panic=boom stack="), connection)
		require.Len(t, journalOf(h), 1)
		if connection != "" {
			assert.Equal(t, connection, journalOf(h)[0].Fault.Connection)
		}
		next := httptest.NewRecorder()
		sendTo(h, next, contract.GroupsList, http.NoBody)
		assert.Equal(t, http.StatusOK, next.Code, next.Body)
	}
}

// deadlines notes the write deadlines of an answer.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(deadline time.Time) error {
	d.set = append(d.set, deadline)
	return nil
}

// An answer that a fault delays past the server's own deadline is still sent.
func TestDelayedAnswersHaveTheirOwnDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := "{operation: groups.list, phase: after, then: {delay: 4m}}"
		h, _ := breaking(t, contract.GroupsCreate, "unused", slow)
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		started := time.Now()
		sendTo(h, w, contract.GroupsList, http.NoBody)
		assert.Equal(t, 200, w.Code)
		require.NotEmpty(t, w.set)
		assert.Equal(t, started.Add(4*time.Minute+writeTimeout), w.set[len(w.set)-1])
	})
}

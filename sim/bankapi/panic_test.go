package bankapi

import (
	"bufio"
	"bytes"
	"fmt"
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

// breaking returns a handler with an operation that panics with a value, and its log. The bank is of a scenario, by
// default retail.
func breaking(t *testing.T, op *contract.Operation, with any, of ...*scenario.Scenario) (*Handler, *bytes.Buffer) {
	t.Helper()
	sc, err := scenario.Load("retail")
	require.NoError(t, err)
	if len(of) > 0 {
		sc = of[0]
	}
	out := &bytes.Buffer{}
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	h := New(Config{
		Sandboxes: sandboxes,
		Meter:     metrics.New(metrics.Config{Sandboxes: sandboxes}),
		Log:       slog.New(slog.NewTextHandler(out, nil)),
	})
	t.Cleanup(h.Sandboxes.Close)
	broken := *h.endpoints[op]
	broken.handle = func(*call) (answer, error) { panic(with) }
	h.endpoints = maps.Clone(h.endpoints) // that of the package is for all handlers
	h.endpoints[op] = &broken
	return h, out
}

func sendTo(h http.Handler, w http.ResponseWriter, op *contract.Operation) {
	r := httptest.NewRequest(op.Method, op.Path, strings.NewReader("{}"))
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

// A panic is answered like any other failure, also in a change, and however often. The log has each stack.
func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, op := range contract.Document().Operations {
		synctest.Test(t, func(t *testing.T) { // the time of the log stands still
			h, out := breaking(t, op, "boom")
			before := h.Sandboxes.Default().Known().World
			const requests = 50
			for range requests {
				w := httptest.NewRecorder()
				sendTo(h, w, op)
				refusal := op.Family.Refusal(contract.InternalFault)
				assert.Equal(t, refusal.Status, w.Code, op.Name)
				assert.Equal(t, refusal.Code, contract.ErrorCode(w.Body.Bytes()), w.Body)
				assert.Equal(t, []string{"t-1"}, w.Header()[op.Family.RequestID])
				assert.NotEmpty(t, w.Header().Get(contract.ExchangeHeader.Name))
			}
			exchanges := journalOf(h)
			require.Len(t, exchanges, requests)
			last := exchanges[requests-1]
			assert.Equal(t, string(contract.InternalFault), last.Decision.Rule)
			assert.Equal(t, op.Name, last.Operation)
			assert.Contains(
				t,
				counts(h),
				fmt.Sprintf(`banksim_requests_total{operation=%q,status="500"} %d`, op.Name, requests),
			)
			assert.Contains(t, counts(h), fmt.Sprintf(`banksim_unexplained_errors_total{operation=%q} %d`, op.Name, requests))
			assert.Equal(t, requests, strings.Count(out.String(), "stack="))
			assert.Contains(t, out.String(), "panic=boom")
			assert.True(t, before.Equal(h.Sandboxes.Default().Known().World))
		})
	}
}

// brokenWriter panics when the answer begins, or when a fault takes the connection.
type brokenWriter struct {
	http.ResponseWriter
	with any
}

func (w brokenWriter) WriteHeader(int) { panic(w.with) }

func (w brokenWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { panic(w.with) }

// An answer that was begun stands in the journal, and its connection is aborted. http.ErrAbortHandler is no failure.
func TestPanicsAbortAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, out := breaking(t, contract.GroupsCreate, http.ErrAbortHandler)
		abort := func(with any) func() {
			return func() { sendTo(h, brokenWriter{httptest.NewRecorder(), with}, contract.GroupsList) }
		}
		assert.PanicsWithValue(t, http.ErrAbortHandler, abort(http.ErrAbortHandler))
		assert.PanicsWithValue(
			t,
			http.ErrAbortHandler,
			func() { sendTo(h, httptest.NewRecorder(), contract.GroupsCreate) },
		)
		assert.NotContains(t, out.String(), "stack=")
		assert.PanicsWithValue(t, http.ErrAbortHandler, abort("boom"))
		assert.Contains(t, out.String(), "stack=")
		assert.Len(t, journalOf(h), 2)
		assert.Contains(
			t,
			counts(h),
			fmt.Sprintf(`banksim_requests_total{operation=%q,status="200"} 2`, contract.GroupsList.Name),
		)
	})
}

// brokenBody panics when it is read.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { panic("boom") }

// Also a request that panics before its operation is known is answered and recorded.
func TestPanicsBeforeTheOperation(t *testing.T) {
	t.Parallel()
	h, _ := breaking(t, contract.GroupsCreate, "boom")
	h.Log = slog.New(slog.DiscardHandler)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, contract.AlertsCreatePreference.Path, brokenBody{}))
	refusal := contract.AlertsCreatePreference.Family.Refusal(contract.InternalFault)
	assert.Equal(t, refusal.Status, w.Code)
	assert.Equal(t, refusal.Code, contract.ErrorCode(w.Body.Bytes()))
	require.Len(t, journalOf(h), 1)
	assert.Equal(t, string(contract.InternalFault), journalOf(h)[0].Decision.Rule)
}

// A panic in a condition of evidence, which comes after the operation, is answered, and what the operation has changed
// is undone.
func TestPanicsInEvidence(t *testing.T) {
	t.Parallel()
	for _, op := range []*contract.Operation{contract.GroupsCreate, contract.GroupsList} {
		h, out := breaking(t, contract.TokensIssue, "boom")
		broken := *h.endpoints[op]
		broken.evidence = []condition{{contract.GroupsAuth, func(facts) bool { panic("evidence") }}}
		h.endpoints[op] = &broken
		before := h.Sandboxes.Default().Known().World
		for range 2 {
			body := strings.NewReader(`{"groupName":"Owls","groupDescription":"d"}`)
			r := httptest.NewRequest(op.Method, op.Path, body)
			r.Header.Set("content-type", mediaJSON)
			r.Header.Set(op.Family.RequestID, "t-1")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			refusal := op.Family.Refusal(contract.InternalFault)
			assert.Equal(t, refusal.Status, w.Code, op.Name)
			assert.Equal(t, refusal.Code, contract.ErrorCode(w.Body.Bytes()), w.Body)
		}
		assert.True(t, before.Equal(h.Sandboxes.Default().Known().World), op.Name)
		assert.Len(t, journalOf(h), 2)
		assert.Equal(t, 2, strings.Count(out.String(), "panic=evidence"))
	}
}

// A panic while a connection fault delivers an answer aborts the connection. The answer stands in the journal, and the
// next request is answered.
func TestPanicsInDelivery(t *testing.T) {
	t.Parallel()
	for _, connection := range []string{"reset", "truncate", "malformed", "garbage"} {
		h, out := breaking(t, contract.TokensIssue, "boom")
		yaml := "extends: retail\nfaults: [{name: cut, operation: groups.list, when: {first: 1}, then: {connection: " +
			connection + "}}]\n"
		sc, err := scenario.Parse("test.yaml", []byte(yaml))
		require.NoError(t, err)
		h.Sandboxes = sandbox.NewRegistry(sandbox.Config{Scenario: sc})
		t.Cleanup(h.Sandboxes.Close)
		w := brokenWriter{httptest.NewRecorder(), "boom"}
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() { sendTo(h, w, contract.GroupsList) }, connection)
		require.Len(t, journalOf(h), 1)
		assert.Equal(t, connection, journalOf(h)[0].Fault.Connection)
		next := httptest.NewRecorder()
		sendTo(h, next, contract.GroupsList)
		assert.Equal(t, http.StatusOK, next.Code, next.Body)
		assert.Equal(t, 1, strings.Count(out.String(), "panic=boom"), connection)
	}
}

// A fault that has fired stays on record if the operation panics after its delay.
func TestPanicsAfterADelay(t *testing.T) {
	t.Parallel()
	sc, err := scenario.Parse("slow.yaml", []byte("extends: retail\n"+
		"faults:\n- {name: slow, operation: groups.create, then: {delay: 1ms}}\n"))
	require.NoError(t, err)
	h, _ := breaking(t, contract.GroupsCreate, "boom", sc)
	h.Log = slog.New(slog.DiscardHandler)
	w := httptest.NewRecorder()
	sendTo(h, w, contract.GroupsCreate)
	assert.Equal(t, 500, w.Code)
	require.Len(t, journalOf(h), 1)
	require.NotNil(t, journalOf(h)[0].Fault)
	assert.Equal(t, []string{"slow"}, journalOf(h)[0].Fault.Fired)
	assert.Contains(t, counts(h), `banksim_faults_fired_total{operation="groups.create"} 1`)
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
		sc, err := scenario.Parse("slow.yaml", []byte("extends: retail\n"+
			"faults:\n- {operation: groups.list, phase: after, then: {delay: 4m}}\n"))
		require.NoError(t, err)
		h, _ := breaking(t, contract.GroupsCreate, "unused", sc)
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		started := time.Now()
		sendTo(h, w, contract.GroupsList)
		assert.Equal(t, 200, w.Code)
		require.NotEmpty(t, w.set)
		assert.Equal(t, started.Add(4*time.Minute+writeTimeout), w.set[len(w.set)-1])
	})
}

package controlapi_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// event is a server-sent event.
type event struct {
	id, name, data string
	clearsID       bool // it has an id, which is empty
}

// events reads server-sent events.
type events struct {
	t     *testing.T
	lines *bufio.Reader
}

// follow opens the stream of a bank's journal.
func follow(t *testing.T, b *simtest.Bank, query string, headers ...string) *events {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	res, err := b.Client.Do(b.Request(http.MethodGet, b.Server.ControlURL()+b.ControlPath()+"/journal/stream"+query, "",
		headers...).WithContext(ctx))
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = res.Body.Close()
	})
	require.Equal(t, 200, res.StatusCode)
	assert.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	return &events{t, bufio.NewReader(res.Body)}
}

// next waits for an event.
func (s *events) next() event {
	s.t.Helper()
	var e event
	for {
		line, err := s.lines.ReadString('\n')
		require.NoError(s.t, err)
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n" && e != event{}:
			return e
		case field == "id":
			e.id, e.clearsID = value, value == ""
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		}
	}
}

// ended waits for the end of the stream.
func (s *events) ended(reason string) {
	s.t.Helper()
	assert.Equal(s.t, event{name: "end", data: fmt.Sprintf(`{"reason":%q}`, reason), clearsID: true}, s.next())
	_, err := s.lines.ReadByte()
	assert.Error(s.t, err, "nothing follows the end")
}

func TestStream(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	stream := follow(t, b, "")
	assert.Equal(t, event{id: "1", name: "exchange", data: get(b, "/journal/1")}, stream.next())
	for i := range 250 { // more than one read returns
		simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"Group %d\n"}`, i)).Send(b)
	}
	for i := range 250 {
		e := stream.next()
		require.Equal(t, fmt.Sprint(2+i), e.id)
		require.Contains(t, e.data, fmt.Sprintf("Group %d", i))
	}
	for header, want := range map[string]string{"250": "251", "0": "1",
		"9999": "1"} { // the last of an earlier generation
		assert.Equal(
			t, want, follow(t, b, "?after=1", "Last-Event-ID: "+header).next().id, "Last-Event-ID precedes after: %s",
			header,
		)
	}
	assert.Equal(t, "3", follow(t, b, "?after=2").next().id)
	b.ControlSandbox(400, "GET /journal/stream", "", "Last-Event-ID: x")
}

func TestStreamReportsGaps(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, simtest.FrozenRetail), Entries: 2,
	})})
	for range 5 {
		simtest.ListGroups.Send(b)
	}
	stream := follow(t, b, "?after=1")
	assert.Equal(t, event{name: "gap", data: `{"missed":2}`}, stream.next())
	assert.Equal(t, "4", stream.next().id)
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for end, reason := range map[string]string{"POST /reset": "reset", "PUT /scenario": "reset", "DELETE ": "deleted"} {
		sb := b.In(simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", "")).Name)
		stream := follow(t, sb, "")
		method, path, _ := strings.Cut(end, " ")
		b.Do(
			b.Request(
				method, b.Server.ControlURL()+sb.ControlPath()+path,
				map[string]string{"PUT": "extends: empty\n"}[method],
			),
		)
		stream.ended(reason)
	}
	stream := follow(t, b, "")
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx), "streams don't delay the shutdown")
	stream.ended("shutdown")
}

// client is the end of a stream at a client. Each write waits until a value comes from gate, if there is one. The time
// limits of the writes are noted, with 0 where one is taken away.
type client struct {
	*httptest.ResponseRecorder
	gate   chan struct{}
	limits []time.Duration
}

func newClient(gate chan struct{}) *client {
	return &client{ResponseRecorder: httptest.NewRecorder(), gate: gate}
}

func (c *client) Write(text []byte) (int, error) {
	if c.gate != nil {
		<-c.gate
	}
	return c.ResponseRecorder.Write(text)
}

func (c *client) SetWriteDeadline(at time.Time) error {
	limit := time.Duration(0)
	if !at.IsZero() {
		limit = time.Until(at)
	}
	c.limits = append(c.limits, limit)
	return nil
}

// serveStream opens the stream of a sandbox for a client, and returns when the stream has ended.
func serveStream(ctx context.Context, handler http.Handler, name string, c *client) *client {
	handler.ServeHTTP(c, httptest.NewRequestWithContext(ctx, "GET", "/v1/sandboxes/"+name+"/journal/stream", nil))
	return c
}

// gone returns the context of a client that has left.
func gone(t *testing.T) context.Context {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	return ctx
}

// The number of streams is limited, and a stream that ends makes room for another.
func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	defer sandboxes.Close()
	draining := make(chan struct{})
	handler := controlapi.New(
		controlapi.Config{Sandboxes: sandboxes, Draining: draining, Log: slog.New(slog.DiscardHandler)},
	)
	s0, err := sandboxes.Create(t.Context(), sandbox.Plan{Name: "s0"})
	require.NoError(t, err)
	var streams sync.WaitGroup
	for i := range 100 {
		gate := make(chan struct{})
		streams.Go(func() { serveStream(t.Context(), handler, []string{"s0", "default"}[i%2], newClient(gate)) })
		gate <- struct{}{} // it flushes its first comment
		close(gate)
	}
	refused := serveStream(t.Context(), handler, "default", newClient(nil))
	assert.Equal(t, 429, refused.Code)
	assert.Equal(t, "5", refused.Header().Get("Retry-After"))
	assert.Contains(t, refused.Body.String(), "100 event streams are open")
	require.NoError(t, sandboxes.Delete(t.Context(), s0))
	assert.Eventually(t, func() bool { return serveStream(gone(t), handler, "default", newClient(nil)).Code == 200 },
		simtest.Patience, 10*time.Millisecond)
	close(draining)
	streams.Wait()
}

// A client has ten seconds to read what a stream writes, and any time between two events.
func TestStreamWritesHaveALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sandboxes := simtest.Registry(t, simtest.FrozenRetail)
		defer sandboxes.Close()
		handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
		limits := serveStream(gone(t), handler, "default", newClient(nil)).limits
		assert.Equal(
			t, []time.Duration{10 * time.Second, 0, 10 * time.Second, 0}, limits[1:], "the first is that of the call",
		)
	})
}

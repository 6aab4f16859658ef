package controlapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// event is a server-sent event.
type event struct {
	id, name, data string
	clearsID       bool // it has an id, which is empty
}

// events reads server-sent events.
type events struct {
	t     *testing.T
	res   *http.Response
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
	return &events{t, res, bufio.NewReader(res.Body)}
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
		require.Equal(t, "exchange", e.name)
		require.Contains(t, e.data, fmt.Sprintf("Group %d", i))
	}
	for header, want := range map[string]string{"250": "251", "0": "1", "9999": "1"} { // the last of an earlier generation
		assert.Equal(t, want, follow(t, b, "?after=1", "Last-Event-ID: "+header).next().id, "Last-Event-ID precedes after: %s", header)
	}
	assert.Equal(t, "3", follow(t, b, "?after=2").next().id)
	b.ControlSandbox(400, "GET /journal/stream", "", "Last-Event-ID: x")
}

func TestStreamReportsGaps(t *testing.T) {
	t.Parallel()
	b := smallJournals(t, 2)
	for range 5 {
		simtest.ListGroups.Send(b)
	}
	stream := follow(t, b, "?after=1")
	assert.Equal(t, event{name: "gap", data: `{"missed":2}`}, stream.next())
	assert.Equal(t, "4", stream.next().id)
	assert.Equal(t, "5", stream.next().id)
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for _, test := range []struct {
		plan, end string
		status    int
		reason    string
	}{
		{`{"name":"a"}`, "POST /reset", 204, "reset"},
		{`{"name":"b"}`, "PUT /scenario", 200, "reset"},
		{`{"name":"c"}`, "DELETE ", 204, "deleted"},
	} {
		sb := b.In(simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", test.plan)).Name)
		stream := follow(t, sb, "")
		body := ""
		if test.status == 200 {
			body = "extends: empty\n"
		}
		sb.ControlSandbox(test.status, test.end, body)
		stream.ended(test.reason)
	}

	streams := []*events{follow(t, b, ""), follow(t, b, "")}
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx), "streams don't delay the shutdown")
	for _, stream := range streams {
		stream.ended("shutdown")
	}
}

package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event is a server-sent event.
type event struct {
	id, name, data string
	clearsID       bool // its id is there, and empty
}

// eventReader reads server-sent events.
type eventReader struct {
	t     *testing.T
	res   *http.Response
	lines *bufio.Reader
}

// follow opens the stream of a sandbox's journal.
func (b *bank) follow(t *testing.T, path string, headers ...string) *eventReader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.ControlURL()+path, nil)
	require.NoError(t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := b.client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = res.Body.Close()
	})
	require.Equal(t, 200, res.StatusCode)
	assert.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	return &eventReader{t, res, bufio.NewReader(res.Body)}
}

// next waits for an event.
func (r *eventReader) next() event {
	r.t.Helper()
	var e event
	for {
		line, err := r.lines.ReadString('\n')
		require.NoError(r.t, err)
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
func (r *eventReader) ended(reason string) {
	r.t.Helper()
	assert.Equal(r.t, event{name: "end", data: fmt.Sprintf(`{"reason":%q}`, reason), clearsID: true}, r.next())
	_, err := r.lines.ReadByte()
	assert.Error(r.t, err, "nothing follows the end")
}

func TestStream(t *testing.T) {
	b := startBank(t, frozenRetail)
	listGroups.send(b)
	stream := b.follow(t, journalURL+"/stream")
	first := stream.next()
	assert.Equal(t, event{id: "1", name: "exchange", data: b.call(200, "GET "+journalURL+"/1", "").body}, first)
	for i := range 250 { // more than come at once
		createGroup.saying(fmt.Sprintf(`{"groupName":"Group %d\n"}`, i)).send(b)
	}
	for i := range 250 {
		e := stream.next()
		require.Equal(t, fmt.Sprint(2+i), e.id)
		require.Equal(t, "exchange", e.name)
		require.Contains(t, e.data, fmt.Sprintf("Group %d", i))
	}
	for want, from := range map[string][]string{
		"251":  {"Last-Event-ID: 250"},
		"1":    {"Last-Event-ID: 0"},
		"1 ":   {"Last-Event-ID: 9999"}, // of a generation before the last reset
		" 251": {"Last-Event-ID: 250", "X-After: 1"},
	} {
		assert.Equal(t, strings.TrimSpace(want), b.follow(t, journalURL+"/stream?after=1", from...).next().id, from)
	}
	assert.Equal(t, "3", b.follow(t, journalURL+"/stream?after=2").next().id)
	b.call(400, "GET "+journalURL+"/stream", "", "Last-Event-ID: x")
}

func TestStreamTellsGaps(t *testing.T) {
	b := smallJournals(t, 2)
	for range 5 {
		listGroups.send(b)
	}
	stream := b.follow(t, journalURL+"/stream?after=1")
	assert.Equal(t, event{name: "gap", data: `{"missed":2}`}, stream.next())
	assert.Equal(t, "4", stream.next().id)
	assert.Equal(t, "5", stream.next().id)
}

func TestStreamEnds(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+sandboxesURL, `{"name":"a"}`)
	stream := b.follow(t, sandboxesURL+"/a/journal/stream")
	b.call(204, "POST "+sandboxesURL+"/a/reset", "")
	stream.ended("reset")

	stream = b.follow(t, sandboxesURL+"/a/journal/stream")
	b.call(200, "PUT "+sandboxesURL+"/a/scenario", "extends: empty\n")
	stream.ended("reset")

	stream = b.follow(t, sandboxesURL+"/a/journal/stream")
	b.call(204, "DELETE "+sandboxesURL+"/a", "")
	stream.ended("deleted")

	b.call(201, "POST "+sandboxesURL, `{"name":"a","ttl":"20ms"}`)
	b.follow(t, sandboxesURL+"/a/journal/stream").ended("deleted")

	streams := []*eventReader{b.follow(t, journalURL+"/stream"), b.follow(t, journalURL+"/stream")}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, b.server.Shutdown(ctx), "streams don't hold the end up")
	for _, stream := range streams {
		stream.ended("shutdown")
	}
}

// A client that goes away leaves nothing behind: the end of the simulator, and goleak, would notice.
func TestStreamClientGoes(t *testing.T) {
	b := startBank(t, frozenRetail)
	for range 10 {
		stream := b.follow(t, journalURL+"/stream")
		require.NoError(t, stream.res.Body.Close())
	}
	listGroups.send(b)
	assert.Equal(t, "1", b.follow(t, journalURL+"/stream").next().id)
}

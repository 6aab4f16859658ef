package simtest

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// GoldenBank returns a bank that is as a golden exchange needs it: with its switches and rows, after the requests that
// come first, at its time. It also returns the YAML of the bank's scenario.
func GoldenBank(t testing.TB, e fixtures.Exchange) (b *Bank, yaml string) {
	t.Helper()
	yaml = FrozenRetail
	if e.Behavior != nil {
		yaml += "behavior: " + string(e.Behavior) + "\n" // JSON is YAML
	}
	if e.Institutions != nil {
		yaml += "institutions: " + string(e.Institutions) + "\n"
	}
	b = NewBank(t, yaml)
	b.ids = fixtures.IDs{}
	for _, r := range e.Before {
		res := b.SendGolden(r)
		require.Less(t, res.StatusCode, 300, "a request that comes first: %s", res.Body)
		b.ids.Learn([]byte(res.Body))
	}
	if e.Advance != "" {
		d, err := time.ParseDuration(e.Advance)
		require.NoError(t, err)
		b.Advance(d)
	}
	return b, yaml
}

// SendGolden sends a request of a golden exchange, with the ids that the requests before it got.
func (b *Bank) SendGolden(r fixtures.Request) Answer {
	b.t.Helper()
	path, missing := b.ids.In(r.Path)
	require.Empty(b.t, missing, "no answer of the requests that come first gave it")
	r.Path = path
	return b.SendAsItIs(r)
}

// SendAsItIs sends a request of a golden exchange as its file has it. One whose path names a sandbox goes there.
func (b *Bank) SendAsItIs(r fixtures.Request) Answer {
	b.t.Helper()
	baseURL := b.BaseURL()
	if strings.HasPrefix(r.Path, "/sandboxes/") {
		baseURL = b.Server.ServiceURL()
	}
	request := b.Request(r.Method, baseURL+r.Path, r.Content())
	if r.Chunked {
		request.Body, request.ContentLength = io.NopCloser(strings.NewReader(r.Content())), -1
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return b.Do(request)
}

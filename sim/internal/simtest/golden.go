package simtest

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// GoldenBank returns a bank that is as a golden exchange needs it: with its switches and rows, after the requests that come
// first, at its time. It also returns the YAML of the bank's scenario.
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

// Whole skips a test under the race detector: one that does a lot, one thing after the other, so that there is nothing to
// detect. .ci/run runs it without.
func Whole(t *testing.T) {
	t.Helper()
	if Race {
		t.Skip("it takes long under the race detector, and does one thing after the other: .ci/run runs it without")
	}
}

// Sample returns what a test goes through one by one: everything or, under the race detector, one of ten.
func Sample[E any](all []E) []E {
	if !Race {
		return all
	}
	var some []E
	for i := 0; i < len(all); i += 10 {
		some = append(some, all[i])
	}
	return some
}

// SendGolden sends a request of a golden exchange, with the ids that the requests before it got. One whose path names a
// sandbox goes there.
func (b *Bank) SendGolden(r fixtures.Request) Answer {
	b.t.Helper()
	path, missing := b.ids.In(r.Path)
	require.Empty(b.t, missing, "no answer of the requests that come first gave it")
	r.Path = path
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

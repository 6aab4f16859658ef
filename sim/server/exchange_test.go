package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// Every golden exchange is replayed against a server of its own. With -update, what it answers is written into
// the exchange's file, to be read before it is committed.
func TestGoldenExchanges(t *testing.T) {
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	require.NotEmpty(t, exchanges)
	for _, e := range exchanges {
		t.Run(e.Name, func(t *testing.T) {
			assert.Contains(t, []string{"document", "published", "convention", "choice"}, e.Basis)
			assert.NotEmpty(t, e.About)
			assert.NotEmpty(t, e.Source)
			got := replay(t, e)
			if *update {
				e.Answer = got
				data, err := e.Encode()
				require.NoError(t, err)
				file := filepath.Join("..", "..", "fixtures", "exchanges", filepath.FromSlash(e.Name)+".json")
				require.NoError(t, os.WriteFile(file, data, 0o644))
				return
			}
			assert.Equal(t, e.Answer.Status, got.Status)
			assert.Equal(t, e.Answer.Headers, got.Headers)
			assert.Equal(t, string(e.Answer.JSON), string(got.JSON), "members, their order and their values")
			assert.True(t, strings.HasPrefix(filepath.Base(e.Name), strconv.Itoa(got.Status)+"-"), "the file is named after the status")
		})
	}
}

func replay(t *testing.T, e fixtures.Exchange) fixtures.Answer {
	t.Helper()
	yaml := frozenRetail
	if e.Behavior != nil {
		yaml += "behavior: " + string(e.Behavior) + "\n" // JSON is YAML
	}
	b := startBank(t, yaml)
	for _, r := range e.Before {
		res := b.do(newRequest(t, b, r))
		require.Less(t, res.StatusCode, 300, "a request that comes first: %s", res.body)
	}
	if e.Advance != "" {
		d, err := time.ParseDuration(e.Advance)
		require.NoError(t, err)
		b.advance(d)
	}
	res := b.do(newRequest(t, b, e.Request))
	headers := map[string]string{}
	for name, values := range res.Header {
		if name != "Date" && name != "Content-Length" {
			headers[name] = strings.Join(values, ", ")
		}
	}
	got := fixtures.Answer{Status: res.StatusCode, Headers: headers}
	if res.body != "" {
		got.JSON = jsontext.Value(strings.ReplaceAll(res.body, b.server.ServiceURL(), "{base_url}"))
		require.NoError(t, got.JSON.Compact())
	}
	return got
}

func newRequest(t *testing.T, b *bank, r fixtures.Request) *http.Request {
	t.Helper()
	var body io.Reader = strings.NewReader(r.Content())
	if r.Chunked {
		body = io.MultiReader(body) // of a length that net/http doesn't know
	}
	request, err := http.NewRequestWithContext(t.Context(), r.Method, b.server.ServiceURL()+r.Path, body)
	require.NoError(t, err)
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return request
}

package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy is a service in front of a bank, which a test can make behave in its own way.
type proxy struct {
	URL string

	mu   sync.Mutex
	seen []seen // in the order of arrival
}

// seen is a request that has arrived at a proxy.
type seen struct{ method, path, query, body, authorization string }

// before may answer a request in the place of the bank, and reports whether it did. after is called with the bank's
// answer, and may refuse it: then the connection is closed without one.
func startProxy(
	t *testing.T, base string, before func(http.ResponseWriter, *http.Request) bool, after func(*http.Response) error,
) *proxy {
	t.Helper()
	target, err := url.Parse(base)
	require.NoError(t, err)
	p := &proxy{}
	transport := &http.Transport{}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.Transport, forward.ModifyResponse = transport, after
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has left
		}
		p.mu.Lock()
		p.seen = append(p.seen, seen{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header.Get("Authorization")})
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		if before == nil || !before(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { front.Close(); transport.CloseIdleConnections() })
	p.URL = front.URL
	return p
}

func (p *proxy) requests() []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

// change is a row that differs from the start.
type change struct {
	Row           string
	Before, After map[string]any
}

// changes returns what differs at a bank since its start, as its control API tells.
func (b bank) changes() []change {
	var diff struct{ Changes []change }
	text := b.ControlSandbox(http.StatusOK, "GET /diff?since=start", "").Body
	if err := json.Unmarshal([]byte(text), &diff); err != nil {
		panic(err)
	}
	return slices.DeleteFunc(diff.Changes, func(c change) bool { return reflect.DeepEqual(c.Before, c.After) })
}

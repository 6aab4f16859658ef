package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// largestTargets are paths and queries of so many bytes.
func largestTargets(size int) map[string]string {
	return map[string]string{
		"segments":              repeated("/a", size),
		"base URL too long":     repeated("/v", size-100) + "/v3/groups",
		"slashes":               repeated("/", size),
		"slashes in a row":      "/digitalbanking" + repeated("/", size-100) + "groups/v3/groups",
		"dots":                  repeated("/..", size),
		"escapes":               repeated("/%2F", size),
		"escaped escapes":       "/" + repeated("%25", size),
		"braces":                repeated("/%7Bx%7D", size),
		"one segment":           "/" + repeated("a", size),
		"variable of a path":    "/digitalbanking/groups/v3/groups/" + repeated("x", size-100),
		"sandbox":               "/sandboxes/" + repeated("s", size-100) + "/v3/groups",
		"parameters":            "/digitalbanking/groups/v3/groups?" + repeated("a=b&", size-100),
		"one parameter":         "/digitalbanking/groups/v3/groups?sort=" + repeated("x", size-100),
		"values of a parameter": "/digitalbanking/groups/v3/groups?" + repeated("sort=groupName,asc&", size-100),
		"words of a parameter":  "/v3/groups?sort=" + repeated("groupName,", size-100),
		"misspelt parameters":   "/digitalbanking/groups/v3/groups?" + repeated("siez=1&", size-100),
		"pageable":              "/v3/groups?" + repeated("pageable[size]=1&", size-100),
		"broken parameters":     "/v3/groups?" + repeated("%zz&;", size-100),
		"control API":           "/v1/sandboxes/default" + repeated("/journal", size-100),
		"search":                "/v1/sandboxes/default/journal?text=" + repeated("a+", size-100),
		"parameters of a call":  "/v1/sandboxes/default/journal?" + repeated("limt=1&", size-100),
	}
}

// The largest request of each kind takes memory in proportion to its size, on each listener: twice the size takes less
// than three times as much. Work that grows faster shows there: to compare the suffixes of a path took four times.
func TestLargestRequests(t *testing.T) { // not parallel: it counts what the process allocates
	const size = 31_000 // with the headers, as much as a listener reads
	var log bytes.Buffer
	errorsOnly := &slog.HandlerOptions{Level: slog.LevelError}
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, errorsOnly))})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	send := func(method, base, target string) int {
		u, err := url.Parse(base)
		require.NoError(t, err)
		u.Opaque = target // as it is
		r := &http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{"Transactionid": {"t"}}}
		if method == http.MethodPost {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
		}
		res, err := transport.RoundTrip(r)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		return res.StatusCode
	}
	allocated := func(method, base, target string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status := send(method, base, target)
		runtime.ReadMemStats(&after)
		assert.Less(t, status, 501, "%s %s", method, base)
		return after.TotalAlloc - before.TotalAlloc
	}
	halves := largestTargets(size / 2)
	for _, base := range []string{b.Server.ServiceURL(), b.Server.ControlURL()} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			send(method, base, "/x") // what is made once
			for name, target := range largestTargets(size) {
				half := allocated(method, base, halves[name])
				assert.Less(t, allocated(method, base, target), 3*half+4<<20, "%s %s: %s", method, base, name)
			}
		}
	}
	assert.NotContains(t, log.String(), "panic")
}

// repeated returns a text again and again, up to a length.
func repeated(text string, length int) string { return strings.Repeat(text, length/len(text)) }

package server_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
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
		"search":                "/v1/sandboxes/default/journal?q=" + repeated("a+", size-100),
		"parameters of a call":  "/v1/sandboxes/default/journal?" + repeated("limt=1&", size-100),
	}
}

// largestBodies are bodies of so many bytes, by their content types.
func largestBodies(op *contract.Operation, size int) map[string]simtest.Call {
	call := simtest.Calls[op.Name]
	body := func(contentType, text string) simtest.Call {
		return call.With("content-type", contentType).WithBody(text)
	}
	file := func(kind, text string) simtest.Call {
		return body(simtest.MultipartType, simtest.Multipart(kind, text))
	}
	member := "groupName"
	if op.Request != nil && len(op.Request.Members) > 0 {
		member = op.Request.Members[0].Name
	}
	const inJSON, form = "application/json", "application/x-www-form-urlencoded"
	return map[string]simtest.Call{
		"one member":        body(inJSON, `{"`+member+`":"`+repeated("x", size)+`"}`),
		"escapes":           body(inJSON, `{"`+member+`":"`+repeated(`\u00e9`, size)+`"}`),
		"unknown members":   body(inJSON, "{"+numbered(`"unknown-%d":1,`, size)+`"z":1}`),
		"misspelt members":  body(inJSON, "{"+numbered(`"`+member+`%d":1,`, size)+`"z":1}`),
		"one member again":  body(inJSON, "{"+repeated(`"`+member+`":"x",`, size)+`"z":1}`),
		"items of a list":   body(inJSON, `{"`+member+`":[`+repeated(`"x",`, size)+`1]}`),
		"objects of a list": body(inJSON, "["+repeated(`{"`+member+`":1},`, size)+"1]"),
		"depth":             body(inJSON, repeated("[", size)),
		"secrets":           body(inJSON, "{"+repeated(`"token":"x",`, size)+`"z":1}`),
		"lines of secrets":  body("text/plain", repeated("token=a\n", size)),
		"white space":       body(inJSON, repeated(" ", size)+"{}"),
		"pairs of a form":   body(form, repeated("token=a&", size)),
		"names of a form":   body(form, numbered("a%d=b&", size)),
		"parts":             body(simtest.MultipartType, repeated("--part\r\n\r\n", size)+"--part--\r\n"),
		"lines of a file":   file("REPLACE", "header\n"+numbered("p-%d\n", size)),
		"one line":          file("ADD", repeated("x", size)),
		"values of a header": call.With("X-Many", repeated("token=a;", min(size, 30_000))).
			With("cookie", repeated("a=b; ", min(size, 500))),
	}
}

// The largest request of each kind takes memory in proportion to its size, on each listener: twice the size takes less
// than three times as much. Work that grows faster shows there: to compare the suffixes of a path took four times.
func TestLargestRequests(t *testing.T) { // not parallel: it counts what the process allocates
	const size = 31_000 // with the headers, as much as a listener reads
	m := newMeasured(t)
	halves := largestTargets(size / 2)
	for _, base := range []string{m.Server.ServiceURL(), m.Server.ControlURL()} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			call := simtest.NewCall(method, "", "", "transactionId: t")
			if method == http.MethodPost {
				call = call.WithBody("{}")
			}
			m.send(base, call.At("/x")) // what is made once
			for name, target := range largestTargets(size) {
				half := m.allocated(base, call.At(halves[name]))
				assert.Less(t, m.allocated(base, call.At(target)), 3*half+4<<20, "%s %s: %s", method, base, name)
			}
		}
	}
}

// The same holds for the body of each operation.
func TestLargestBodies(t *testing.T) { // not parallel: it counts what the process allocates
	const size = 100 << 10
	m := newMeasured(t)
	for _, op := range contract.Document().Operations {
		if op.Request == nil {
			continue
		}
		halves := largestBodies(op, size/2)
		for name, call := range largestBodies(op, size) {
			half := m.allocated(m.Server.ServiceURL(), halves[name])
			assert.Less(t, m.allocated(m.Server.ServiceURL(), call), 3*half+1<<20, "%s: %s", op.Name, name)
		}
	}
}

// measured is a simulator whose allocations are counted.
type measured struct {
	*simtest.Bank
	t         *testing.T
	transport *http.Transport
}

func newMeasured(t *testing.T) measured {
	var log bytes.Buffer
	errorsOnly := &slog.HandlerOptions{Level: slog.LevelError}
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, errorsOnly))})
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		assert.NotContains(t, log.String(), "panic")
	})
	return measured{b, t, transport}
}

// send sends a request whose target is used as it is, and returns the status of the answer.
func (m measured) send(base string, call simtest.Call) int {
	u, err := url.Parse(base)
	require.NoError(m.t, err)
	u.Opaque = call.Path
	r := &http.Request{Method: call.Method, URL: u, Host: u.Host, Header: call.Header}
	if call.Body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(call.Body)), int64(len(call.Body))
	}
	res, err := m.transport.RoundTrip(r)
	require.NoError(m.t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(m.t, err)
	return res.StatusCode
}

// allocated returns how many bytes the process has allocated when a request was answered.
func (m measured) allocated(base string, call simtest.Call) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status := m.send(base, call)
	runtime.ReadMemStats(&after)
	assert.Less(m.t, status, 501, "%s %s", call.Method, base)
	return after.TotalAlloc - before.TotalAlloc
}

// numbered returns a text again and again, with a number each time, up to a length.
func numbered(text string, length int) string {
	var all strings.Builder
	for n := 0; all.Len() < length-len(text)-8; n++ {
		fmt.Fprintf(&all, text, n)
	}
	return all.String()
}

// repeated returns a text again and again, up to a length.
func repeated(text string, length int) string { return strings.Repeat(text, length/len(text)) }

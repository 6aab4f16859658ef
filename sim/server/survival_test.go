package server_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Where the simulator is that TestSurvival puts under load: a container with little memory, see .ci/docker.
var (
	survivalService = flag.String("survival.service", "",
		"base URL of the simulator that TestSurvival puts under load; without it, the test is skipped")
	survivalControl  = flag.String("survival.control", "", "URL of its control API")
	survivalToken    = flag.String("survival.token", "", "token of its control API")
	survivalRequests = flag.Int("survival.requests", 100_000, "how many small requests")
)

// TestSurvival puts one kind of load after the other on a simulator that has little memory. Requests may be refused,
// with 429, 503 or 507, but the simulator stays, and works again at once when the load ends.
func TestSurvival(t *testing.T) {
	if *survivalService == "" {
		t.Skip("no simulator is given: see .ci/docker")
	}
	for _, load := range []struct {
		name string
		put  func(*loaded)
	}{
		{"requests", (*loaded).smallRequests},
		{"bodies", (*loaded).largeBodies},
		{"hars", (*loaded).archives},
		{"streams", (*loaded).stalledReaders},
		{"export", (*loaded).export},
	} {
		t.Run(load.name, func(t *testing.T) {
			p := &loaded{T: t, service: *survivalService, controlURL: *survivalControl, token: *survivalToken,
				client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
			defer p.client.CloseIdleConnections()
			started := time.Now()
			load.put(p)
			t.Logf("after %s: %s", time.Since(started).Round(time.Millisecond), p)
			p.lives()
		})
	}
}

// loaded is a simulator under load.
type loaded struct {
	*testing.T
	service, controlURL, token string // URLs, and the token of the control API

	client    *http.Client
	hasFaults bool     // which may lose answers, and mark those that they give
	statuses  sync.Map // int, 0: there was no answer, to *atomic.Int64
	failures  atomic.Int64
}

// wrong fails the test. Of a hundred thousand failures, the first few say enough.
func (p *loaded) wrong(format string, args ...any) {
	if p.failures.Add(1) <= 5 {
		p.Errorf(format, args...)
	}
	p.Fail()
}

// String returns how often each status came.
func (p *loaded) String() string {
	counts := map[int]int64{}
	p.statuses.Range(func(status, count any) bool {
		counts[status.(int)] = count.(*atomic.Int64).Load()
		return true
	})
	return fmt.Sprintf("answers by status (0: none): %v", counts)
}

// send sends a request and counts its answer, whose body goes to a writer. An answer must come, unless a fault loses
// it. It must not be an error of the server's, other than that it has no room or time, or that a request has to come
// again.
func (p *loaded) send(r *http.Request, into io.Writer) *http.Response {
	status, res, err := 0, (*http.Response)(nil), error(nil)
	if res, err = p.client.Do(r); err == nil {
		status = res.StatusCode
		_, err = io.Copy(into, res.Body)
		_ = res.Body.Close()
	}
	count, _ := p.statuses.LoadOrStore(status, new(atomic.Int64))
	count.(*atomic.Int64).Add(1)
	isBusy := status == http.StatusServiceUnavailable || status == http.StatusInsufficientStorage
	switch {
	case p.hasFaults && (err != nil || res.Header.Get(injectedHeader) != ""):
	case err != nil:
		p.wrong("%s %s: %v", r.Method, r.URL.Path, err)
	case status >= 500 && (!isBusy || p.hasFaults && res.Header.Get("Retry-After") == ""):
		p.wrong("%s %s: %d", r.Method, r.URL.Path, status)
	}
	return res
}

// call makes a call of the interface, in a sandbox if its base path is given.
func (p *loaded) call(basePath string, c simtest.Call) {
	r, err := http.NewRequest(c.Method, p.service+basePath+c.Path, strings.NewReader(c.Body))
	if err != nil {
		panic(err)
	}
	r.Header = c.Header.Clone()
	p.send(r, io.Discard)
}

// control makes a call of the control API, such as "GET /v1/info".
func (p *loaded) control(call, body string, into io.Writer) *http.Response {
	method, path, _ := strings.Cut(call, " ")
	r, err := http.NewRequest(method, p.controlURL+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	return p.send(r, into)
}

// download makes a call again until it is not told to come back later, and returns the size of the answer.
func (p *loaded) download(call string) (size int64) {
	var counter counter
	for deadline := time.Now().Add(time.Minute); p.failures.Load() == 0 && time.Now().Before(deadline); {
		counter = 0
		res := p.control(call, "", &counter)
		if res == nil || res.StatusCode != http.StatusServiceUnavailable {
			break
		}
		<-time.After(200 * time.Millisecond) // the simulator has asked for it
	}
	return int64(counter)
}

type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

// each calls a function for all numbers below count, by many goroutines. It gives up after some failures: what has
// ended doesn't answer the other requests either.
func (p *loaded) each(count, workers int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(count) && p.failures.Load() < 20; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}

// lives requires that the simulator is ready and answers, on both listeners, within seconds.
func (p *loaded) lives() {
	p.client.Timeout = 10 * time.Second
	for call, status := range map[string]int{"GET /readyz": http.StatusOK,
		"POST /v1/sandboxes/default/reset": http.StatusNoContent} {
		res := p.control(call, "", io.Discard)
		require.NotNil(p, res, call)
		require.Equal(p, status, res.StatusCode, call)
	}
	p.call("", simtest.CreateGroup)
	p.call("", simtest.GetDisclosures)
}

package testkit

import (
	"net/http"
	"sync"
)

// maxEqual is how many times in a row a client may send the same request, and have it fail, before the test fails (choice).
const maxEqual = 1000

// patience ends the goroutine of an app that sends a request again and again though it fails, and fails the test: a test that waits for
// such an app would end by its time limit alone, which says nothing.
type patience struct {
	http.RoundTripper
	bank *Bank

	mu    sync.Mutex
	last  string // method and URL
	times int    // that it has failed in a row
}

// RoundTrip sends a request.
func (p *patience) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := p.RoundTripper.RoundTrip(r)
	if p.failed(r.Method+" "+r.URL.String(), err != nil || res.StatusCode >= 400) == maxEqual {
		p.bank.t.Fatalf("testkit: the app has sent %s %s %d times in a row, and each time it failed: it retries without end",
			r.Method, r.URL, maxEqual)
	}
	return res, err
}

// failed notes what became of a request, and returns how many times in a row it has failed.
func (p *patience) failed(request string, failed bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if request != p.last {
		p.last, p.times = request, 0
	}
	if p.times++; !failed {
		p.times = 0
	}
	return p.times
}

// CloseIdleConnections closes those of the transport.
func (p *patience) CloseIdleConnections() {
	(&http.Client{Transport: p.RoundTripper}).CloseIdleConnections()
}

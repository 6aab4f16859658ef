package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	requestTimeout = 30 * time.Second // of one request and its answer
	maxAnswer      = 4 << 20          // bytes of an answer that are read

	maxAttempts   = 4                // at a request that the service is too busy for
	maxRetryAfter = 30 * time.Second // longer ones are cut
	busyPause     = time.Second      // where the service names none; doubled each time
)

// client sends requests to the service.
type client struct {
	Config
	http *http.Client
	next time.Time // when the rate allows the next request
}

func newClient(cfg Config) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg.TLS
	return &client{Config: cfg, http: &http.Client{
		Transport:     transport,
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // an answer like any other
	}}
}

// answer is what the service answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) accepted() bool { return a.status < 300 }

// busy reports whether the service refused the request because of what else it has to do.
func (a answer) busy() bool {
	return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
}

// errUnsent is the error for a request that was not sent because the context had ended.
var errUnsent = errors.New("it was interrupted")

// unsent reports whether a request has certainly not arrived.
func unsent(err error) bool {
	var failed *net.OpError
	return errors.Is(err, errUnsent) || errors.As(err, &failed) && failed.Op == "dial"
}

// send sends a request, and again, a few times, where the service is too busy for it. An error is one of the connection, or
// the end of the context. The answer to a request that changes something is awaited in any case: without it, nobody would
// know what there is to undo.
func (c *client) send(ctx context.Context, r fixtures.Request) (answer, error) {
	for attempt := 1; ; attempt++ {
		if err := c.pace(ctx); err != nil {
			return answer{}, fmt.Errorf("%w: %w", errUnsent, err)
		}
		through := ctx
		if !safe(r.Method) {
			through = context.WithoutCancel(ctx)
		}
		got, err := c.sendOnce(through, r)
		if err != nil || !got.busy() {
			return got, err
		}
		if attempt == maxAttempts {
			return got, fmt.Errorf("the service was too busy for it and answered %d, %d times: --rate sends less", got.status, attempt)
		}
		if err := pause(ctx, retryAfter(got.header, busyPause<<(attempt-1))); err != nil {
			return answer{}, err
		}
	}
}

// retryAfter returns how long a service asks to wait, up to a bound; otherwise the given time.
func retryAfter(h http.Header, otherwise time.Duration) time.Duration {
	if seconds, err := strconv.Atoi(h.Get(contract.RetryAfter.Name)); err == nil && seconds >= 0 {
		return min(time.Duration(min(seconds, 3600))*time.Second, maxRetryAfter)
	}
	return otherwise
}

// pause waits, or fails with the end of the context.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *client) sendOnce(ctx context.Context, r fixtures.Request) (answer, error) {
	var body io.Reader = strings.NewReader(r.Content())
	if r.Chunked {
		body = io.MultiReader(body) // hides the length from net/http
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.baseURL(r.Path)+r.Path, body)
	if err != nil {
		return answer{}, errors.New("the credentials make an invalid path: correct the values for users and accounts")
	}
	maps.Copy(req.Header, c.Header)
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, withoutURL(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return answer{}, fmt.Errorf("the answer broke off: %w", err)
	}
	return answer{res.StatusCode, res.Header, data}, nil
}

// pace waits until the rate allows another request.
func (c *client) pace(ctx context.Context) error {
	if c.Rate <= 0 {
		return ctx.Err()
	}
	wait := max(time.Until(c.next), 0)
	c.next = time.Now().Add(wait + time.Duration(float64(time.Second)/c.Rate))
	return pause(ctx, wait)
}

// withoutURL returns the cause of a failed request: its URL names users and accounts.
func withoutURL(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// baseURL returns the base URL of a path: that of its family, if it has one of its own.
func (c *client) baseURL(path string) string {
	family, begins := contract.NearestFamily(path)
	for _, op := range contract.AllSpoken() {
		if base, ok := c.BaseURLs[op.Kind()]; ok && begins && op.Family == family {
			return base
		}
	}
	return c.BaseURL
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

const (
	requestTimeout = 30 * time.Second // of one request and its answer
	maxAnswer      = 1 << 20          // bytes of an answer that is compared (choice)
)

// client sends requests to the service.
type client struct {
	cfg  Config
	http *http.Client
	next time.Time // when the rate allows the next request
}

func newClient(cfg Config) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg.TLS
	return &client{cfg: cfg, http: &http.Client{
		Transport: transport,
		Timeout:   requestTimeout,
		// A redirection is an answer like any other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is what the service answered.
type answer struct {
	status int
	header http.Header
	body   []byte // or nil if it is too large
	// isLarge says whether the body has more than maxAnswer.
	isLarge bool
}

func (a answer) accepted() bool { return a.status < 300 }

// errUnsent is the error for a request that was not sent because the context had ended.
var errUnsent = errors.New("it was interrupted")

// unsent reports whether a request has certainly not arrived.
func unsent(err error) bool {
	var failed *net.OpError
	return errors.Is(err, errUnsent) || errors.As(err, &failed) && failed.Op == "dial"
}

// send sends a request. An error is one of the connection, that the service is too busy, or the end of the context.
// After the end of the context, send still waits a while for the answer to a request that changes something: it says
// what to undo.
func (c *client) send(ctx context.Context, r fixtures.Request) (answer, error) {
	if err := c.pace(ctx); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errUnsent, err)
	}
	if !safe(r.Method) {
		var cancel context.CancelFunc
		ctx, cancel = outlast(ctx, endTimeout)
		defer cancel()
	}
	var body io.Reader = strings.NewReader(r.Content())
	if r.Chunked {
		body = io.MultiReader(body) // hides the length from net/http
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.cfg.BaseURL+r.Path, body)
	if err != nil {
		return answer{}, errors.New("the credentials make an invalid path: correct the values for users and accounts")
	}
	maps.Copy(req.Header, c.cfg.Header)
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, errors.Unwrap(err) // a url.Error without its URL: it names users and accounts
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return answer{}, fmt.Errorf("the answer broke off: %w", err)
	}
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable {
		err = fmt.Errorf("the service was too busy for it and answered %d: --rate sends less", res.StatusCode)
	}
	if len(data) > maxAnswer {
		return answer{res.StatusCode, res.Header, nil, true}, err
	}
	return answer{res.StatusCode, res.Header, data, false}, err
}

// paced returns how long the rate delays some requests.
func (c *client) paced(count int) time.Duration {
	if c.cfg.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(count) * float64(time.Second) / c.cfg.Rate)
}

// pace waits until the rate allows another request.
func (c *client) pace(ctx context.Context) error {
	if c.cfg.Rate <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Until(c.next))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	c.next = time.Now().Add(c.paced(1))
	return ctx.Err()
}

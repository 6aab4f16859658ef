package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

const (
	requestTimeout = 30 * time.Second // of one request and its answer
	maxAnswer      = 4 << 20          // bytes of an answer that are read
)

// Config says what is checked, and how.
type Config struct {
	BaseURL     string      // of the service; every path of the interface is appended to it
	Credentials Credentials // nil: the service knows the values of the golden exchanges, as a simulator on retail does
	Only        []string    // operations or exchanges, such as groups.* or groups.list/200-first-page; empty: all
	AllowWrites bool        // whether requests are sent that may change something
	Record      io.Writer   // what the service answered, redacted, as a line of JSON for each exchange; nil: nothing
}

// Run replays the exchanges. It fails where the service can't be reached or the configuration is wrong (see
// [Config.Validate]); drifts are no failure but in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	golden, err := fixtures.Load()
	if err != nil {
		return Report{}, err
	}
	c := &checker{Config: cfg, client: &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // an answer as any other
	}}
	defer c.client.CloseIdleConnections()
	c.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	report := Report{BaseURL: c.BaseURL}
	for _, e := range golden {
		if !selected(e, cfg.Only) {
			continue
		}
		result := Result{Exchange: e.Name, Operation: e.Operation(), About: e.About}
		if result.Skipped = c.reasonToSkip(e); result.Skipped == "" {
			if err := c.replay(ctx, e, &result); err != nil {
				return report, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

// Validate tells what is wrong with a configuration.
func (cfg Config) Validate() error {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return fmt.Errorf("the base URL %q is not an address such as https://bank.example/api", cfg.BaseURL)
	}
	if err := cfg.Credentials.validate(); err != nil {
		return err
	}
	golden, err := fixtures.Load()
	if err != nil {
		return err
	}
	for _, pattern := range cfg.Only {
		found := false
		for _, e := range golden {
			found = found || selected(e, []string{pattern})
		}
		if !found {
			return fmt.Errorf("no golden exchange is selected by %q: give an operation, such as groups.list or groups.*, or an exchange", pattern)
		}
	}
	return nil
}

// selected tells whether an exchange is among those that patterns name; no patterns name all.
func selected(e fixtures.Exchange, patterns []string) bool {
	for _, pattern := range patterns {
		for _, name := range []string{e.Operation(), e.Name} {
			if matches, err := path.Match(pattern, name); err == nil && matches {
				return true
			}
		}
	}
	return len(patterns) == 0
}

// checker replays exchanges.
type checker struct {
	Config
	client *http.Client
}

// answer is what the service answered.
type answer struct {
	status int
	header http.Header
	body   []byte
	at     time.Time
	took   time.Duration
}

// replay sends an exchange's requests, compares the answer to the last one, and undoes what was changed.
func (c *checker) replay(ctx context.Context, e fixtures.Exchange, result *Result) error {
	s := c.newSubstitution(e)
	p, err := c.prepare(ctx, e, s)
	if err != nil {
		return err
	}
	err = c.replayPrepared(ctx, e, s, p, result)
	result.LeftBehind = p.undo(context.WithoutCancel(ctx), c)
	return err
}

func (c *checker) replayPrepared(ctx context.Context, e fixtures.Exchange, s *substitution, p *plan, result *Result) error {
	for _, r := range e.Before {
		request := s.request(r)
		got, err := c.send(ctx, request)
		if err != nil {
			return err
		}
		p.note(request, got)
		if got.status >= 300 {
			result.Drifts = []Drift{newDrift(e, entryOfAnswer(e), fmt.Sprintf(
				"a request that comes first, %s %s, should succeed; the service answered %d", r.Method, r.Path, got.status))}
			return nil
		}
	}
	request := s.request(e.Request)
	got, err := c.send(ctx, request)
	if err != nil {
		return err
	}
	p.note(request, got)
	result.Drifts = compare(e, s, got)
	return c.record(e, result, request, got)
}

// send sends a request. An error is one of the connection, not of the service.
func (c *checker) send(ctx context.Context, r fixtures.Request) (answer, error) {
	var body io.Reader = strings.NewReader(r.Content())
	if r.Chunked {
		body = io.MultiReader(body) // of a length that net/http doesn't know
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, c.BaseURL+r.Path, body)
	if err != nil {
		return answer{}, err
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	at := time.Now()
	res, err := c.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return answer{}, err
	}
	return answer{res.StatusCode, res.Header, data, at, time.Since(at)}, nil
}

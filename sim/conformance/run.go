package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const (
	requestTimeout = 30 * time.Second // of one request and its answer
	maxAnswer      = 4 << 20          // bytes of an answer that are read
)

// Config selects what is replayed, and where.
type Config struct {
	BaseURL     string      // of the service; every path of the interface is appended to it
	Credentials Credentials // nil: the service has the values of the golden exchanges, as a simulator on retail does
	Only        []string    // operations or exchanges, such as groups.* or groups.list/200-first-page; empty: all
	AllowWrites bool        // also send requests that may change something
	Record      io.Writer   // receives what the service answered, redacted, as a line of JSON for each exchange; may be nil
}

// Run replays the exchanges. It returns an error if the service can't be reached or the configuration is wrong (see
// [Config.Validate]); drifts are in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	golden, err := fixtures.Load()
	if err != nil {
		return Report{}, err
	}
	r := &replayer{Config: cfg, client: &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // an answer like any other
	}}
	defer r.client.CloseIdleConnections()
	r.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	report := Report{BaseURL: r.BaseURL}
	for _, e := range golden {
		if !selected(e, cfg.Only) {
			continue
		}
		result := Result{Exchange: e.Name, Operation: e.Operation(), About: e.About}
		if result.Skipped = r.reasonToSkip(e); result.Skipped == "" {
			if err := r.newReplay(e).run(ctx, &result); err != nil {
				return report, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

// Validate returns what is wrong with a configuration.
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
		if !slices.ContainsFunc(golden, func(e fixtures.Exchange) bool { return selected(e, []string{pattern}) }) {
			known := contract.Patterns()
			for _, e := range golden {
				known = append(known, e.Name)
			}
			return fmt.Errorf("no golden exchange is selected by %s%s", phrase.Quote(pattern), phrase.DidYouMean(pattern, known, "operations and exchanges are"))
		}
	}
	return nil
}

// selected reports whether patterns select an exchange; no patterns select all.
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

// replayer replays exchanges at one service.
type replayer struct {
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

func (a answer) accepted() bool { return a.status < 300 }

// reasonToSkip returns why an exchange can't be replayed at the service; empty: it can.
func (r *replayer) reasonToSkip(e fixtures.Exchange) string {
	switch {
	case e.Behavior != nil:
		return "tests a switch of the simulator"
	case e.Institutions != nil:
		return "needs a bank with data of its own"
	case e.Advance != "":
		return "needs a clock that can be advanced"
	}
	if value := r.Credentials.missing(e); value != "" {
		return fmt.Sprintf("needs a value for %q, which the credentials don't have", value)
	}
	mayChange := func(request fixtures.Request) bool { return request.Method != http.MethodGet }
	if !r.AllowWrites && slices.ContainsFunc(requests(e), mayChange) {
		return "may change something: --allow-writes replays it as well"
	}
	return e.Replay.Never
}

// requests returns the requests of an exchange in their order.
func requests(e fixtures.Exchange) []fixtures.Request {
	return append(slices.Clone(e.Before), e.Request)
}

// send sends a request. An error is one of the connection, not of the service.
func (r *replayer) send(ctx context.Context, request fixtures.Request) (answer, error) {
	var body io.Reader = strings.NewReader(request.Content())
	if request.Chunked {
		body = io.MultiReader(body) // hides the length from net/http
	}
	req, err := http.NewRequestWithContext(ctx, request.Method, r.BaseURL+request.Path, body)
	if err != nil {
		return answer{}, err
	}
	for name, value := range request.Headers {
		req.Header.Set(name, value)
	}
	at := time.Now()
	res, err := r.client.Do(req)
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

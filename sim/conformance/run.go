package conformance

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const (
	maxFailures = 5 // exchanges or journeys in a row that fail; the others are not run then
	maxWrong    = 5 // wrong answers before the first right one; the other exchanges are not run then
	interrupted = "it was interrupted"
)

// Run replays the exchanges. It returns an error if the configuration is wrong (see [Config.Validate]). Differences,
// and exchanges that could not be finished, are in the report. Run returns at most 10 s after the end of the context.
func Run(ctx context.Context, cfg Config) (Report, error) {
	r, err := newReplayer(cfg)
	if err != nil {
		return Report{}, err
	}
	defer r.close()
	if r.asksForValues() {
		r.cfg = r.withKnownValues(ctx)
	}
	r.journeyActs, r.whyNoJourney = r.possibleActs()
	report := Report{
		BaseURL: r.cfg.BaseURL, Dialect: r.cfg.dialect(), Started: time.Now().UTC(), policy: r.policy,
	}
	if r.cfg.Journeys > 0 {
		report.Seed = r.cfg.Seed
	}
	failures := 0
	total := len(r.golden) + r.cfg.Journeys
	for i := range total {
		if r.cfg.Progress != nil {
			r.cfg.Progress(i, total)
		}
		if ctx.Err() != nil {
			report.Stopped = "not run: the check was interrupted"
		}
		var result Result
		if i < len(r.golden) {
			result = r.tryExchange(ctx, r.golden[i], report.Stopped)
		} else {
			result = r.tryJourney(ctx, i-len(r.golden)+1, report.Stopped)
		}
		switch {
		case result.Error != "":
			if failures++; failures == maxFailures {
				report.Stopped = fmt.Sprintf("not run: %d exchanges or journeys in a row failed, the last with: %s",
					failures, result.Error)
			}
		case result.Skipped == "":
			failures = 0
		}
		report.Results = append(report.Results, result)
		if why := r.reasonToStop(); why != "" {
			report.Stopped = why
			report.Results = slices.DeleteFunc(report.Results, func(r Result) bool { return r.LeftBehind == nil })
			break
		}
	}
	return report, nil
}

// asksForValues reports whether the check first asks which golden values the service knows. A few exchanges would be
// fewer requests than that.
func (r *replayer) asksForValues() bool { return r.cfg.Credentials == nil && len(r.golden) > maxWrong }

// tryExchange replays an exchange, unless there is a reason not to or the check is stopped.
func (r *replayer) tryExchange(ctx context.Context, e fixtures.Exchange, stopped string) Result {
	result := Result{Exchange: e.Name, Operation: e.Operation(), About: e.About}
	p := r.cfg.planOf(e)
	if result.Skipped = cmp.Or(r.reasonToSkip(e, p), stopped); result.Skipped == "" {
		one := r.newReplay(e, p)
		one.undoing(ctx, &result, one.sendExchange)
		r.ignore(&result)
	}
	return result
}

// reasonToStop returns why the address or the credentials are wrong, or "".
func (r *replayer) reasonToStop() string {
	if r.authorized.areWrong() {
		return fmt.Sprintf("the credentials don't fit: %s answers 401 to each of the first %d requests with them; "+
			"correct the tokens, the keys and the institution", r.cfg.BaseURL, r.authorized.wrong)
	}
	if r.recognized.areWrong() {
		return fmt.Sprintf("%s is not the interface: none of the first %d answers is one of it, the last is %s",
			r.cfg.BaseURL, r.recognized.wrong, r.recognized.last)
	}
	return ""
}

// firstAnswers are the answers of a service until the first right one.
type firstAnswers struct {
	wrong   int    // how many were wrong
	last    string // the last wrong one, if a message shows it
	isRight bool   // whether the right one has come
}

// areWrong reports whether so many were wrong that the check stops.
func (a firstAnswers) areWrong() bool { return !a.isRight && a.wrong >= maxWrong }

// ignore separates the differences about entries that are to be ignored.
func (r *replayer) ignore(result *Result) {
	isIgnored := func(d Difference) bool { return slices.Contains(r.cfg.Ignore, d.Entry) }
	for _, d := range result.Differences {
		if isIgnored(d) {
			result.Ignored = append(result.Ignored, d)
		}
	}
	result.Differences = slices.DeleteFunc(result.Differences, isIgnored)
}

// replayer replays exchanges at one service.
type replayer struct {
	cfg    Config
	client *client
	setting

	settings map[string]setting // others, to explain differences

	golden []fixtures.Exchange // that the configuration selects

	journeyActs  [][]*act // that the configuration allows, by subject
	whyNoJourney string   // why no journey is run, or none any more; or empty

	stopped map[*contract.Operation]string // why a create isn't sent any more: what it makes can't be deleted
	users   map[string]userState           // before the check, by the golden hostUserId
	userIDs map[string]string              // the institutionUserId of users, by the golden hostUserId
	leftOut map[string]error               // why a user is not changed
	secrets []string                       // that reports must not show, the longest first

	foundByJourneys map[string]bool // the entries about which an earlier journey differs

	recognized firstAnswers // right: one that the interface could give
	authorized firstAnswers // to requests with credentials; right: accepted, wrong: 401
}

func newReplayer(cfg Config) (*replayer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	if cfg.Behavior == nil {
		b := sim.DefaultBehavior()
		cfg.Behavior = &b
	}
	if cfg.Seed == 0 {
		cfg.Seed = 1 + mathrand.Uint64N(1_000_000)
	}
	golden, err := cfg.exchanges()
	if err != nil {
		return nil, err
	}
	golden = slices.DeleteFunc(golden, func(e fixtures.Exchange) bool { return !selected(e, cfg.Only) })
	expected, err := newSetting(*cfg.Behavior, cfg.dialect())
	if err != nil {
		return nil, err
	}
	r := &replayer{
		cfg:      cfg,
		client:   newClient(cfg),
		setting:  expected,
		golden:   golden,
		stopped:  map[*contract.Operation]string{},
		users:    map[string]userState{},
		leftOut:  map[string]error{},
		userIDs:  map[string]string{},
		settings: map[string]setting{},

		foundByJourneys: map[string]bool{},
	}
	if cfg.Credentials != nil {
		for _, name := range fixtures.Secrets {
			r.keepSecret(cfg.Credentials[name])
		}
		for app, secret := range fixtures.Clients {
			keys := cfg.Credentials[app] + ":" + cfg.Credentials[secret]
			r.keepSecret(base64.StdEncoding.EncodeToString([]byte(keys)))
		}
	}
	for _, values := range cfg.Header {
		r.keepSecret(values...)
	}
	return r, nil
}

func (r *replayer) close() {
	r.client.http.CloseIdleConnections()
	r.simulator.sandboxes.Close()
	for _, other := range r.settings {
		other.simulator.sandboxes.Close()
	}
}

// keepSecret has reports not show secrets. Shorter ones than four characters could be anything. Longer ones come first,
// because they may contain others.
func (r *replayer) keepSecret(secrets ...string) {
	for _, secret := range secrets {
		if len(secret) >= 4 {
			r.secrets = append(r.secrets, secret)
		}
	}
	slices.SortStableFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
}

// scrub returns a text, of JSON or not, on one line and without secrets.
func (r *replayer) scrub(text string) string { return wording.Line(r.hide(text)) }

// hide returns a text without secrets.
func (r *replayer) hide(text string) string {
	for _, secret := range r.secrets {
		for _, form := range []string{secret, inJSON(secret), inURL(secret)} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
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

// requests returns the requests of an exchange in their order.
func requests(e fixtures.Exchange) []fixtures.Request {
	return append(slices.Clone(e.Before), e.Request)
}

// reasonToSkip returns why an exchange can't be replayed at the service, or "".
func (r *replayer) reasonToSkip(e fixtures.Exchange, p plan) string {
	switch {
	case e.Institutions != nil:
		return "needs a bank with data of its own"
	case e.Advance != "":
		return "needs a clock that can be advanced"
	}
	all := p.all()
	for _, request := range all {
		if value := r.cfg.Credentials.missing(request.Request, p.issue != nil); value != "" {
			return fmt.Sprintf("needs a value for %q, which the credentials don't have", value)
		}
	}
	mayChange := func(request planned) bool { return !safe(request.Method) }
	if !r.cfg.AllowWrites && slices.ContainsFunc(all, mayChange) {
		return "may change something: --allow-writes replays it as well"
	}
	if e.Replay.Never != "" {
		return e.Replay.Never
	}
	if !r.cfg.Credentials.has(TryWrong) && slices.ContainsFunc(all, planned.isWrongLogin) {
		return "sends a wrong password or secret: " + strconv.Quote(TryWrong) + `: "yes" in the credentials lets it`
	}
	for _, request := range all {
		if reason := cmp.Or(request.refused, r.stopped[request.changes]); reason != "" {
			return reason
		}
	}
	return ""
}

// DryRun writes what [Run] would send, with the values of the golden exchanges in the place of the service's own, and
// sends nothing. It says which kinds of requests it doesn't list.
func DryRun(w io.Writer, cfg Config) error {
	r, err := newReplayer(cfg)
	if err != nil {
		return err
	}
	defer r.close()
	r.journeyActs, r.whyNoJourney = r.possibleActs()
	text := ""
	for _, e := range r.golden {
		p := r.cfg.planOf(e)
		if r.reasonToSkip(e, p) != "" {
			continue
		}
		text += e.Name + "\n"
		for _, request := range p.all() {
			text += fmt.Sprintf("  %s %s\n", request.Method, r.cfg.BaseURL+request.Path)
		}
	}
	if r.cfg.Journeys > 0 && r.whyNoJourney == "" {
		text += fmt.Sprintf("the journeys of --seed %d:\n", r.cfg.Seed)
	}
	for number := 1; r.whyNoJourney == "" && number <= r.cfg.Journeys; number++ {
		text += r.cfg.journeyName(number) + "\n"
		for _, s := range r.drawJourney(number) {
			request := r.cfg.translated(s.request(r.cfg, s))
			text += fmt.Sprintf("  %s %s\n", request.Method, r.cfg.BaseURL+request.Path)
		}
	}
	text += "not listed: requests that read users, changes and jobs back, and requests that undo changes\n"
	if r.asksForValues() {
		text += "not listed: requests that ask which golden values the service knows; what needs others is skipped\n"
	}
	_, err = io.WriteString(w, text)
	return err
}

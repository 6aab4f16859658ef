package infer

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Bank is a bank in this process.
type Bank interface {
	// Ask sends a request at a time of the bank's clock.
	Ask(at time.Time, r *http.Request) Answer
	Close()
}

// Answer is what a bank answers, and why.
type Answer struct {
	Status   int
	Body     []byte
	Decision journal.Decision
}

// Open opens a bank that begins as a scenario says.
type Open func(*scenario.Scenario) Bank

// outcome is what a bank answers to a request of the capture.
type outcome struct {
	exchange
	got     Answer
	differs []string // where the answers differ; empty: they agree
	trusted bool     // whether all changes before it had the answers of the capture
}

// accepts reports whether the bank accepts the request.
func (o outcome) accepts() bool { return o.got.Status < 300 }

// distance returns how far the answers are from each other: another status is the farthest.
func (o outcome) distance() int {
	if o.status != o.got.Status {
		return math.MaxInt
	}
	return len(o.differs)
}

// ask sends the exchanges to a bank, until one of the outcomes is not wanted.
func ask(ctx context.Context, bank Bank, all []exchange, wanted func(outcome) bool) ([]outcome, error) {
	var outcomes []outcome
	drawn, trusted := drawn{}, true
	for _, x := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o := outcome{exchange: x, got: bank.Ask(x.at, drawn.request(x)), trusted: trusted}
		o.differs = drawn.differences(o)
		outcomes = append(outcomes, o)
		if !wanted(o) {
			break
		}
		trusted = trusted && (len(o.differs) == 0 || !x.op.Changes)
	}
	return outcomes, nil
}

// drawn maps ids and tokens of the capture to those that the bank has drawn in their place.
type drawn map[string]string

// drawnMembers are the members of answers whose values are drawn: the ids of new rows, and tokens.
var drawnMembers = []string{"groupId", "experienceId", "jobId", "alertPrefId", "access_token", "refresh_token", "id_token", "code"}

// creates reports whether an operation draws ids.
func creates(op *contract.Operation) bool { return op.Changes && op.Method == http.MethodPost }

// word matches what may be an id or a token.
var word = regexp.MustCompile(`[A-Za-z0-9]+(-[A-Za-z0-9]+)*`)

// alertPrefID matches the id of an alert preference in a body: a number, which can't be told from others without its name.
var alertPrefID = regexp.MustCompile(`("alertPrefId"\s*:\s*)(\d+)`)

// in returns a text with the bank's ids in it.
func (d drawn) in(text string) string {
	return word.ReplaceAllStringFunc(text, func(value string) string {
		if own, known := d[value]; known && strings.Trim(value, "0123456789") != "" {
			return own
		}
		return value
	})
}

// request returns a request of the capture with the bank's ids in it.
func (d drawn) request(x exchange) *http.Request {
	path := d.in(x.path)
	if id := x.vars["alertPreferenceId"]; d[id] != "" {
		path = strings.TrimSuffix(path, id) + d[id]
	}
	body := alertPrefID.ReplaceAllStringFunc(d.in(string(x.body)), func(member string) string {
		parts := alertPrefID.FindStringSubmatch(member)
		if d[parts[2]] != "" {
			return parts[1] + d[parts[2]]
		}
		return member
	})
	r := &http.Request{
		Method: x.method, URL: &url.URL{Path: path, RawQuery: d.in(x.query.Encode())}, Host: "bank.test",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: http.NoBody, ContentLength: int64(len(body)),
	}
	if plain, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = plain, path
	}
	if body != "" {
		r.Body = readCloser{strings.NewReader(body)}
	}
	for name, values := range x.header {
		for _, value := range values {
			if name = http.CanonicalHeaderKey(name); name == "Authorization" {
				value = d.in(value)
			}
			r.Header.Add(name, value)
		}
	}
	for _, name := range notSent {
		r.Header.Del(name)
	}
	if body != "" {
		r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	return r
}

// notSent are headers that are about the connection, or for the simulator that the capture comes from.
var notSent = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", contract.SandboxHeader, "Origin"}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// differences returns where the answer of the bank differs from that of the capture. It notes what the bank has drawn.
func (d drawn) differences(o outcome) []string {
	if o.status != o.got.Status {
		return []string{fmt.Sprintf("status %d, not %d", o.got.Status, o.status)}
	}
	want, got := decode(o.answer), decode(o.got.Body)
	if want == nil && got == nil {
		return nil
	}
	return d.compare(o.exchange, "", want, got)
}

// free are members of answers that no bank has to repeat: texts for people, what is left of a lifetime, and names that
// the service makes up.
var free = []string{"message", "errorMessage", "statusMessage", "expires_in", "refresh_token_expires_in",
	"workingFileName", "institutionUserDisclosureId"}

var (
	isTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT`)
	baseURL = regexp.MustCompile(`^https?://[^/]+`)
)

// compare returns the places where two JSON values differ. The place is that of the values.
func (d drawn) compare(x exchange, place string, want, got any) []string {
	name := place[strings.LastIndex(place, ".")+1:]
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return []string{place + ": no object"}
		}
		var all []string
		for name, value := range want {
			all = append(all, d.compare(x, place+"."+name, value, got[name])...)
		}
		for name := range got {
			if _, there := want[name]; !there {
				all = append(all, place+"."+name+": not in the capture")
			}
		}
		slices.Sort(all)
		return all
	case []any:
		got, ok := got.([]any)
		if !ok || len(want) != len(got) {
			return []string{fmt.Sprintf("%s: %d elements, not %d", place, len(got), len(want))}
		}
		var all []string
		for i := range want {
			all = append(all, d.compare(x, place, want[i], got[i])...)
		}
		return slices.Compact(all)
	}
	wantText, gotText := valueText(want), valueText(got)
	own, known := d[wantText]
	switch {
	case want == nil || got == nil:
		if want == got {
			return nil
		}
	case x.accepted() && creates(x.op) && slices.Contains(drawnMembers, name):
		if !known {
			d[wantText] = gotText
			return nil
		} else if own == gotText {
			return nil
		}
	case name == "href":
		_, after, _ := strings.Cut(baseURL.ReplaceAllString(wantText, ""), x.path)
		if d.in(x.path+after) == baseURL.ReplaceAllString(gotText, "") || after == "" {
			return nil
		}
	case x.accepted() && slices.Contains(drawnMembers, name) && known:
		if own == gotText {
			return nil
		}
	case slices.Contains(free, name), isTime.MatchString(wantText) && isTime.MatchString(gotText),
		want == got:
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, not %s", place, phrase.Shorten(gotText), phrase.Shorten(wantText))}
}

// valueText returns a text, a number or a boolean, or that there is none.
func valueText(value any) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprint(value)
}

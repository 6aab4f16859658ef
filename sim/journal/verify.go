package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// ErrEvicted is why Verify fails: exchanges that the journal no longer holds could change what it says.
var ErrEvicted = errors.New("exchanges that were evicted could change the outcome")

// Verification says whether an expectation is fulfilled. If it isn't, NearMisses has the requests that came closest.
type Verification struct {
	Verified   bool       `json:"verified"`
	Matched    int        `json:"matched"`    // how many requests of the journal match
	Matches    []string   `json:"matches"`    // ids of the newest matches, at most 10, the newest last; never nil
	NearMisses []NearMiss `json:"nearMisses"` // requests that don't match, the closest first; never nil
	Text       string     `json:"text"`       // the outcome in words, as a failed test shows it

	// Of one expectation that isn't fulfilled, for a runner that shows both side by side.
	Expected map[string]any `json:"expected,omitzero" doc:"The expectation, with its count. Not there: it is fulfilled, or an order."`
	Actual   map[string]any `json:"actual,omitzero" doc:"The same with the count of the bank, and with what the nearest request has instead."`

	IsFinal bool `json:"-"` // whether it is fulfilled, or no later request can fulfil it
}

// NearMiss is an exchange that fulfils only some conditions of an expectation, and what differs.
type NearMiss struct {
	ID          string       `json:"id"`
	Operation   string       `json:"operation"`
	Differences []Difference `json:"differences"`
}

// Difference is one condition that isn't fulfilled. Secrets in it are fingerprints.
type Difference struct {
	Field string `json:"field"` // the field of the expectation, such as "status", "header.fiid" or "body.groupName"
	Want  any    `json:"want"`  // the expected value; nil means absent
	Got   any    `json:"got"`   // the value in the request; nil means absent
}

// String says what differs, and the types if they differ.
func (d Difference) String() string {
	got, want := string(strictjson.MustEncode(d.Got)), string(strictjson.MustEncode(d.Want))
	if d.Got != nil && d.Want != nil && match.Kind(d.Got) != match.Kind(d.Want) {
		got, want = got+" ("+match.Kind(d.Got)+")", want+" ("+match.Kind(d.Want)+")"
	}
	return fmt.Sprintf("%s is %s, not %s", d.Field, got, want)
}

// onlyBeginning stands for what a body has that is too long for the journal.
const onlyBeginning = "(not known: the journal has only the beginning of the body)"

// NoRequestAtAll is the first line of a text about a journal without a request.
const NoRequestAtAll = "verified: the bank had no request at all"

const (
	maxMatches    = 10
	maxNearMisses = 3
)

// Verify compares the exchanges that the journal holds with an expectation. It returns ErrEvicted where exchanges that
// were evicted since the start or the last ClearTo could change the outcome. Any other error names the field of the
// expectation that is wrong, and the remedy.
//
// Verify looks only at the exchanges after a number. When the context ends, so does the comparison: then Verify returns
// the context's error.
func (j *Journal) Verify(ctx context.Context, e Expectation, after uint64) (Verification, error) {
	low, high, err := e.bounds()
	if err != nil {
		return Verification{}, err
	}
	conditions, err := e.conditions()
	if err != nil {
		return Verification{}, err
	}
	if len(conditions.All) == 0 && e.Exactly == nil && e.AtLeast == nil && e.AtMost == nil {
		return Verification{}, errors.New("nothing is expected: give at least one of operation, status, method, path, " +
			"header, query, body, or a count")
	}
	entries, evicted := j.snapshot(after)
	found := Verification{Matches: []string{}, NearMisses: []NearMiss{}}
	for _, e := range slices.Backward(entries) {
		if isMatch, err := matches(ctx, e, conditions.All); err != nil {
			return Verification{}, err
		} else if !isMatch {
			continue
		}
		found.Matched++
		if len(found.Matches) < maxMatches {
			found.Matches = append(found.Matches, formatID(e.number))
		}
	}
	slices.Reverse(found.Matches)

	// Of the evicted exchanges, any number may have matched.
	most := found.Matched + int(evicted)
	found.Verified = low <= found.Matched && most <= high
	if failed := found.Matched > high || most < low; !found.Verified && !failed && evicted > 0 {
		return Verification{}, fmt.Errorf("%w: %d were evicted, or came before a restart: verify sooner, or clear the "+
			"journal before what is verified", ErrEvicted, evicted)
	}
	if found.Matched < low {
		found.NearMisses, err = nearMisses(ctx, entries, conditions.All)
	}
	found.IsFinal = found.Verified || found.Matched > high
	found.Text = found.inWords(low, high, conditions.All)
	if !found.Verified {
		found.Expected, found.Actual = e.contrast(found, conditions.All)
	}
	if found.Verified && len(entries) == 0 && evicted == 0 {
		found.Text = NoRequestAtAll + "\n" + found.Text
	}
	return found, err
}

// contrast returns an expectation that isn't fulfilled as JSON has it and, in the same form, what the bank had: the
// count, and the values of the nearest request.
func (e Expectation) contrast(
	found Verification, conditions []match.Condition[*subject],
) (expected, actual map[string]any) {
	expected, actual = map[string]any{}, map[string]any{}
	for _, c := range conditions {
		put(expected, c.Field, c.Shown)
		put(actual, c.Field, c.Shown)
	}
	if len(found.NearMisses) > 0 {
		for _, d := range found.NearMisses[0].Differences {
			put(actual, d.Field, d.Got)
		}
	}
	switch {
	case e.Exactly != nil:
		expected["exactly"], actual["exactly"] = *e.Exactly, found.Matched
	case e.AtMost != nil && found.Matched > *e.AtMost:
		expected["atMost"], actual["atMost"] = *e.AtMost, found.Matched
	default:
		expected["atLeast"], actual["atLeast"] = 1, found.Matched
		if e.AtLeast != nil {
			expected["atLeast"] = *e.AtLeast
		}
	}
	return expected, actual
}

// put sets the member that a field such as header.fiid or body.groupName names. A name of a header or a query parameter
// may have dots.
func put(object map[string]any, field string, value any) {
	path := strings.Split(field, ".")
	if path[0] == "header" || path[0] == "query" {
		path = strings.SplitN(field, ".", 2)
	}
	for _, name := range path[:len(path)-1] {
		inner, _ := object[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = value
}

// inWords describes the expectation and the requests: in a line, and a line for each match and each difference.
func (v Verification) inWords(low, high int, conditions []match.Condition[*subject]) string {
	var text strings.Builder
	text.WriteString("expected requests (")
	for _, c := range conditions {
		fmt.Fprintf(&text, "%s %s, ", c.Field, strictjson.MustEncode(c.Shown))
	}
	switch {
	case low == high:
		fmt.Fprintf(&text, "exactly %d", low)
	case high == math.MaxInt:
		fmt.Fprintf(&text, "at least %d", low)
	default:
		fmt.Fprintf(&text, "%d to %d", low, high)
	}
	plural := "s"
	if v.Matched == 1 {
		plural = ""
	}
	fmt.Fprintf(&text, "): the bank had %d such request%s", v.Matched, plural)
	for _, id := range v.Matches {
		fmt.Fprintf(&text, "\n\tmatch: exchange %s", id)
	}
	v.writeNearMisses(&text)
	return text.String()
}

// writeNearMisses writes a line for each near miss, and one for each of its differences.
func (v Verification) writeNearMisses(text *strings.Builder) {
	for _, miss := range v.NearMisses {
		fmt.Fprintf(text, "\n\tnear miss: exchange %s, %s", miss.ID, cmp.Or(miss.Operation, "no operation's path"))
		for _, d := range miss.Differences {
			text.WriteString("\n\t\t" + d.String())
		}
	}
}

// matches reports whether a request fulfils all conditions. The conditions for the body come last: matches fails if the
// others hold and the journal has only the beginning of the body.
func matches(ctx context.Context, e *Exchange, conditions []match.Condition[*subject]) (bool, error) {
	s := &subject{Exchange: e}
	for _, c := range conditions {
		if err := ctx.Err(); err != nil { // one condition can take long
			return false, err
		}
		if e.Request.BodyTruncated && strings.HasPrefix(c.Field, "body") {
			return false, fmt.Errorf("the journal has only the beginning of the body of exchange %s, which has "+
				"%d bytes: leave out %s", formatID(e.number), e.Request.BodyBytes, c.Field)
		}
		if !c.Fulfilled(s) {
			return false, nil
		}
	}
	return true, nil
}

// fulfilled counts the conditions that a request fulfils.
func fulfilled(ctx context.Context, s *subject, conditions []match.Condition[*subject]) (count int, err error) {
	for _, c := range conditions {
		if err := ctx.Err(); err != nil { // one condition can take long
			return 0, err
		}
		if c.Fulfilled(s) {
			count++
		}
	}
	return count, nil
}

// nearMisses returns the exchanges that fulfil the most conditions but not all, the newest first among equals.
func nearMisses(ctx context.Context, entries []*Exchange, conditions []match.Condition[*subject]) ([]NearMiss, error) {
	type score struct {
		entry    *Exchange
		fulfills int
	}
	scores := make([]score, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		fulfills, err := fulfilled(ctx, &subject{Exchange: e}, conditions)
		if err != nil {
			return nil, err
		}
		if fulfills < len(conditions) {
			scores = append(scores, score{e, fulfills})
		}
	}
	slices.SortStableFunc(scores, func(a, b score) int { return cmp.Compare(b.fulfills, a.fulfills) })
	misses := []NearMiss{}
	for _, near := range scores[:min(len(scores), maxNearMisses)] {
		s := &subject{Exchange: near.entry}
		miss := NearMiss{ID: formatID(near.entry.number), Operation: near.entry.Operation}
		for _, c := range conditions {
			if ctx.Err() != nil {
				break
			}
			if near.entry.Request.BodyTruncated && strings.HasPrefix(c.Field, "body") {
				miss.Differences = append(miss.Differences, Difference{c.Field, c.Shown, onlyBeginning})
			} else if got := c.Got(s); !c.Holds(got) {
				miss.Differences = append(miss.Differences, Difference{c.Field, c.Shown, got})
			}
		}
		misses = append(misses, miss)
	}
	return misses, ctx.Err()
}

package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// VerifyInOrder looks for an exchange for each expectation, each after that for the expectation before; others may come
// between. It looks at the exchanges after a number. It fails as [Journal.Verify] does, and for an expectation with a
// count.
func (j *Journal) VerifyInOrder(ctx context.Context, wants []Expectation, after uint64) (Verification, error) {
	steps := make([]match.Conditions[*subject], len(wants))
	for i, want := range wants {
		if want.Exactly != nil || want.AtLeast != nil || want.AtMost != nil {
			return Verification{}, fmt.Errorf("inOrder[%d] has a count: give the expectation as often as it is meant", i)
		}
		var err error
		if steps[i], err = want.conditions(); err != nil {
			return Verification{}, fmt.Errorf("inOrder[%d]: %w", i, err)
		}
	}
	if len(steps) < 2 {
		return Verification{}, errors.New("an order has at least two expectations")
	}
	entries, evicted := j.snapshot(after)
	found := Verification{Matches: []string{}, NearMisses: []NearMiss{}}
	for _, step := range steps {
		i, err := indexOf(ctx, entries, step)
		if err != nil {
			return Verification{}, err
		}
		if i < 0 {
			break
		}
		found.Matched++
		found.Matches = append(found.Matches, formatID(entries[i].number))
		entries = entries[i+1:]
	}
	found.Verified = found.Matched == len(steps)
	found.IsFinal = found.Verified
	if !found.Verified {
		if evicted > 0 {
			return Verification{}, fmt.Errorf("%w: %d were evicted, or came before a restart", ErrEvicted, evicted)
		}
		var err error
		if found.NearMisses, err = nearMisses(ctx, entries, steps[found.Matched].All); err != nil {
			return Verification{}, err
		}
	}
	found.Text = found.inOrder(steps)
	return found, nil
}

// indexOf returns the index of the first exchange that fulfils a step, or -1.
func indexOf(ctx context.Context, entries []*Exchange, step match.Conditions[*subject]) (int, error) {
	for i, e := range entries {
		isMatch, err := matches(ctx, e, step.All)
		switch {
		case err != nil:
			return -1, err
		case isMatch:
			return i, nil
		}
	}
	return -1, nil
}

// inOrder says which expectation no exchange fulfils after the last one that was found.
func (v Verification) inOrder(steps []match.Conditions[*subject]) string {
	var text strings.Builder
	text.WriteString("expected requests in this order:")
	for i, step := range steps {
		var conditions []string
		for _, c := range step.All {
			conditions = append(conditions, fmt.Sprintf("%s %s", c.Field, strictjson.MustEncode(c.Shown)))
		}
		outcome := ""
		switch {
		case i < v.Matched:
			outcome = "exchange " + v.Matches[i]
		case i == v.Matched && i == 0:
			outcome = "the bank had no such request"
		case i == v.Matched:
			outcome = "the bank had no such request after exchange " + v.Matches[i-1]
		default:
			outcome = "not looked for"
		}
		fmt.Fprintf(&text, "\n\t%d. (%s): %s", i+1, strings.Join(conditions, ", "), outcome)
	}
	v.writeNearMisses(&text)
	return text.String()
}

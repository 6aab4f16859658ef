package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// faults writes the fault rules as they are now. Their windows are written as times of the clock, because the start from
// which they count is over.
func (s *saver) faults() {
	if len(s.Faults) == 0 {
		return
	}
	given := fault.NewSet(s.From.Faults, s.Seed).Counts()
	kept := 0
	for _, c := range s.Faults {
		shown := c.Rule.Shown()
		keeps := reflect.DeepEqual(shown, c.Rule) ||
			slices.ContainsFunc(given, func(g fault.Counted) bool { return reflect.DeepEqual(g.Rule, c.Rule) })
		if keeps && kept == 0 {
			s.line(0, "faults:")
		}
		if c.Matched > 0 {
			s.line(1, "# %s: matched %d, fired %d so far; the counts begin again", c.Name, c.Matched, c.Fired)
		}
		if !keeps {
			s.line(1, "# %s was added meanwhile and has hidden values: not kept", c.Name)
			s.rule("# ", shown)
			continue
		}
		kept++
		s.rule("", s.timed(c.Rule))
	}
}

// rule writes a rule, with a mark at the beginning of its lines.
func (s *saver) rule(mark string, r fault.Rule) {
	encoded, err := json.Marshal(r)
	if err != nil { // rules are checked, and their times are within the years that JSON can write
		s.line(1, "# %s can't be written: %s", r.Name, oneLine(err.Error()))
		return
	}
	whole, _ := decodeJSON(encoded).(map[string]any)
	start := "- "
	for _, key := range []string{"name", "operation", "when", "phase", "then"} {
		if value, there := whole[key]; there {
			s.line(1, "%s%s%s: %s", mark, start, key, flow(value))
			start = "  "
		}
	}
}

// timed returns a rule whose window begins and ends at times of the clock.
func (s *saver) timed(r fault.Rule) fault.Rule {
	if r.When.During == nil {
		return r
	}
	during := *r.When.During
	begin := s.Now.Add(-s.Since)
	at := func(m fault.Moment) fault.Moment {
		if !m.At.IsZero() {
			return m
		}
		return fault.AtTime(begin.Add(time.Duration(m.Offset)))
	}
	if !during.From.IsZero() || during.For != 0 {
		during.From = at(during.From)
	}
	if !during.Until.IsZero() {
		during.Until = at(during.Until)
	}
	r.When.During = &during
	return r
}

package scenario

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// behavior returns the switches that are not at their defaults.
func (s *saver) behavior() yaml.Node {
	whole := yaml.Node{Kind: yaml.MappingNode}
	blocks := map[string]*yaml.Node{}
	b := s.World.Behavior()
	for _, w := range contract.Switches() {
		if w.Value(b) == w.Default && !(w == contract.AlertsContradiction.Switch && s.contradicts()) {
			continue
		}
		block, key, nested := strings.Cut(w.Key, ".")
		into := &whole
		if !nested {
			key = w.Key
		} else if into = blocks[block]; into == nil {
			into = &yaml.Node{Kind: yaml.MappingNode}
			blocks[block] = into
			whole.Content = append(whole.Content, scalar(block), into)
		}
		into.Content = append(into.Content, scalar(key), switchValue(w, b))
	}
	if len(whole.Content) == 0 {
		return yaml.Node{}
	}
	return whole
}

// contradicts reports whether an alert preference contradicts what it belongs to, as the behaviour lets callers create it.
func (s *saver) contradicts() bool {
	for i := range s.World.Institutions() {
		for p := range s.World.AllAlertPreferences(i.InstitutionID) {
			if d := p.Details; d != nil && (d.InstitutionID != nil && *d.InstitutionID != p.InstitutionID ||
				d.InstitutionCustomerID != nil && p.HostUserID != "" && *d.InstitutionCustomerID != p.HostUserID) {
				return true
			}
		}
	}
	return false
}

func switchValue(w *contract.Switch, b *sim.Behavior) *yaml.Node {
	switch w.Kind {
	case contract.Members, contract.List:
		return nodeOf(strings.Split(w.Value(b), ", "))
	case contract.Texts:
		return nodeOf(w.TextsOf(b))
	case contract.Word, contract.Lifetime:
		return scalar(w.Value(b))
	}
	return unquoted(w.Value(b))
}

// faults returns the fault rules as they are now. Their windows are times of the clock, because the start from which they
// count is over.
func (s *saver) faults() (rules []*faultRule) {
	given := fault.NewSet(s.From.Faults, s.Seed).Counts()
	for _, c := range s.Faults {
		if c.Matched > 0 {
			s.note("%s: matched %d, fired %d so far; the counts begin again", c.Name, c.Matched, c.Fired)
		}
		shown := c.Rule.Shown()
		isGiven := func(g fault.Counted) bool { return reflect.DeepEqual(g.Rule, c.Rule) }
		if !reflect.DeepEqual(shown, c.Rule) && !slices.ContainsFunc(given, isGiven) {
			s.note("%s was added meanwhile and has hidden values: not kept", c.Name)
			s.note("%s", Flow(faultRule(shown)))
			continue
		}
		rule := faultRule(s.timed(c.Rule))
		rules = append(rules, &rule)
	}
	return rules
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

package scenario

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// behavior writes the switches that are not at their defaults.
func (s *saver) behavior() {
	var whole []member
	blocks := map[string]int{}
	for _, of := range contract.Switches() {
		b := s.World.Behavior()
		if of.Value(b) == of.Default && !(of == contract.AlertsContradiction.Switch && s.contradicts()) {
			continue
		}
		block, key, nested := strings.Cut(of.Key, ".")
		if !nested {
			whole = append(whole, member{of.Key, switchValue(of, b)})
			continue
		}
		at, known := blocks[block]
		if !known {
			at = len(whole)
			blocks[block] = at
			whole = append(whole, member{block, members(nil)})
		}
		whole[at].value = append(whole[at].value.(members), member{key, switchValue(of, b)})
	}
	if len(whole) == 0 {
		return
	}
	s.line(0, "behavior:")
	for _, m := range whole {
		s.line(1, "%s: %s", m.key, flow(m.value))
	}
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

// switchValue returns the value of a switch as [flow] writes it.
func switchValue(of *contract.Switch, b *sim.Behavior) any {
	switch of.Kind {
	case contract.Members, contract.List:
		return strings.Split(of.Value(b), ", ")
	case contract.Texts:
		return of.TextsOf(b)
	case contract.Word, contract.Lifetime:
		return of.Value(b)
	}
	return literal(of.Value(b))
}

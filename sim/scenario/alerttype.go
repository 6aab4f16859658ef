package scenario

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// alertTypes returns the institution's alert types: those that are only named come first.
func (i institution) alertTypes() []sim.AlertType {
	var all []sim.AlertType
	for _, name := range i.AlertTypes {
		all = append(all, sim.NewAlertType(name))
	}
	for _, w := range i.AlertTypeRows {
		t := sim.NewAlertType(w.Name)
		t.ID, t.Status, t.Reason = w.ID, cmp.Or(w.Status, t.Status), w.Reason
		if w.Channels != nil {
			t.Channels = w.Channels
		}
		all = append(all, t)
	}
	return all
}

// alertTypeNames returns the names of the institution's alert types.
func (i institution) alertTypeNames() []string {
	names := slices.Clone(i.AlertTypes)
	for _, w := range i.AlertTypeRows {
		names = append(names, w.Name)
	}
	return names
}

func (s *settler) alertDefaults(written []alertDefault) []sim.AlertDefault {
	var all []sim.AlertDefault
	for _, w := range written {
		info, err := additionalInfo(w.AdditionalInfo)
		s.add(err)
		all = append(all, sim.AlertDefault{ID: w.ID, AlertTypeName: w.TypeName, ChannelTypeName: w.ChannelName,
			AlertOpted: orDefault(w.AlertOpted, true), AdditionalInfo: info})
	}
	return all
}

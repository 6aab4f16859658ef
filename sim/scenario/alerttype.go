package scenario

import (
	"cmp"
	"encoding/json"
	"reflect"
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

// institutionAlerts writes the alert types of an institution and its preferences. Types that are only named get the ids of
// their places again.
func (s *saver) institutionAlerts(i *sim.Institution) {
	named := true
	for n, t := range i.AlertTypes {
		plain := sim.NewAlertType(t.Name)
		plain.ID = int64(n + 1)
		named = named && reflect.DeepEqual(plain, t)
	}
	if named && len(i.AlertTypes) > 0 {
		s.line(2, "alertTypes: %s", flow(i.AlertTypeNames()))
	}
	if !named {
		s.list("institutionAlertTypes:", func(item func(members)) {
			for _, t := range i.AlertTypes {
				m := members{{"institutionAlertTypeId", t.ID}, {"alertTypeName", t.Name}, {"channelsOptd", t.Channels}, {"statusOptd", t.Status}}
				if t.Reason != "" {
					m = append(m, member{"reason", t.Reason})
				}
				item(m)
			}
		})
	}
	s.list("institutionAlertPreferences:", func(item func(members)) {
		for _, d := range i.AlertPreferences {
			m := members{{"institutionAlertPrefId", d.ID}, {"alertTypeName", d.AlertTypeName}, {"channelTypeName", d.ChannelTypeName}, {"alertOpted", d.AlertOpted}}
			if d.AdditionalInfo != nil {
				m = append(m, member{"additionalInfo", decodeJSON(json.RawMessage(*d.AdditionalInfo))})
			}
			item(m)
		}
	})
}

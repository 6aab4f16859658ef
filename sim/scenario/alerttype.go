package scenario

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
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

// institutionAlerts checks the alert types of an institution and its preferences.
func (c *checker) institutionAlerts(at place, i institution) {
	names, typeIDs, defaultIDs := map[string]place{}, map[string]place{}, map[string]place{}
	for n, name := range i.AlertTypes {
		names[name] = at.key("alertTypes").item(n)
	}
	for n, t := range i.AlertTypeRows {
		here := at.key("institutionAlertTypes").item(n)
		c.unique(names, "alertTypeName", t.Name, here)
		c.uniqueNumber(typeIDs, "institutionAlertTypeId", t.ID, here)
	}
	for n, d := range i.AlertDefaults {
		here := at.key("institutionAlertPreferences").item(n)
		c.uniqueNumber(defaultIDs, "institutionAlertPrefId", d.ID, here)
		c.alertTypeName(here, d.TypeName, i)
	}
}

func (c *checker) uniqueNumber(taken map[string]place, key string, id int64, item place) {
	if id != 0 {
		c.unique(taken, key, strconv.FormatInt(id, 10), item)
	}
}

// alertTypeName checks the name of an alert type that something refers to.
func (c *checker) alertTypeName(at place, name string, i institution) {
	if name == "" || len(i.AlertTypes)+len(i.AlertTypeRows) == 0 {
		return
	}
	if c.alertTypesOf != i.InstitutionID || c.alertTypes == nil {
		c.alertTypesOf, c.alertTypes = i.InstitutionID, map[string]bool{}
		for _, known := range i.alertTypeNames() {
			c.alertTypes[known] = true
		}
	}
	if !c.alertTypes[name] && !c.report.full() {
		c.add(at.key("alertTypeName"), "unknown alertTypeName %s%s (alertTypes and institutionAlertTypes of the institution list them)",
			phrase.Quote(name), c.report.didYouMean(name, i.alertTypeNames(), "the alert types are"))
	}
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

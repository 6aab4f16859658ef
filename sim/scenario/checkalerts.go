package scenario

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

func (c *checker) alertPreferences(in *yaml.Node, written []alertPreference, alertTypes knownIDs) {
	for at, p := range items(in, "alertPreferences", written) {
		c.additionalInfo(at, p.AdditionalInfo)
		d := orDefault(p.Details, alertDetails{})
		at = lookup(at, "alertPreferenceDetails")
		c.unique(c.ids, "alertPrefId", idText(d.AlertPrefID), at)
		if d.ChannelTypeName != nil {
			c.channelTypeName(at, *d.ChannelTypeName)
		}
		c.alertTypeName(at, orDefault(d.AlertTypeName, ""), alertTypes)
	}
}

// channelTypeName checks the channels of an alert preference.
func (c *checker) channelTypeName(at *yaml.Node, name string) {
	if c.behavior.Alerts.KnownChannelsOnly && !sim.AreAlertChannels(name) {
		c.add(lookup(at, "channelTypeName"),
			"unknown channelTypeName %s%s (behavior.alerts.knownChannelsOnly: false allows any)",
			wording.Quote(name), wording.DidYouMean(name, sim.AlertChannels, "the channels are"))
	}
}

// institutionAlerts checks the alert types of an institution, its preferences and its disclosures.
func (c *checker) institutionAlerts(at *yaml.Node, ids seenIDs, i institution, alertTypes knownIDs) {
	for here, name := range items(at, "alertTypes", i.AlertTypes) {
		c.unique(ids, "alertTypeName", name, here)
	}
	for here, t := range items(at, "institutionAlertTypes", i.AlertTypeRows) {
		c.unique(ids, "alertTypeName", t.Name, here)
		c.unique(ids, "institutionAlertTypeId", idText(t.ID), here)
	}
	for here, d := range items(at, "institutionDisclosures", i.Disclosures) {
		c.unique(ids, "institutionDisclosureName", d.Name, here)
		c.unique(ids, "institutionDisclosureId", d.ID, here)
		if slices.Contains(sim.DisclosureNames, d.Name) {
			c.add(lookup(here, "institutionDisclosureName"),
				"every institution has the disclosure %s: list only others", d.Name)
		}
	}
	for here, d := range items(at, "institutionAlertPreferences", i.AlertDefaults) {
		c.additionalInfo(here, d.AdditionalInfo)
		c.unique(ids, "institutionAlertPrefId", idText(d.ID), here)
		c.alertTypeName(here, d.TypeName, alertTypes)
	}
}

// alertTypeName checks the name of an alert type that something refers to.
func (c *checker) alertTypeName(at *yaml.Node, name string, all knownIDs) {
	if len(all.names) > 0 && name != "" && !all.has[name] && !c.partial && !c.full() {
		c.add(lookup(at, "alertTypeName"),
			"unknown alertTypeName %s%s (alertTypes and institutionAlertTypes of the institution list them)",
			wording.Quote(name), c.didYouMean(name, all.names, "the alert types are"))
	}
}

func (c *checker) additionalInfo(of *yaml.Node, written map[string]any) {
	if info := additionalInfo(written); info != nil && len(*info) > sim.MaxAdditionalInfo {
		c.add(lookup(of, "additionalInfo"),
			"additionalInfo is longer than %d bytes as JSON: shorten it", sim.MaxAdditionalInfo)
	}
}

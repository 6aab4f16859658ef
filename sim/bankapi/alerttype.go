package bankapi

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

type institutionAlertType struct {
	ID            int64  `json:"institutionAlertTypeId"`
	AlertTypeName string `json:"alertTypeName"`
	Channels      string `json:"channelsOptd"`
	Reason        string `json:"reason,omitzero"`
	InstitutionID string `json:"institutionId"`
	Status        string `json:"statusOptd"`
}

// listInstitutionAlertTypes lists the alert types of an institution.
func listInstitutionAlertTypes(c *call) (reply, error) {
	institution, err := c.alertInstitution()
	if err != nil {
		return reply{}, err
	}
	name, status := c.query.Get("alertTypeName"), c.query.Get("statusOptd")
	if status != "" && !slices.Contains(sim.AlertTypeStatuses, status) {
		return reply{}, sim.Refuse(contract.ParameterMalformed, "query parameter statusOptd must be one of %s", strings.Join(sim.AlertTypeStatuses, ", "))
	}
	if c.query.Get("externalSystem") != "" {
		c.restsOn(contract.AlertsTypesExternalSystem)
	}
	all := []institutionAlertType{}
	for _, t := range institution.AlertTypes {
		if (name == "" || t.Name == name) && (status == "" || t.Status == status) {
			all = append(all, institutionAlertType{t.ID, t.Name, strings.Join(t.Channels, ","), t.Reason, institution.InstitutionID, t.Status})
		}
	}
	return c.reply(struct {
		All []institutionAlertType `json:"institutionAlertTypes"`
	}{all}), nil
}

type institutionAlertPreference struct {
	ID              int64           `json:"institutionAlertPrefId"`
	AlertTypeName   string          `json:"alertTypeName"`
	ChannelTypeName string          `json:"channelTypeName"`
	InstitutionID   string          `json:"institutionId"`
	AlertOpted      bool            `json:"alertOpted"`
	AdditionalInfo  *additionalInfo `json:"additionalInfo,omitzero"`
}

// listInstitutionAlertPreferences lists the preferences of users that have none of their own.
func listInstitutionAlertPreferences(c *call) (reply, error) {
	institution, err := c.alertInstitution()
	if err != nil {
		return reply{}, err
	}
	types := c.alertTypes()
	all := []institutionAlertPreference{}
	for _, d := range institution.AlertPreferences {
		if types != nil && !slices.Contains(types, d.AlertTypeName) {
			continue
		}
		p := institutionAlertPreference{d.ID, d.AlertTypeName, d.ChannelTypeName, institution.InstitutionID, d.AlertOpted, nil}
		if d.AdditionalInfo != nil {
			p.AdditionalInfo = &additionalInfo{*d.AdditionalInfo}
		}
		all = append(all, p)
	}
	return c.reply(struct {
		All []institutionAlertPreference `json:"fiAlertPreferences"`
	}{all}), nil
}

// alertInstitution reads what the operations on the alerts of an institution share: whose they are.
func (c *call) alertInstitution() (*sim.Institution, error) {
	caller, err := c.alertCaller()
	if err != nil {
		return nil, err
	}
	institutionID := caller.InstitutionID
	if c.takesHeader("fiid") {
		fiid, _, err := c.alertHeaders(false)
		if err != nil {
			return nil, err
		}
		if institutionID, _, err = c.World.AlertScope(caller, fiid, ""); err != nil {
			return nil, err
		}
	} else {
		if err := c.requireRequestID(); err != nil {
			return nil, err
		}
		c.restsOn(contract.AlertsInstitution)
	}
	institution, _ := c.World.Institution(institutionID)
	return institution, c.noneRepeated()
}

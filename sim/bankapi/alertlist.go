package bankapi

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertPageSize is how many preferences a page has where the request doesn't say (published).
const alertPageSize = 100

// alertPage describes a list of alert preferences for its evidence.
type alertPage struct {
	asked    int  // the size that the request asks for
	defaults bool // whether the list is the institution's defaults
	length   int
}

// listAlertPreferences lists the preferences of a user, or the institution's defaults (published).
func listAlertPreferences(c *call) (answer, error) {
	owner, err := c.readAlertOwner()
	if err != nil {
		return answer{}, err
	}
	q, err := c.alertQuery()
	if err != nil {
		return answer{}, err
	}
	shown := alertPage{asked: q.Size}
	q.Size = min(q.Size, contract.MaxAlertPage)
	if shown.defaults, err = c.flag("default", false); err != nil {
		return answer{}, err
	}
	list := c.World.ListAlertPreferences(owner.institutionID, owner.hostUserID, q)
	if shown.defaults || !c.World.HasAlertPreferences(owner.institutionID, owner.hostUserID) {
		list, shown.defaults = c.World.AlertDefaults(owner.institutionID, q), true
	}
	shown.length = len(list)
	all := make([]alertPreference, len(list))
	for i, p := range list {
		all[i] = newAlertPreference(p)
	}
	return c.answer(map[string]any{"alertPreferences": all}, shown), nil
}

var listAlertsEvidence = []condition{
	{contract.AlertsListTypes, hasQuery("alertTypes")},
	{contract.AlertsListPageSize, when(func(p alertPage) bool { return p.asked > contract.MaxAlertPage })},
	{contract.AlertsListDefaults, when(func(p alertPage) bool { return p.defaults })},
	{contract.AlertsListNone, when(func(p alertPage) bool { return p.length == 0 })},
	{contract.AlertsListOrder, when(func(p alertPage) bool { return p.length > 0 })},
}

// alertQuery reads which preferences are asked for.
func (c *call) alertQuery() (q sim.AlertQuery, err error) {
	if err := c.noneRepeated(); err != nil {
		return q, err
	}
	q = sim.AlertQuery{
		AccountExternalID: c.query.Get("accountExternalId"),
		AccountID:         c.query.Get("accountId"),
		ExternalID:        c.query.Get("externalId"),
		Types:             c.alertTypes(),
	}
	if q.Page, err = c.exactNumber("pageNo", 0, 0); err != nil {
		return q, err
	}
	q.Size, err = c.exactNumber("pageSize", 1, alertPageSize)
	return q, err
}

// alertTypes returns the types that a request asks for, or nil for all.
func (c *call) alertTypes() []string {
	types := c.query.Get("alertTypes")
	if types == "" {
		return nil
	}
	return strings.Split(types, ",")
}

type institutionAlertType struct {
	ID            int64  `json:"institutionAlertTypeId"`
	AlertTypeName string `json:"alertTypeName"`
	Channels      string `json:"channelsOptd"`
	Reason        string `json:"reason,omitzero"`
	InstitutionID string `json:"institutionId"`
	Status        string `json:"statusOptd"`
}

// listInstitutionAlertTypes lists the alert types of an institution (published).
func listInstitutionAlertTypes(c *call) (answer, error) {
	institution, err := c.alertInstitution()
	if err != nil {
		return answer{}, err
	}
	name, status := c.query.Get("alertTypeName"), c.query.Get("statusOptd")
	if status != "" && !slices.Contains(sim.AlertTypeStatuses, status) {
		return answer{}, sim.Refuse(contract.ParameterMalformed, "query parameter statusOptd must be one of %s",
			strings.Join(sim.AlertTypeStatuses, ", "))
	}
	all := []institutionAlertType{}
	for _, t := range institution.AlertTypes {
		if (name == "" || t.Name == name) && (status == "" || t.Status == status) {
			all = append(all, institutionAlertType{
				ID: t.ID, AlertTypeName: t.Name, Channels: strings.Join(t.Channels, ","), Reason: t.Reason,
				InstitutionID: institution.InstitutionID, Status: t.Status,
			})
		}
	}
	return c.answer(map[string]any{"institutionAlertTypes": all}, nil), nil
}

type institutionAlertPreference struct {
	ID              int64           `json:"institutionAlertPrefId"`
	AlertTypeName   string          `json:"alertTypeName"`
	ChannelTypeName string          `json:"channelTypeName"`
	InstitutionID   string          `json:"institutionId"`
	AlertOpted      bool            `json:"alertOpted"`
	AdditionalInfo  *additionalInfo `json:"additionalInfo,omitzero"`
}

// listInstitutionAlertPreferences lists the preferences that hold for users without their own (published).
func listInstitutionAlertPreferences(c *call) (answer, error) {
	institution, err := c.alertInstitution()
	if err != nil {
		return answer{}, err
	}
	types := c.alertTypes()
	all := []institutionAlertPreference{}
	for _, d := range institution.AlertPreferences {
		if types != nil && !slices.Contains(types, d.AlertTypeName) {
			continue
		}
		p := institutionAlertPreference{
			ID: d.ID, AlertTypeName: d.AlertTypeName, ChannelTypeName: d.ChannelTypeName,
			InstitutionID: institution.InstitutionID, AlertOpted: d.AlertOpted,
		}
		if d.AdditionalInfo != nil {
			p.AdditionalInfo = &additionalInfo{*d.AdditionalInfo}
		}
		all = append(all, p)
	}
	return c.answer(map[string]any{"fiAlertPreferences": all}, nil), nil
}

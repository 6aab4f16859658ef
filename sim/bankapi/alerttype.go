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

func listInstitutionAlertTypes(x *exchange, institution *sim.Institution) (reply, error) {
	name, status := x.query.Get("alertTypeName"), x.query.Get("statusOptd")
	if status != "" && !slices.Contains(sim.AlertTypeStatuses, status) {
		return reply{}, sim.Refuse(contract.ParameterMalformed, "query parameter statusOptd must be one of %s",
			strings.Join(sim.AlertTypeStatuses, ", "))
	}
	if x.query.Get("externalSystem") != "" {
		x.restsOn(contract.AlertsTypesExternalSystem)
	}
	all := []institutionAlertType{}
	for _, t := range institution.AlertTypes {
		if (name == "" || t.Name == name) && (status == "" || t.Status == status) {
			all = append(all, institutionAlertType{t.ID, t.Name, strings.Join(t.Channels, ","), t.Reason, institution.InstitutionID,
				t.Status})
		}
	}
	return x.answerWith(map[string]any{"institutionAlertTypes": all}), nil
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
func listInstitutionAlertPreferences(x *exchange, institution *sim.Institution) (reply, error) {
	types := x.alertTypes()
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
	return x.answerWith(map[string]any{"fiAlertPreferences": all}), nil
}

// alertInstitution reads what the operations on the alerts of an institution share: whose they are.
func (x *exchange) alertInstitution() (*sim.Institution, error) {
	caller, err := x.alertCaller()
	if err != nil {
		return nil, err
	}
	owner := alertOwner{institutionID: caller.InstitutionID}
	if x.takesHeader("fiid") {
		owner, err = x.alertOwnerOfHeaders(caller)
	} else if err = x.requireRequestID(); err == nil {
		x.restsOn(contract.AlertsInstitution)
	}
	if err != nil {
		return nil, err
	}
	institution, _ := x.at.World.Institution(owner.institutionID)
	return institution, x.noneRepeated()
}

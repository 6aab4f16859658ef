package controlapi

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The functions here return rows of the world as the API shows them.

// list converts values for a body. It is never nil, because JSON would have null for nil.
func list[From, To any](values iter.Seq[From], convert func(From) To) []To {
	converted := []To{}
	for value := range values {
		converted = append(converted, convert(value))
	}
	return converted
}

func newInstitutionRow(i *sim.Institution) api.InstitutionRow {
	row := api.InstitutionRow{
		InstitutionID: i.InstitutionID, Multistatement: i.Multistatement, AlertTypes: i.AlertTypeNames(),
	}
	for _, t := range i.AlertTypes {
		row.InstitutionAlertTypes = append(row.InstitutionAlertTypes, api.AlertType(t))
	}
	for _, d := range i.Disclosures {
		row.InstitutionDisclosures = append(row.InstitutionDisclosures, api.CustomDisclosure(d))
	}
	for _, d := range i.AlertPreferences {
		row.InstitutionAlertPreferences = append(row.InstitutionAlertPreferences, api.AlertDefault{
			ID: d.ID, TypeName: d.AlertTypeName, ChannelName: d.ChannelTypeName, AlertOpted: d.AlertOpted,
			AdditionalInfo: shownInfo(d.AdditionalInfo),
		})
	}
	return row
}

func newUserState(w *sim.World, u *sim.User) api.User {
	user := api.User{UserRow: newUserRow(u)}
	user.Accounts = list(w.Accounts(u.InstitutionID, u.HostUserID), newAccountState)
	user.AlertPreferences = list(w.AlertPreferences(u.InstitutionID, u.HostUserID), newAlertPreference)
	return user
}

func newUserRow(u *sim.User) api.UserRow {
	return api.UserRow{
		HostUserID: u.HostUserID, Username: u.Username, Active: u.Active,
		Disclosures:       newDisclosureStates(u.Disclosures),
		InstitutionUserID: u.InstitutionUserID(), CustomerID: u.CustomerID(), Status: newUserStatus(u.Status),
	}
}

// newUserStatus returns the status of a user without its ids, or nil if there is nothing else.
func newUserStatus(s *sim.UserStatus) *api.UserStatus {
	if s == nil {
		return nil
	}
	status := api.UserStatus(*s)
	status.InstitutionUserID, status.CustomerID = "", ""
	if status == (api.UserStatus{}) {
		return nil
	}
	return &status
}

func newAccountState(a *sim.Account) api.Account {
	return api.Account{
		AccountID: a.AccountID, ActivateEstatement: a.ActivateEstatement,
		Disclosures: newDisclosureStates(a.Disclosures), UpdateFails: a.UpdateFails,
	}
}

func newDisclosureStates(ds []sim.Disclosure) []api.Disclosure {
	return list(slices.Values(ds), func(d sim.Disclosure) api.Disclosure { return api.Disclosure(d) })
}

func newGrantState(w *sim.World, g *sim.Grant) api.Token {
	gs := newGrantRow(g)
	if access, ok := w.Token(cmp.Or(g.AccessToken, g.Code)); ok {
		gs.ExpiresAt = access.ExpiresAt
		if access.Scopes != "" {
			gs.Scopes = sim.ScopesIn(access.Scopes)
		}
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newGrantRow(g *sim.Grant) api.Token {
	return api.Token{
		Code:          redact.Fingerprint(g.Code),
		AccessToken:   redact.Fingerprint(g.AccessToken),
		RefreshToken:  redact.Fingerprint(g.RefreshToken),
		Client:        g.SharedKey,
		HostUserID:    g.HostUserID,
		GrantType:     g.GrantType,
		Scopes:        sim.ScopesIn(g.Scopes),
		Revoked:       g.Revoked,
		AccessRevoked: g.AccessRevoked,
	}
}

func newGroupRow(g *sim.Group) api.Group {
	return api.Group{
		GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
		ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
	}
}

// shownInfo masks an object whose members a caller chose. It returns nil for nil.
func shownInfo(object *string) json.RawMessage {
	if object == nil {
		return nil
	}
	return redact.RequestBody([]byte(*object), "")
}

func newJobState(j sim.Job) api.Job {
	return api.Job{
		JobID: j.JobID, GroupID: j.GroupID, Type: j.Type, FileName: j.FileName, JobStatus: j.Status, Details: j.Details,
		CreatedBy: j.CreatedBy,
		Total:     j.Total, Succeeded: j.Succeeded, Failed: j.Failed, Created: j.Created, Updated: j.Updated,
		Errors: list(slices.Values(j.Errors), func(e sim.JobError) api.JobError { return api.JobError(e) }),
	}
}

func newAlertPreference(p *sim.AlertPreference) api.AlertPreference {
	state := api.AlertPreference{
		AdditionalInfo:     shownInfo(p.AdditionalInfo),
		AlertOpted:         p.AlertOpted,
		Details:            api.AlertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if a := p.Account; a != nil {
		state.Account = &api.AlertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = api.AlertDetails{
			AlertPrefID: p.AlertPrefID, AlertTypeName: d.AlertTypeName,
			ChannelTypeName: d.ChannelTypeName, ExternalID: d.ExternalID,
		}
	}
	return state
}

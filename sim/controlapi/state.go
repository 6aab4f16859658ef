package controlapi

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// ParticipantRow is a participant of a group, in a diff.
type ParticipantRow struct {
	ParticipantID string `json:"participantId" about:"A hostUserId of a user, or the fingerprint of another id."`
}

func newInstitutionRow(i *sim.Institution) api.Institution {
	row := api.Institution{InstitutionID: i.InstitutionID, Multistatement: i.Multistatement, AlertTypes: i.AlertTypeNames()}
	plain := true
	for n, t := range i.AlertTypes {
		row.InstitutionAlertTypes = append(row.InstitutionAlertTypes, api.AlertType(t))
		plain = plain && t.ID == int64(n+1) && slices.Equal(t.Channels, sim.AlertChannels) && t.Status == sim.AlertTypeActive && t.Reason == ""
	}
	if plain {
		row.InstitutionAlertTypes = nil
	}
	for _, d := range i.AlertPreferences {
		shown := api.AlertDefault{ID: d.ID, TypeName: d.AlertTypeName, ChannelName: d.ChannelTypeName, AlertOpted: d.AlertOpted}
		if d.AdditionalInfo != nil {
			shown.AdditionalInfo = redact.HideValues(*d.AdditionalInfo)
		}
		row.InstitutionAlertPreferences = append(row.InstitutionAlertPreferences, shown)
	}
	return row
}

func newUserState(w *sim.World, u *sim.User) api.User {
	user := newUserRow(u)
	user.Accounts = list(w.Accounts(u.InstitutionID, u.HostUserID), newAccountState)
	user.AlertPreferences = list(w.AlertPreferences(u.InstitutionID, u.HostUserID), newAlertPreference)
	return user
}

func newUserRow(u *sim.User) api.User {
	row := api.User{HostUserID: u.HostUserID, Username: u.Username, Active: u.Active, Disclosures: newDisclosureStates(u.Disclosures),
		InstitutionUserID: u.InstitutionUserID()}
	s := u.Status
	if s == nil {
		return row
	}
	row.CustomerID, row.ParentHostUserID = s.CustomerID, s.ParentHostUserID
	if shown := (api.UserStatus{
		OnHold: s.OnHold, Locked: s.Locked, Reset: s.Reset, Registered: s.Registered, Approved: s.Approved, Rejected: s.Rejected,
		FailedLogins: s.FailedLogins, FailedPasswordResets: s.FailedPasswordResets, LastLogin: s.LastLogin,
		HeldAt: s.HeldAt, HoldReason: s.HoldReason, HeldBy: s.HeldBy,
	}); shown != (api.UserStatus{}) {
		row.Status = &shown
	}
	return row
}

func newAccountState(a *sim.Account) api.Account {
	return api.Account{
		AccountID: a.AccountID, ActivateEstatement: a.ActivateEstatement, Disclosures: newDisclosureStates(a.Disclosures), UpdateFails: a.UpdateFails,
	}
}

func newDisclosureStates(ds []sim.Disclosure) []api.Disclosure {
	return list(slices.Values(ds), func(d sim.Disclosure) api.Disclosure {
		return api.Disclosure{Name: d.Name, Status: d.Status, StatusUpdate: d.StatusUpdate, PaperWaiver: d.PaperWaiver}
	})
}

func newGrantState(w *sim.World, g *sim.Grant) api.Token {
	gs := newGrantRow(g)
	if access, ok := w.Token(g.AccessToken); ok {
		gs.ExpiresAt = access.ExpiresAt
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newGrantRow(g *sim.Grant) api.Token {
	row := api.Token{
		AccessToken: redact.Fingerprint(g.AccessToken),
		Client:      g.SharedKey,
		HostUserID:  g.HostUserID,
		GrantType:   g.GrantType,
		Revoked:     g.Revoked,

		AccessRevoked: g.AccessRevoked,
	}
	if g.RefreshToken != "" {
		row.RefreshToken = redact.Fingerprint(g.RefreshToken)
	}
	return row
}

func newGroupRow(g *sim.Group) api.Group {
	return api.Group{
		GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
		ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
	}
}

// shownParticipant returns what is shown of a participant's id: one that is no user's may be anything.
func shownParticipant(id string, isUser bool) string {
	if isUser {
		return id
	}
	return redact.Fingerprint(id)
}

func newJobState(j sim.Job) api.Job {
	return api.Job{
		JobID: j.JobID, GroupID: j.GroupID, Type: j.Type, FileName: j.FileName, JobStatus: j.Status, Details: j.Details, CreatedBy: j.CreatedBy,
		Total: j.Total, Succeeded: j.Succeeded, Failed: j.Failed, Created: j.Created, Updated: j.Updated,
		Errors: list(slices.Values(j.Errors), func(e sim.JobError) api.JobError { return api.JobError(e) }),
	}
}

func newAlertPreference(p *sim.AlertPreference) api.AlertPreference {
	state := api.AlertPreference{
		AlertOpted:         p.AlertOpted,
		Details:            api.AlertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if p.AdditionalInfo != nil {
		state.AdditionalInfo = redact.HideValues(*p.AdditionalInfo)
	}
	if a := p.Account; a != nil {
		state.Account = &api.AlertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = api.AlertDetails{
			AlertPrefID: p.AlertPrefID, AlertTypeName: d.AlertTypeName, ChannelTypeName: d.ChannelTypeName, ExternalID: d.ExternalID,
			InstitutionID: other(d.InstitutionID, p.InstitutionID), InstitutionCustomerID: other(d.InstitutionCustomerID, p.HostUserID),
		}
	}
	return state
}

// other returns an id that was sent, unless it is the one that it stands beside.
func other(sent *string, is string) string {
	if sent == nil || *sent == is {
		return ""
	}
	return *sent
}

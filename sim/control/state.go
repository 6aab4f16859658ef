package control

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// state is a world as JSON, by institution, with the interface's own field names. It shows no secret: keys and
// passwords are left out, a token stands as its fingerprint.
type state struct {
	Institutions []institutionState `json:"institutions"`
}

type institutionState struct {
	InstitutionID    string            `json:"institutionId"`
	Multistatement   bool              `json:"multistatement"`
	AlertTypes       []string          `json:"alertTypes"`
	Clients          []string          `json:"clients"` // shared keys
	Users            []userState       `json:"users"`
	Tokens           []grantState      `json:"tokens"`
	Groups           []groupState      `json:"groups"`
	AlertPreferences []alertPreference `json:"alertPreferences"` // of no user
}

type userState struct {
	HostUserID       string            `json:"hostUserId"`
	Username         string            `json:"username,omitzero"`
	Active           bool              `json:"active"`
	Disclosures      []disclosureState `json:"disclosures"`
	Accounts         []accountState    `json:"accounts"`
	AlertPreferences []alertPreference `json:"alertPreferences"`
}

type accountState struct {
	AccountID          string            `json:"accountId"`
	ActivateEstatement bool              `json:"activateEstatement"`
	Disclosures        []disclosureState `json:"disclosures"`
}

type disclosureState struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"`
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

type grantState struct {
	AccessToken      string     `json:"accessToken"` // fingerprint
	ExpiresAt        time.Time  `json:"expiresAt"`
	RefreshToken     string     `json:"refreshToken,omitzero"` // fingerprint
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"`
	Client           string     `json:"client"`
	HostUserID       string     `json:"hostUserId,omitzero"`
	GrantType        string     `json:"grantType"`
	Revoked          bool       `json:"revoked"`
}

type groupState struct {
	GroupID          string    `json:"groupId"`
	GroupName        string    `json:"groupName"`
	GroupDescription string    `json:"groupDescription"`
	LastUpdated      time.Time `json:"groupLastUpdatedDateTime"`
	ParticipantCount int       `json:"groupParticipantCount"`
	ExperienceName   string    `json:"groupExperienceName"`
	GroupStatus      string    `json:"groupStatus"`
}

// alertPreference leaves out cardNumber, which may be a real one.
type alertPreference struct {
	AdditionalInfo     jsontext.Value `json:"additionalInfo,omitzero"`
	AlertOpted         *bool          `json:"alertOpted,omitzero"`
	Account            *alertAccount  `json:"alertPreferenceAccountDetails,omitzero"`
	Details            alertDetails   `json:"alertPreferenceDetails"`
	AllowCallback      *bool          `json:"allowCallback,omitzero"`
	DefaultPreferences *bool          `json:"defaultPreferences,omitzero"`
}

type alertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
}

type alertDetails struct {
	AlertPrefID     int64   `json:"alertPrefId"`
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
}

func newState(w *sim.World) state {
	st := state{Institutions: []institutionState{}}
	for i := range w.Institutions() {
		is := institutionState{
			InstitutionID:    i.InstitutionID,
			Multistatement:   i.Multistatement,
			AlertTypes:       i.AlertTypes,
			AlertPreferences: newAlertPreferences(w, i.InstitutionID, ""),
		}
		for c := range w.Clients(i.InstitutionID) {
			is.Clients = append(is.Clients, c.SharedKey)
		}
		for u := range w.Users(i.InstitutionID) {
			is.Users = append(is.Users, newUserState(w, u))
		}
		for g := range w.Grants(i.InstitutionID) {
			is.Tokens = append(is.Tokens, newGrantState(w, g))
		}
		for g := range w.Groups(i.InstitutionID) {
			is.Groups = append(is.Groups, groupState{
				GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
				ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
			})
		}
		st.Institutions = append(st.Institutions, is)
	}
	return st
}

func newUserState(w *sim.World, u *sim.User) userState {
	us := userState{
		HostUserID:       u.HostUserID,
		Username:         u.Username,
		Active:           u.Active,
		Disclosures:      newDisclosureStates(u.Disclosures),
		AlertPreferences: newAlertPreferences(w, u.InstitutionID, u.HostUserID),
	}
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		us.Accounts = append(us.Accounts, accountState{
			AccountID:          a.AccountID,
			ActivateEstatement: a.ActivateEstatement,
			Disclosures:        newDisclosureStates(a.Disclosures),
		})
	}
	return us
}

func newDisclosureStates(ds []sim.Disclosure) []disclosureState {
	states := make([]disclosureState, len(ds))
	for i, d := range ds {
		states[i] = disclosureState{d.Name, d.Status, d.StatusUpdate, d.PaperWaiver}
	}
	return states
}

func newGrantState(w *sim.World, g *sim.Grant) grantState {
	gs := grantState{
		AccessToken: sandbox.Fingerprint(g.AccessToken),
		Client:      g.SharedKey,
		HostUserID:  g.HostUserID,
		GrantType:   g.GrantType,
		Revoked:     g.Revoked,
	}
	if access, ok := w.Token(g.AccessToken); ok {
		gs.ExpiresAt = access.ExpiresAt
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshToken = sandbox.Fingerprint(g.RefreshToken)
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newAlertPreferences(w *sim.World, institutionID, hostUserID string) []alertPreference {
	list := []alertPreference{}
	for p := range w.AlertPreferences(institutionID, hostUserID) {
		state := alertPreference{
			AlertOpted:         p.AlertOpted,
			Details:            alertDetails{AlertPrefID: p.AlertPrefID},
			AllowCallback:      p.AllowCallback,
			DefaultPreferences: p.DefaultPreferences,
		}
		if p.AdditionalInfo != nil {
			state.AdditionalInfo = jsontext.Value(*p.AdditionalInfo)
		}
		if a := p.Account; a != nil {
			state.Account = &alertAccount{a.AccountExternalID, a.AccountID}
		}
		if d := p.Details; d != nil {
			state.Details = alertDetails{p.AlertPrefID, d.AlertTypeName, d.ChannelTypeName, d.ExternalID}
		}
		list = append(list, state)
	}
	return list
}

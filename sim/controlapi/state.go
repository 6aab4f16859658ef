package controlapi

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// getState answers with the world as it is at one moment.
func (a api) getState(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, newState(sb.Now().World))
}

// State is a world as JSON, by institution, with the interface's own field names. It shows no secret: keys and
// passwords are left out, a token stands as its fingerprint.
type State struct {
	Institutions []InstitutionState `json:"institutions"`
}

// InstitutionState is an institution with all that belongs to it.
type InstitutionState struct {
	InstitutionRow
	Clients          []string          `json:"clients"` // shared keys
	Users            []UserState       `json:"users"`
	Tokens           []GrantState      `json:"tokens"`
	Groups           []GroupState      `json:"groups"`
	AlertPreferences []AlertPreference `json:"alertPreferences"` // of no user
}

// InstitutionRow is what an institution says of itself.
type InstitutionRow struct {
	InstitutionID  string   `json:"institutionId"`
	Multistatement bool     `json:"multistatement"`
	AlertTypes     []string `json:"alertTypes"`
}

// UserState is a user with all that belongs to it.
type UserState struct {
	UserRow
	Accounts         []AccountState    `json:"accounts"`
	AlertPreferences []AlertPreference `json:"alertPreferences"`
}

// UserRow is what a user says of itself.
type UserRow struct {
	HostUserID  string            `json:"hostUserId"`
	Username    string            `json:"username,omitzero"`
	Active      bool              `json:"active"`
	Disclosures []DisclosureState `json:"disclosures"`
}

type AccountState struct {
	AccountID          string            `json:"accountId"`
	ActivateEstatement bool              `json:"activateEstatement"`
	Disclosures        []DisclosureState `json:"disclosures"`
}

type DisclosureState struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"`
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

// GrantState is a grant with the ends of its tokens.
type GrantState struct {
	GrantRow
	ExpiresAt        time.Time  `json:"expiresAt"`
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"`
}

// GrantRow is what a grant says of itself.
type GrantRow struct {
	AccessToken  string `json:"accessToken"`           // fingerprint
	RefreshToken string `json:"refreshToken,omitzero"` // fingerprint
	Client       string `json:"client"`
	HostUserID   string `json:"hostUserId,omitzero"`
	GrantType    string `json:"grantType"`
	Revoked      bool   `json:"revoked"`
}

type GroupState struct {
	GroupID          string    `json:"groupId"`
	GroupName        string    `json:"groupName"`
	GroupDescription string    `json:"groupDescription"`
	LastUpdated      time.Time `json:"groupLastUpdatedDateTime"`
	ParticipantCount int       `json:"groupParticipantCount"`
	ExperienceName   string    `json:"groupExperienceName"`
	GroupStatus      string    `json:"groupStatus"`
}

// AlertPreference leaves out cardNumber, which may be a real one; the values in additionalInfo are fingerprints.
type AlertPreference struct {
	AdditionalInfo     jsontext.Value `json:"additionalInfo,omitzero"`
	AlertOpted         *bool          `json:"alertOpted,omitzero"`
	Account            *AlertAccount  `json:"alertPreferenceAccountDetails,omitzero"`
	Details            AlertDetails   `json:"alertPreferenceDetails"`
	AllowCallback      *bool          `json:"allowCallback,omitzero"`
	DefaultPreferences *bool          `json:"defaultPreferences,omitzero"`
}

type AlertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
}

type AlertDetails struct {
	AlertPrefID     int64   `json:"alertPrefId"`
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
}

func newState(w *sim.World) State {
	st := State{Institutions: []InstitutionState{}}
	for i := range w.Institutions() {
		is := InstitutionState{
			InstitutionRow:   newInstitutionRow(i),
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
			is.Groups = append(is.Groups, newGroupState(g))
		}
		st.Institutions = append(st.Institutions, is)
	}
	return st
}

func newInstitutionRow(i *sim.Institution) InstitutionRow {
	return InstitutionRow{i.InstitutionID, i.Multistatement, i.AlertTypes}
}

func newUserState(w *sim.World, u *sim.User) UserState {
	us := UserState{UserRow: newUserRow(u), AlertPreferences: newAlertPreferences(w, u.InstitutionID, u.HostUserID)}
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		us.Accounts = append(us.Accounts, newAccountState(a))
	}
	return us
}

func newUserRow(u *sim.User) UserRow {
	return UserRow{u.HostUserID, u.Username, u.Active, newDisclosureStates(u.Disclosures)}
}

func newAccountState(a *sim.Account) AccountState {
	return AccountState{a.AccountID, a.ActivateEstatement, newDisclosureStates(a.Disclosures)}
}

func newDisclosureStates(ds []sim.Disclosure) []DisclosureState {
	states := make([]DisclosureState, len(ds))
	for i, d := range ds {
		states[i] = DisclosureState{d.Name, d.Status, d.StatusUpdate, d.PaperWaiver}
	}
	return states
}

func newGrantState(w *sim.World, g *sim.Grant) GrantState {
	gs := GrantState{GrantRow: newGrantRow(g)}
	if access, ok := w.Token(g.AccessToken); ok {
		gs.ExpiresAt = access.ExpiresAt
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newGrantRow(g *sim.Grant) GrantRow {
	row := GrantRow{
		AccessToken: redact.Fingerprint(g.AccessToken),
		Client:      g.SharedKey,
		HostUserID:  g.HostUserID,
		GrantType:   g.GrantType,
		Revoked:     g.Revoked,
	}
	if g.RefreshToken != "" {
		row.RefreshToken = redact.Fingerprint(g.RefreshToken)
	}
	return row
}

func newGroupState(g *sim.Group) GroupState {
	return GroupState{
		GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
		ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
	}
}

func newAlertPreferences(w *sim.World, institutionID, hostUserID string) []AlertPreference {
	list := []AlertPreference{}
	for p := range w.AlertPreferences(institutionID, hostUserID) {
		list = append(list, newAlertPreference(p))
	}
	return list
}

func newAlertPreference(p *sim.AlertPreference) AlertPreference {
	state := AlertPreference{
		AlertOpted:         p.AlertOpted,
		Details:            AlertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if p.AdditionalInfo != nil {
		state.AdditionalInfo = jsontext.Value(redact.HideValues(*p.AdditionalInfo))
	}
	if a := p.Account; a != nil {
		state.Account = &AlertAccount{a.AccountExternalID, a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = AlertDetails{p.AlertPrefID, d.AlertTypeName, d.ChannelTypeName, d.ExternalID}
	}
	return state
}

package control

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// getState answers with the world as it is at one moment.
func (a api) getState(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, newState(sb.Now().World))
}

// state is a world as JSON, by institution, with the interface's own field names. It shows no secret: keys and
// passwords are left out, a token stands as its fingerprint.
type state struct {
	Institutions []institutionState `json:"institutions"`
}

// institutionState is an institution with all that belongs to it.
type institutionState struct {
	institutionRow
	Clients          []string          `json:"clients"` // shared keys
	Users            []userState       `json:"users"`
	Tokens           []grantState      `json:"tokens"`
	Groups           []groupState      `json:"groups"`
	AlertPreferences []alertPreference `json:"alertPreferences"` // of no user
}

// institutionRow is what an institution says of itself.
type institutionRow struct {
	InstitutionID  string   `json:"institutionId"`
	Multistatement bool     `json:"multistatement"`
	AlertTypes     []string `json:"alertTypes"`
}

// userState is a user with all that belongs to it.
type userState struct {
	userRow
	Accounts         []accountState    `json:"accounts"`
	AlertPreferences []alertPreference `json:"alertPreferences"`
}

// userRow is what a user says of itself.
type userRow struct {
	HostUserID  string            `json:"hostUserId"`
	Username    string            `json:"username,omitzero"`
	Active      bool              `json:"active"`
	Disclosures []disclosureState `json:"disclosures"`
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

// grantState is a grant with the ends of its tokens.
type grantState struct {
	grantRow
	ExpiresAt        time.Time  `json:"expiresAt"`
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"`
}

// grantRow is what a grant says of itself.
type grantRow struct {
	AccessToken  string `json:"accessToken"`           // fingerprint
	RefreshToken string `json:"refreshToken,omitzero"` // fingerprint
	Client       string `json:"client"`
	HostUserID   string `json:"hostUserId,omitzero"`
	GrantType    string `json:"grantType"`
	Revoked      bool   `json:"revoked"`
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

// alertPreference leaves out cardNumber, which may be a real one; the values in additionalInfo are fingerprints.
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
			institutionRow:   newInstitutionRow(i),
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

func newInstitutionRow(i *sim.Institution) institutionRow {
	return institutionRow{i.InstitutionID, i.Multistatement, i.AlertTypes}
}

func newUserState(w *sim.World, u *sim.User) userState {
	us := userState{userRow: newUserRow(u), AlertPreferences: newAlertPreferences(w, u.InstitutionID, u.HostUserID)}
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		us.Accounts = append(us.Accounts, newAccountState(a))
	}
	return us
}

func newUserRow(u *sim.User) userRow {
	return userRow{u.HostUserID, u.Username, u.Active, newDisclosureStates(u.Disclosures)}
}

func newAccountState(a *sim.Account) accountState {
	return accountState{a.AccountID, a.ActivateEstatement, newDisclosureStates(a.Disclosures)}
}

func newDisclosureStates(ds []sim.Disclosure) []disclosureState {
	states := make([]disclosureState, len(ds))
	for i, d := range ds {
		states[i] = disclosureState{d.Name, d.Status, d.StatusUpdate, d.PaperWaiver}
	}
	return states
}

func newGrantState(w *sim.World, g *sim.Grant) grantState {
	gs := grantState{grantRow: newGrantRow(g)}
	if access, ok := w.Token(g.AccessToken); ok {
		gs.ExpiresAt = access.ExpiresAt
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newGrantRow(g *sim.Grant) grantRow {
	row := grantRow{
		AccessToken: journal.Fingerprint(g.AccessToken),
		Client:      g.SharedKey,
		HostUserID:  g.HostUserID,
		GrantType:   g.GrantType,
		Revoked:     g.Revoked,
	}
	if g.RefreshToken != "" {
		row.RefreshToken = journal.Fingerprint(g.RefreshToken)
	}
	return row
}

func newGroupState(g *sim.Group) groupState {
	return groupState{
		GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
		ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
	}
}

func newAlertPreferences(w *sim.World, institutionID, hostUserID string) []alertPreference {
	list := []alertPreference{}
	for p := range w.AlertPreferences(institutionID, hostUserID) {
		list = append(list, newAlertPreference(p))
	}
	return list
}

func newAlertPreference(p *sim.AlertPreference) alertPreference {
	state := alertPreference{
		AlertOpted:         p.AlertOpted,
		Details:            alertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if p.AdditionalInfo != nil {
		state.AdditionalInfo = journal.HideValues(*p.AdditionalInfo)
	}
	if a := p.Account; a != nil {
		state.Account = &alertAccount{a.AccountExternalID, a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = alertDetails{p.AlertPrefID, d.AlertTypeName, d.ChannelTypeName, d.ExternalID}
	}
	return state
}

package controlapi

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// State is a world, by institution, with the field names of the interface. It holds no secret: it has no keys and passwords,
// and fingerprints instead of tokens.
type State struct {
	Institutions []InstitutionState `json:"institutions"`
}

// InstitutionState is an institution with all its rows.
type InstitutionState struct {
	InstitutionRow
	Clients          []string          `json:"clients"` // shared keys
	Users            []UserState       `json:"users"`
	Tokens           []GrantState      `json:"tokens"`
	Groups           []GroupState      `json:"groups"`
	Jobs             []JobState        `json:"jobs"`
	AlertPreferences []AlertPreference `json:"alertPreferences"` // of no user
	Counts           *rowCounts        `json:"counts,omitzero" about:"How many rows there are that match, if limit is given."`
}

// InstitutionRow has the members of an institution itself.
type InstitutionRow struct {
	InstitutionID  string   `json:"institutionId"`
	Multistatement bool     `json:"multistatement"`
	AlertTypes     []string `json:"alertTypes"`
	// In full, where the scenario says more than names.
	InstitutionAlertTypes       []AlertTypeState    `json:"institutionAlertTypes,omitzero" about:"The alert types, if the scenario says more about them than their names."`
	InstitutionAlertPreferences []AlertDefaultState `json:"institutionAlertPreferences,omitzero" about:"The preferences of users that have none of their own."`
}

// AlertTypeState is an alert type of an institution.
type AlertTypeState struct {
	ID       int64    `json:"institutionAlertTypeId"`
	Name     string   `json:"alertTypeName"`
	Channels []string `json:"channelsOptd"`
	Status   string   `json:"statusOptd"`
	Reason   string   `json:"reason,omitzero"`
}

// AlertDefaultState is an alert preference of an institution. The values in additionalInfo are fingerprints.
type AlertDefaultState struct {
	ID             int64           `json:"institutionAlertPrefId"`
	TypeName       string          `json:"alertTypeName"`
	ChannelName    string          `json:"channelTypeName"`
	AlertOpted     bool            `json:"alertOpted"`
	AdditionalInfo json.RawMessage `json:"additionalInfo,omitzero"`
}

// UserState is a user with its accounts and alert preferences.
type UserState struct {
	UserRow
	Accounts         []AccountState    `json:"accounts"`
	AlertPreferences []AlertPreference `json:"alertPreferences"`
}

// UserRow has the members of a user itself.
type UserRow struct {
	HostUserID  string            `json:"hostUserId"`
	Username    string            `json:"username,omitzero"`
	Active      bool              `json:"active"`
	Disclosures []DisclosureState `json:"disclosures"`
	// As users.getStatus shows them.
	InstitutionUserID string           `json:"institutionUserId"`
	CustomerID        string           `json:"customerId,omitzero" about:"If the scenario gives one."`
	ParentHostUserID  string           `json:"parentHostUserId,omitzero" about:"The primary user of a sub-user."`
	Status            *UserStatusState `json:"status,omitzero" about:"What the operation on the status of users shows besides active, if the scenario says something."`
}

// UserStatusState is what is known of a user besides whether it is active.
type UserStatusState struct {
	OnHold               bool       `json:"onHold,omitzero"`
	Locked               bool       `json:"locked,omitzero"`
	Reset                bool       `json:"reset,omitzero"`
	Registered           bool       `json:"registered,omitzero"`
	Approved             bool       `json:"approved,omitzero"`
	Rejected             bool       `json:"rejected,omitzero"`
	FailedLogins         int        `json:"failedLoginCount,omitzero"`
	FailedPasswordResets int        `json:"failedPasswordResetCount,omitzero"`
	LastLogin            *time.Time `json:"lastLoginDateTime,omitzero"`
	HeldAt               *time.Time `json:"holdDateTime,omitzero"`
	HoldReason           string     `json:"holdReason,omitzero"`
	HeldBy               string     `json:"holdInitiatedBy,omitzero"`
}

// AccountState is an account.
type AccountState struct {
	AccountID          string            `json:"accountId"`
	ActivateEstatement bool              `json:"activateEstatement"`
	Disclosures        []DisclosureState `json:"disclosures"`
	UpdateFails        bool              `json:"updateFails,omitzero"`
}

// DisclosureState is a disclosure of a user or an account.
type DisclosureState struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"`
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

// GrantState is a grant with the expiry of its tokens.
type GrantState struct {
	// Row has the number of the grant, which may differ between banks that are equal otherwise.
	Row string `json:"row,omitzero" about:"Its table and its key, as in a diff, if limit is given."`
	GrantRow
	ExpiresAt        time.Time  `json:"expiresAt"`
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"`
}

// GrantRow has the members of a grant itself.
type GrantRow struct {
	AccessToken  string `json:"accessToken"`           // fingerprint
	RefreshToken string `json:"refreshToken,omitzero"` // fingerprint
	Client       string `json:"client"`
	HostUserID   string `json:"hostUserId,omitzero"`
	GrantType    string `json:"grantType"`
	Revoked      bool   `json:"revoked"`
	// AccessRevoked says that the access token was revoked and the refresh token was not.
	AccessRevoked bool `json:"accessTokenRevoked,omitzero"`
}

// GroupState is a group with its participants.
type GroupState struct {
	GroupRow
	Participants []string `json:"participants" about:"Those that are named: ids that are hostUserIds of users, and fingerprints of others."`
}

// GroupRow has the members of a group itself.
type GroupRow struct {
	GroupID          string    `json:"groupId"`
	GroupName        string    `json:"groupName"`
	GroupDescription string    `json:"groupDescription"`
	LastUpdated      time.Time `json:"groupLastUpdatedDateTime"`
	ParticipantCount int       `json:"groupParticipantCount"`
	ExperienceName   string    `json:"groupExperienceName"`
	GroupStatus      string    `json:"groupStatus"`
}

// JobState is an import job as it is now.
type JobState struct {
	JobID     string          `json:"jobId"`
	GroupID   string          `json:"groupId"`
	Type      string          `json:"type"`
	FileName  string          `json:"inputFileName"`
	JobStatus string          `json:"jobStatus"`
	Details   string          `json:"jobDetails,omitzero"`
	CreatedBy string          `json:"jobCreatedBy"`
	Total     int             `json:"totalRecordsCount"`
	Succeeded int             `json:"successRecordsCount"`
	Failed    int             `json:"failedRecordsCount"`
	Created   time.Time       `json:"createdDateTime"`
	Updated   time.Time       `json:"lastUpdatedDateTime"`
	Errors    []JobErrorState `json:"errors"`
}

// JobErrorState is what is wrong with a row of a job's file.
type JobErrorState struct {
	Line    int    `json:"lineNbr"`
	Message string `json:"errorMsg"`
}

// ParticipantRow is a participant of a group, in a diff.
type ParticipantRow struct {
	ParticipantID string `json:"participantId" about:"A hostUserId of a user, or the fingerprint of another id."`
}

// AlertPreference is an alert preference without cardNumber, which may be a real one. The values in additionalInfo are
// fingerprints.
type AlertPreference struct {
	AdditionalInfo     json.RawMessage `json:"additionalInfo,omitzero"`
	AlertOpted         *bool           `json:"alertOpted,omitzero"`
	Account            *AlertAccount   `json:"alertPreferenceAccountDetails,omitzero"`
	Details            AlertDetails    `json:"alertPreferenceDetails"`
	AllowCallback      *bool           `json:"allowCallback,omitzero"`
	DefaultPreferences *bool           `json:"defaultPreferences,omitzero"`
}

// AlertAccount is the account of an alert preference.
type AlertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
}

// AlertDetails are the details of an alert preference.
type AlertDetails struct {
	AlertPrefID     int64   `json:"alertPrefId"`
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
	// The ids that its request named, where they are others than those of the institution and the user that it belongs to.
	InstitutionID         string `json:"institutionId,omitzero"`
	InstitutionCustomerID string `json:"institutionCustomerId,omitzero"`
}

func newInstitutionRow(i *sim.Institution) InstitutionRow {
	row := InstitutionRow{InstitutionID: i.InstitutionID, Multistatement: i.Multistatement, AlertTypes: i.AlertTypeNames()}
	plain := true
	for n, t := range i.AlertTypes {
		row.InstitutionAlertTypes = append(row.InstitutionAlertTypes, AlertTypeState(t))
		plain = plain && t.ID == int64(n+1) && slices.Equal(t.Channels, sim.AlertChannels) && t.Status == sim.AlertTypeActive && t.Reason == ""
	}
	if plain {
		row.InstitutionAlertTypes = nil
	}
	for _, d := range i.AlertPreferences {
		shown := AlertDefaultState{d.ID, d.AlertTypeName, d.ChannelTypeName, d.AlertOpted, nil}
		if d.AdditionalInfo != nil {
			shown.AdditionalInfo = redact.HideValues(*d.AdditionalInfo)
		}
		row.InstitutionAlertPreferences = append(row.InstitutionAlertPreferences, shown)
	}
	return row
}

func newUserState(w *sim.World, u *sim.User) UserState {
	return UserState{
		UserRow:          newUserRow(u),
		Accounts:         list(w.Accounts(u.InstitutionID, u.HostUserID), newAccountState),
		AlertPreferences: list(w.AlertPreferences(u.InstitutionID, u.HostUserID), newAlertPreference),
	}
}

func newUserRow(u *sim.User) UserRow {
	row := UserRow{HostUserID: u.HostUserID, Username: u.Username, Active: u.Active, Disclosures: newDisclosureStates(u.Disclosures),
		InstitutionUserID: u.InstitutionUserID()}
	s := u.Status
	if s == nil {
		return row
	}
	row.CustomerID, row.ParentHostUserID = s.CustomerID, s.ParentHostUserID
	if shown := (UserStatusState{s.OnHold, s.Locked, s.Reset, s.Registered, s.Approved, s.Rejected, s.FailedLogins, s.FailedPasswordResets,
		s.LastLogin, s.HeldAt, s.HoldReason, s.HeldBy}); shown != (UserStatusState{}) {
		row.Status = &shown
	}
	return row
}

func newAccountState(a *sim.Account) AccountState {
	return AccountState{a.AccountID, a.ActivateEstatement, newDisclosureStates(a.Disclosures), a.UpdateFails}
}

func newDisclosureStates(ds []sim.Disclosure) []DisclosureState {
	return list(slices.Values(ds), func(d sim.Disclosure) DisclosureState {
		return DisclosureState{d.Name, d.Status, d.StatusUpdate, d.PaperWaiver}
	})
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

		AccessRevoked: g.AccessRevoked,
	}
	if g.RefreshToken != "" {
		row.RefreshToken = redact.Fingerprint(g.RefreshToken)
	}
	return row
}

func newGroupRow(g *sim.Group) GroupRow {
	return GroupRow{
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

func newJobState(j sim.Job) JobState {
	return JobState{
		JobID: j.JobID, GroupID: j.GroupID, Type: j.Type, FileName: j.FileName, JobStatus: j.Status, Details: j.Details, CreatedBy: j.CreatedBy,
		Total: j.Total, Succeeded: j.Succeeded, Failed: j.Failed, Created: j.Created, Updated: j.Updated,
		Errors: list(slices.Values(j.Errors), func(e sim.JobError) JobErrorState { return JobErrorState(e) }),
	}
}

func newAlertPreference(p *sim.AlertPreference) AlertPreference {
	state := AlertPreference{
		AlertOpted:         p.AlertOpted,
		Details:            AlertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if p.AdditionalInfo != nil {
		state.AdditionalInfo = redact.HideValues(*p.AdditionalInfo)
	}
	if a := p.Account; a != nil {
		state.Account = &AlertAccount{a.AccountExternalID, a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = AlertDetails{p.AlertPrefID, d.AlertTypeName, d.ChannelTypeName, d.ExternalID,
			other(d.InstitutionID, p.InstitutionID), other(d.InstitutionCustomerID, p.HostUserID)}
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

package testkit

import (
	"encoding/json"
	"net/http"
	"time"
)

// State is all that a bank holds. Its JSON has the interface's own names. It shows no secret: keys and passwords are
// left out, and tokens are fingerprints.
type State struct {
	Institutions []Institution `json:"institutions"`
}

// Institution is an institution with all that belongs to it.
type Institution struct {
	InstitutionID    string            `json:"institutionId"`
	Multistatement   bool              `json:"multistatement"`
	AlertTypes       []string          `json:"alertTypes"`
	Clients          []string          `json:"clients"` // shared keys
	Users            []User            `json:"users"`
	Tokens           []Token           `json:"tokens"`
	Groups           []Group           `json:"groups"`
	Jobs             []Job             `json:"jobs"`
	AlertPreferences []AlertPreference `json:"alertPreferences"` // of no user

	InstitutionAlertTypes       []AlertType    `json:"institutionAlertTypes,omitzero"`       // empty: the scenario says no more than AlertTypes
	InstitutionAlertPreferences []AlertDefault `json:"institutionAlertPreferences,omitzero"` // of users that have none of their own
}

// AlertType is an alert type of an institution.
type AlertType struct {
	ID       int64    `json:"institutionAlertTypeId"`
	Name     string   `json:"alertTypeName"`
	Channels []string `json:"channelsOptd"`
	Status   string   `json:"statusOptd"` // ACTIVE or INACTIVE
	Reason   string   `json:"reason,omitzero"`
}

// AlertDefault is an alert preference of an institution. The values in AdditionalInfo are fingerprints.
type AlertDefault struct {
	ID             int64           `json:"institutionAlertPrefId"`
	TypeName       string          `json:"alertTypeName"`
	ChannelName    string          `json:"channelTypeName"`
	AlertOpted     bool            `json:"alertOpted"`
	AdditionalInfo json.RawMessage `json:"additionalInfo,omitzero"`
}

// User is a user with all that belongs to them.
type User struct {
	HostUserID       string            `json:"hostUserId"`
	Username         string            `json:"username,omitzero"`
	Active           bool              `json:"active"`
	Disclosures      []Disclosure      `json:"disclosures"` // of the user level
	Accounts         []Account         `json:"accounts"`
	AlertPreferences []AlertPreference `json:"alertPreferences"`

	InstitutionUserID string      `json:"institutionUserId"`         // 32 hexadecimal digits
	CustomerID        string      `json:"customerId,omitzero"`       // empty: the scenario gives none
	ParentHostUserID  string      `json:"parentHostUserId,omitzero"` // of a sub-user: its primary user
	Status            *UserStatus `json:"status,omitzero"`           // nil: the scenario says nothing besides Active
}

// UserStatus is what users.getStatus shows of a user besides whether it is active.
type UserStatus struct {
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

// Account is an account of a user.
type Account struct {
	AccountID          string       `json:"accountId"`
	ActivateEstatement bool         `json:"activateEstatement"`
	Disclosures        []Disclosure `json:"disclosures"` // of the account level
	// UpdateFails says that an update of all accounts fails for this one, under behavior.estatements.partialUpdate: allow, and in the public dialect.
	UpdateFails bool `json:"updateFails,omitzero"`
}

// Disclosure is a disclosure of a user or an account.
type Disclosure struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"` // ACCEPTED or NOT_ACCEPTED; of disclosures besides OLS and ESIGN also ENROLLED or NOT_ENROLLED
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

// Token is an access token with its refresh token, if there is one.
type Token struct {
	AccessToken      string     `json:"accessToken"`           // fingerprint
	RefreshToken     string     `json:"refreshToken,omitzero"` // fingerprint
	Client           string     `json:"client"`                // shared key
	HostUserID       string     `json:"hostUserId,omitzero"`   // empty: bound to no user
	GrantType        string     `json:"grantType"`
	Revoked          bool       `json:"revoked"`
	AccessRevoked    bool       `json:"accessTokenRevoked,omitzero"` // alone: the refresh token works
	ExpiresAt        time.Time  `json:"expiresAt"`                   // of the access token, by the bank's clock
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"`   // nil: no refresh token
}

// Group is a group of an institution.
type Group struct {
	GroupID          string    `json:"groupId"`
	GroupName        string    `json:"groupName"`
	GroupDescription string    `json:"groupDescription"`
	LastUpdated      time.Time `json:"groupLastUpdatedDateTime"`
	ParticipantCount int       `json:"groupParticipantCount"`
	ExperienceName   string    `json:"groupExperienceName"`
	GroupStatus      string    `json:"groupStatus"`
	// Participants are those that are named: ids that are hostUserIds of users, and fingerprints of others.
	Participants []string `json:"participants"`
}

// Job is a job that imports participants into a group, as it is now.
type Job struct {
	JobID     string     `json:"jobId"`
	GroupID   string     `json:"groupId"`
	Type      string     `json:"type"`
	FileName  string     `json:"inputFileName"`
	JobStatus string     `json:"jobStatus"`
	Details   string     `json:"jobDetails,omitzero"`
	CreatedBy string     `json:"jobCreatedBy"`
	Total     int        `json:"totalRecordsCount"`
	Succeeded int        `json:"successRecordsCount"`
	Failed    int        `json:"failedRecordsCount"`
	Created   time.Time  `json:"createdDateTime"`
	Updated   time.Time  `json:"lastUpdatedDateTime"`
	Errors    []JobError `json:"errors"`
}

// JobError is what is wrong with a row of a job's file.
type JobError struct {
	Line    int    `json:"lineNbr"`
	Message string `json:"errorMsg"`
}

// AlertPreference is an alert preference. What its request left out is nil. It has no card number.
type AlertPreference struct {
	AdditionalInfo     json.RawMessage `json:"additionalInfo,omitzero"` // its values are fingerprints
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

// AlertDetails is what an alert preference is about.
type AlertDetails struct {
	AlertPrefID     int64   `json:"alertPrefId"`
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`

	// The ids that its request named, where they are others than those of the institution and the user that it belongs to.
	InstitutionID         string `json:"institutionId,omitzero"`
	InstitutionCustomerID string `json:"institutionCustomerId,omitzero"`
}

// State returns all that the bank holds now.
func (b *Bank) State() State {
	b.t.Helper()
	var state State
	b.in(http.MethodGet, "/state", nil, &state)
	return state
}

package testkit

import (
	"encoding/json"
	"time"
)

// The statuses of disclosures.
const (
	Accepted    = "ACCEPTED"
	NotAccepted = "NOT_ACCEPTED"
)

// State is all that a bank holds. It has no secret: keys and passwords are left out, and tokens are fingerprints.
type State struct {
	Institutions []Institution `json:"institutions"`
}

// Institution is an institution with all that belongs to it.
type Institution struct {
	InstitutionID    string            `json:"institutionId"`
	Multistatement   bool              `json:"multistatement"`
	Clients          []string          `json:"clients"` // shared keys
	Users            []User            `json:"users"`
	Tokens           []Token           `json:"tokens"`
	Groups           []Group           `json:"groups"`
	Jobs             []Job             `json:"jobs"`
	AlertPreferences []AlertPreference `json:"alertPreferences"` // of no user
}

// User is a user with all that belongs to them.
type User struct {
	HostUserID       string            `json:"hostUserId"`
	Username         string            `json:"username"`
	Active           bool              `json:"active"`
	Disclosures      []Disclosure      `json:"disclosures"` // of the user level
	Accounts         []Account         `json:"accounts"`
	AlertPreferences []AlertPreference `json:"alertPreferences"`
}

// Account is an account of a user.
type Account struct {
	AccountID          string       `json:"accountId"`
	ActivateEstatement bool         `json:"activateEstatement"`
	Disclosures        []Disclosure `json:"disclosures"` // of the account level
	UpdateFails        bool         `json:"updateFails"` // whether an update of all accounts fails for this one
}

// Disclosure is a disclosure of a user or an account.
type Disclosure struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"` // such as Accepted
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

// Token is an access token with its refresh token, if there is one. The tokens are fingerprints.
type Token struct {
	AccessToken      string     `json:"accessToken"`
	RefreshToken     string     `json:"refreshToken"`
	Client           string     `json:"client"`     // its shared key
	HostUserID       string     `json:"hostUserId"` // or "" if it is bound to no user
	GrantType        string     `json:"grantType"`
	Revoked          bool       `json:"revoked"`
	AccessRevoked    bool       `json:"accessTokenRevoked"` // while the refresh token works
	ExpiresAt        time.Time  `json:"expiresAt"`          // of the access token, by the bank's clock
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt"`   // or nil without a refresh token
}

// Group is a group of an institution.
type Group struct {
	GroupID          string    `json:"groupId"`
	GroupName        string    `json:"groupName"`
	GroupDescription string    `json:"groupDescription"`
	GroupStatus      string    `json:"groupStatus"` // ACTIVE or DELETED
	LastUpdated      time.Time `json:"groupLastUpdatedDateTime"`
	ParticipantCount int       `json:"groupParticipantCount"`
	Participants     []string  `json:"participants"` // hostUserIds of users, and fingerprints of others
}

// Job imports participants into a group.
type Job struct {
	JobID     string    `json:"jobId"`
	GroupID   string    `json:"groupId"`
	Type      string    `json:"type"`
	JobStatus string    `json:"jobStatus"`
	Total     int       `json:"totalRecordsCount"`
	Succeeded int       `json:"successRecordsCount"`
	Failed    int       `json:"failedRecordsCount"`
	Created   time.Time `json:"createdDateTime"`
	Updated   time.Time `json:"lastUpdatedDateTime"`
}

// AlertPreference is an alert preference. What its request left out is nil or empty.
type AlertPreference struct {
	AlertOpted     *bool           `json:"alertOpted"`
	AllowCallback  *bool           `json:"allowCallback"`
	AdditionalInfo json.RawMessage `json:"additionalInfo"` // its values are fingerprints
	Details        struct {
		AlertPrefID     int64  `json:"alertPrefId"`
		AlertTypeName   string `json:"alertTypeName"`
		ChannelTypeName string `json:"channelTypeName"`
	} `json:"alertPreferenceDetails"`
}

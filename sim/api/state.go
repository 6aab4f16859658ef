package api

import (
	"encoding/json"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// State is all that a bank holds, by institution, with the field names of the interface. It has no secret: keys and
// passwords are left out, and tokens are fingerprints.
type State struct {
	Institutions []Institution `json:"institutions"`
}

// InstitutionRow is an institution without what belongs to it.
type InstitutionRow struct {
	InstitutionID  string   `json:"institutionId"`
	Multistatement bool     `json:"multistatement"`
	AlertTypes     []string `json:"alertTypes"`

	InstitutionAlertTypes       []AlertType    `json:"institutionAlertTypes,omitzero"`
	InstitutionAlertPreferences []AlertDefault `json:"institutionAlertPreferences,omitzero" doc:"The alert preferences of users that have none of their own."`

	InstitutionDisclosures []CustomDisclosure `json:"institutionDisclosures,omitzero" doc:"The disclosures besides OLS, ESIGN and IB."`
}

// Institution is an institution with all that belongs to it.
type Institution struct {
	InstitutionRow

	Clients          []string          `json:"clients" doc:"The shared keys of the clients."`
	Users            []User            `json:"users"`
	Tokens           []Token           `json:"tokens"`
	Groups           []Group           `json:"groups"`
	Jobs             []Job             `json:"jobs"`
	AlertPreferences []AlertPreference `json:"alertPreferences" doc:"The alert preferences that belong to no user."`
	Counts           map[string]int    `json:"counts,omitzero" doc:"How many rows match in each list. Only there if limit is given."`
}

// CustomDisclosure is a disclosure of an institution other than OLS, ESIGN and IB.
type CustomDisclosure struct {
	ID       string `json:"institutionDisclosureId"`
	Name     string `json:"institutionDisclosureName"`
	Data     string `json:"institutionDisclosureData,omitzero"`
	DataType string `json:"institutionDisclosureDataType,omitzero"`
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

// UserRow is a user without what belongs to them.
type UserRow struct {
	HostUserID  string       `json:"hostUserId"`
	Username    string       `json:"username,omitzero"`
	Active      bool         `json:"active"`
	Disclosures []Disclosure `json:"disclosures"` // the disclosures of the user level

	InstitutionUserID string      `json:"institutionUserId"` // it has 32 hexadecimal digits
	CustomerID        string      `json:"customerId"`        // an older id, of the same form
	Status            *UserStatus `json:"status,omitzero" doc:"What else the user status has, if the scenario gives it."`
}

// User is a user with all that belongs to them.
type User struct {
	UserRow

	Accounts         []Account         `json:"accounts"`
	AlertPreferences []AlertPreference `json:"alertPreferences"`
}

// UserStatus has the further members of a user's status. The operation users.getStatus shows them.
type UserStatus struct {
	InstitutionUserID    string     `json:"-"` // see User
	CustomerID           string     `json:"-"` // see User
	ParentHostUserID     string     `json:"parentHostUserId,omitzero" doc:"The hostUserId of the primary user. Only a sub-user has one."`
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
	Disclosures        []Disclosure `json:"disclosures"` // the disclosures of the account level
	// UpdateFails says that an update of all accounts fails for this one, under behavior.estatements.partialUpdate:
	// allow, and in the public dialect.
	UpdateFails bool `json:"updateFails,omitzero"`
}

// Disclosure is a disclosure of a user or an account. Its status is ACCEPTED or NOT_ACCEPTED. A disclosure other than
// OLS and ESIGN may also be ENROLLED or NOT_ENROLLED.
type Disclosure struct {
	Name         string    `json:"institutionDisclosureName"`
	Status       string    `json:"institutionDisclosureStatus"`
	StatusUpdate time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver  bool      `json:"paperWaiver"`
}

// Token is an access token with its refresh token, if there is one. As a row of a diff it has no times.
type Token struct {
	// Row has the number of the grant. The number may differ between equal banks.
	Row          string   `json:"row,omitzero" doc:"The table and the key of the row, as in a diff. Only there if limit is given."`
	Code         string   `json:"code,omitzero"`         // the fingerprint of the code that the grant began with
	AccessToken  string   `json:"accessToken"`           // the fingerprint, or empty if the code wasn't used
	RefreshToken string   `json:"refreshToken,omitzero"` // the fingerprint
	Client       string   `json:"client"`                // the shared key
	HostUserID   string   `json:"hostUserId,omitzero"`   // empty if the token is bound to no user
	GrantType    string   `json:"grantType"`
	Scopes       []string `json:"scopes,omitzero"` // the scopes of the request, or nil for all of the client's
	Revoked      bool     `json:"revoked"`
	// AccessRevoked says that only the access token is revoked. The refresh token works.
	AccessRevoked    bool       `json:"accessTokenRevoked,omitzero"`
	ExpiresAt        time.Time  `json:"expiresAt,omitzero"`        // the end of the access token, by the bank's clock
	RefreshExpiresAt *time.Time `json:"refreshExpiresAt,omitzero"` // nil without a refresh token
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
	Participants     []string  `json:"participants,omitzero" doc:"The named participants: hostUserIds of users, fingerprints of others."`
}

// Job is the present state of a job that imports participants into a group.
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

// JobError is an error in a row of a job's file.
type JobError struct {
	Line    int    `json:"lineNbr"`
	Message string `json:"errorMsg"`
}

// AlertPreference is an alert preference. What its request left out is nil. It has no card number, because that may
// be a real one. The values in AdditionalInfo are fingerprints.
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

// AlertDetails is what an alert preference is about.
type AlertDetails struct {
	AlertPrefID     int64   `json:"alertPrefId"`
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
}

// Diff is what differs between two worlds of a sandbox.
type Diff struct {
	Since   string   `json:"since" doc:"What the bank is compared with: a snapshot, or start."`
	Changes []Change `json:"changes"`
	Total   *int     `json:"total,omitzero" doc:"How many rows differ. Only there if limit is given."`
}

// Change is a row that differs between two worlds.
type Change = explore.Change

// Faults lists fault rules, with how many requests matched each and for how many it fired. Secrets in them are
// fingerprints.
type Faults struct {
	Faults []fault.Counted `json:"faults"`
}

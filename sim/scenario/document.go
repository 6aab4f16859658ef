package scenario

import (
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Document is a scenario file with everything it extends merged in. The types, their comments and their tags define the
// format, together with the switches and operations of the contract. The schemas and the reference are generated from
// them (see sim/internal/gen). A member that a file leaves out has the zero value, or is a nil pointer where the zero
// value means something else.
type Document struct {
	// What the scenario is called. Default: the name of its file.
	Name string `yaml:"name" jsonschema:"minLength=1,maxLength=100,example=retail,example=month end"`
	// What the scenario is for.
	Description string `yaml:"description" jsonschema:"example=Two institutions with users in every state."`
	// What this scenario changes: built-in scenarios or files. Mappings and items with the same id merge,
	// null removes.
	Extends extends `yaml:"extends"`
	// Determines all generated ids and tokens. Default: a new one at each start, reset and reload.
	Seed *uint64 `yaml:"seed" jsonschema:"minimum=0,maximum=18446744073709551615,example=7"`
	// The virtual clock. It drives lifetimes and timestamps.
	Clock clock `yaml:"clock"`
	// When sandboxes that start from the scenario are reset by themselves. Default: never.
	Resets sim.ResetTime `yaml:"resets"`
	// Switches for what the interface document leaves open.
	Behavior yaml.Node `yaml:"behavior"`
	// The faults to inject, in the order of their evaluation.
	Faults []faultRule `yaml:"faults"`
	// The financial institutions. A request without one belongs to the first.
	Institutions []institution `yaml:"institutions" jsonschema:"required,minItems=1"`
}

type clock struct {
	// The time at each start and reset. Default: serve --clock-start, or 2026-01-15T09:00:00Z in the kits for tests.
	Start clockStart `yaml:"start"`
	// Whether the clock advances by itself.
	Run *bool `yaml:"run" jsonschema:"default=true"`
}

type institution struct {
	// In quotes, to keep leading zeros.
	InstitutionID string `yaml:"institutionId" jsonschema:"required,title=digits,pattern=^[0-9]+$,maxLength=32,example=02688"`
	// Whether multistatement is configured, as statement updates require.
	Multistatement *bool `yaml:"multistatement" jsonschema:"default=true"`
	// Names of active alert types for all channels. Default: institutionAlertTypes, or else any name.
	AlertTypes []string `yaml:"alertTypes" jsonschema:"minItems=1,minLength=1,example=LOW_BALANCE"`
	// Alert types with more than a name, after alertTypes.
	AlertTypeRows []alertType `yaml:"institutionAlertTypes" jsonschema:"minItems=1"`
	// The alert preferences of users without any.
	AlertDefaults []alertDefault `yaml:"institutionAlertPreferences" jsonschema:"minItems=1"`
	// More disclosures than OLS, ESIGN and IB.
	Disclosures []customDisclosure `yaml:"institutionDisclosures" jsonschema:"minItems=1"`
	// The institution's client applications.
	Clients []client `yaml:"clients"`
	// The institution's users.
	Users []user `yaml:"users"`
	// Tokens that exist from the start.
	Tokens []token `yaml:"tokens"`
	// The groups, in order of creation.
	Groups []group `yaml:"groups"`
	// Alert preferences of no user, as with behavior.alerts.headers: optional.
	AlertPreferences []alertPreference `yaml:"alertPreferences"`
	// Generates any number of users, accounts and groups, the same ones at every start.
	Generate *generateBlock `yaml:"generate"`
}

// generateBlock configures generated rows.
type generateBlock struct {
	// How many users. Their hostUserIds are 1000001 and so on. A written user with such an id replaces the generated
	// one.
	Users int `yaml:"users" jsonschema:"minimum=0,maximum=1000000,default=0,example=10000"`
	// The password of all generated users.
	Password string `yaml:"password" jsonschema:"minLength=1,default=demo,example=demo"`
	// The share of users that are not active.
	InactiveUsers share `yaml:"inactiveUsers" jsonschema:"default=0"`
	// How many accounts each user has, such as acc-1000001-checking.
	AccountsPerUser *int `yaml:"accountsPerUser" jsonschema:"minimum=0,maximum=100,default=2,example=3"`
	// The share of accounts with electronic statements.
	ElectronicStatements share `yaml:"electronicStatements" jsonschema:"default=0"`
	// The disclosures of generated users and accounts: shares that add up to 1. Default: all accepted.
	Disclosures *disclosureMix `yaml:"disclosures"`
	// How many groups, after the written ones.
	Groups int `yaml:"groups" jsonschema:"minimum=0,maximum=1000000,default=0,example=500"`
	// How many users each generated group has. Default: a random number without names.
	ParticipantsPerGroup int `yaml:"participantsPerGroup" jsonschema:"minimum=0,maximum=10000,example=20"`
	// Determines the generated rows. Default: the scenario's seed, or 1.
	Seed *uint64 `yaml:"seed" jsonschema:"minimum=0,maximum=18446744073709551615,example=7"`
	// Generated times are in the year before. Default: the clock's start.
	Start timestamp `yaml:"start"`
}

// disclosureMix divides users or accounts by their disclosure.
type disclosureMix struct {
	// The share with an ACCEPTED disclosure.
	Accepted share `yaml:"accepted" jsonschema:"default=0"`
	// The share with a NOT_ACCEPTED disclosure.
	NotAccepted share `yaml:"notAccepted" jsonschema:"default=0"`
	// The share without a disclosure.
	None share `yaml:"none" jsonschema:"default=0"`
}

type client struct {
	// The name in its Basic credentials.
	SharedKey string `yaml:"sharedKey" jsonschema:"required,title=text without a colon,pattern=^[^:]+$,example=demo-app"`
	// The password in its Basic credentials.
	SecretKey string `yaml:"secretKey" jsonschema:"required,minLength=1,example=demo-secret"`
	// The scopes that its tokens may have. Default: all.
	Scopes []string `yaml:"scopes" jsonschema:"minItems=1,minLength=1,example=groups:read"`
	// Lets the client get tokens by authorization codes. Another client creates the codes. Default: it can't.
	AuthorizationCode *codePolicy `yaml:"authorizationCode"`
}

type codePolicy struct {
	// The scopes that codes for the client may have.
	Scopes []string `yaml:"scopes" jsonschema:"required,minItems=1"`
	// Where a code is sent: the answer's redirect_uri.
	RedirectURI string `yaml:"redirectUri" jsonschema:"required,minLength=1,example=https://partner.example/callback"`
	// The authorization's appId. Default: the shared key.
	AppID string `yaml:"appId" jsonschema:"minLength=1,example=partner"`
	// The authorization's secondary_authentication_enabled.
	SecondaryAuthentication bool `yaml:"secondaryAuthenticationEnabled" jsonschema:"default=false"`
	// The authorization's consent_enabled.
	Consent bool `yaml:"consentEnabled" jsonschema:"default=false"`
	// The authorization's device_registration_enabled.
	DeviceRegistration bool `yaml:"deviceRegistrationEnabled" jsonschema:"default=false"`
}

type user struct {
	// The user's id. In quotes if it looks like a number.
	HostUserID string `yaml:"hostUserId" jsonschema:"required,minLength=1,example=1001"`
	// For the password grant. Default: no login.
	Username string `yaml:"username" jsonschema:"minLength=1,example=avery"`
	// For the password grant. Default: no login.
	Password string `yaml:"password" jsonschema:"minLength=1,example=demo"`
	// Whether the user is active, as statement updates require.
	Active *bool `yaml:"active" jsonschema:"default=true"`
	// The user-level disclosures. An update of all accounts needs at least one, all ACCEPTED.
	Disclosures []disclosure `yaml:"disclosures"`
	// The user's accounts.
	Accounts []account `yaml:"accounts"`
	// The institution's id for the user. Default: made from the other ids.
	InstitutionUser string `yaml:"institutionUserId" jsonschema:"title=32 hexadecimal digits in upper case,pattern=^[0-9A-F]{32}$,example=4C0B1F6A2D3E4F5061728394A5B6C7D8"`
	// An older id. Default: made from the other ids.
	CustomerID string `yaml:"customerId" jsonschema:"title=32 hexadecimal digits in upper case,pattern=^[0-9A-F]{32}$,example=9D8C7B6A5F4E3D2C1B0A998877665544"`
	// The primary user of a sub-user.
	Parent string `yaml:"parentHostUserId" jsonschema:"minLength=1,example=1001"`
	// More of what the operation on the status of users shows. It has no effect on other operations.
	Status *sim.UserStatus `yaml:"status"`
	// Where alerts can reach the user. If nowhere, new preferences are refused.
	Destinations string `yaml:"destinations" jsonschema:"enum=some,enum=none,default=some"`
	// The user's alert preferences.
	AlertPreferences []alertPreference `yaml:"alertPreferences"`
}

// noDestinations is the value of destinations for a user whom no alert reaches.
const noDestinations = "none"

type customDisclosure struct {
	// Default: made from institution and name.
	ID string `yaml:"institutionDisclosureId" jsonschema:"title=32 hex digits,pattern=^[0-9A-F]{32}$"`
	// The disclosure's name.
	Name string `yaml:"institutionDisclosureName" jsonschema:"required,minLength=1,maxLength=20,example=Mobile deposit"`
	// What the user accepts, or where it is.
	Data string `yaml:"institutionDisclosureData" jsonschema:"minLength=1,example=https://bank.example/terms"`
	// What institutionDisclosureData is.
	DataType string `yaml:"institutionDisclosureDataType" jsonschema:"enum=UNKNOWN,enum=URL,enum=CONFIG,enum=RAW"`
}

type disclosure struct {
	// The user's answer. Statement updates need ACCEPTED. OLS and ESIGN are never ENROLLED or NOT_ENROLLED.
	Status string `yaml:"institutionDisclosureStatus" jsonschema:"required,enum=ACCEPTED,enum=NOT_ACCEPTED,enum=ENROLLED,enum=NOT_ENROLLED"`
	// The disclosure's name.
	Name string `yaml:"institutionDisclosureName" jsonschema:"minLength=1,example=OLS"`
	// When the user answered. Default: the clock's start.
	StatusUpdate timestamp `yaml:"institutionUserDisclosureStatusUpdateDateTime"`
	// Whether the user waived paper. Default: the account's activateEstatement.
	PaperWaiver *bool `yaml:"paperWaiver"`
}

type account struct {
	// The account's id.
	AccountID string `yaml:"accountId" jsonschema:"required,minLength=1,example=acc-1001-checking"`
	// Whether statements are electronic.
	ActivateEstatement bool `yaml:"activateEstatement" jsonschema:"default=false"`
	// The account-level disclosures. An update of the account needs at least one, all ACCEPTED.
	Disclosures []disclosure `yaml:"disclosures"`
	// Whether an update of all accounts fails for this one, where partial updates are possible.
	UpdateFails bool `yaml:"updateFails" jsonschema:"default=false"`
}

type token struct {
	// The access token.
	AccessToken string `yaml:"accessToken" jsonschema:"required,title=made of letters\\, digits and ._~+/=-,pattern=^[A-Za-z0-9._~+/=-]+$,example=demo-token"`
	// The sharedKey of its client.
	Client string `yaml:"client" jsonschema:"required,minLength=1,example=demo-app"`
	// The only user that it is valid for. Default: all.
	HostUserID string `yaml:"hostUserId" jsonschema:"minLength=1,example=1001"`
	// Some of the client's scopes. Default: all.
	Scopes []string `yaml:"scopes" jsonschema:"minItems=1,minLength=1,example=groups:read"`
	// The refresh token of the same grant.
	RefreshToken string `yaml:"refreshToken" jsonschema:"title=made of letters\\, digits and ._~+/=-,pattern=^[A-Za-z0-9._~+/=-]+$,example=demo-refresh"`
	// How long the access token works. Default: behavior.tokens.accessLifetime.
	ExpiresIn duration `yaml:"expiresIn"`
	// How long the refresh token works. Default: behavior.tokens.refreshLifetime.
	RefreshExpiresIn duration `yaml:"refreshExpiresIn"`
	// When the access token expires, in place of expiresIn.
	ExpiresAt timestamp `yaml:"expiresAt"`
	// When the refresh token expires, in place of refreshExpiresIn.
	RefreshExpiresAt timestamp `yaml:"refreshExpiresAt"`
	// Whether the tokens were revoked.
	Revoked bool `yaml:"revoked" jsonschema:"default=false"`
	// Whether the access token alone was revoked.
	AccessTokenRevoked bool `yaml:"accessTokenRevoked" jsonschema:"default=false"`
}

type group struct {
	// The group's id. Default: random.
	GroupID string `yaml:"groupId" jsonschema:"minLength=1,example=3f1c2b9e-0d5a-4c1b-9b7e-5a8f0e6d2c41"`
	// The experience's id. Default: random.
	ExperienceID string `yaml:"experienceId" jsonschema:"minLength=1,example=9c2f6a31-7d4e-4b8a-a1f0-2e5d8c7b6a90"`
	// The experience's name. Default: the group's name.
	ExperienceName string `yaml:"experienceName" jsonschema:"minLength=1,example=Early adopters"`
	// The group's name.
	Name string `yaml:"groupName" jsonschema:"required,title=text that is not blank,pattern=\\S,example=Early adopters"`
	// What the group is for.
	Description string `yaml:"groupDescription" jsonschema:"example=Tries new features first."`
	// Requests don't find a DELETED group.
	Status string `yaml:"groupStatus" jsonschema:"enum=ACTIVE,enum=DELETED,default=ACTIVE"`
	// How many participants there are, named or not. Default: the named ones.
	ParticipantCount *int `yaml:"groupParticipantCount" jsonschema:"minimum=0,maximum=2147483647,example=120"`
	// The named participants, such as hostUserIds, in quotes. Import jobs can remove only these.
	Participants []string `yaml:"participants" jsonschema:"title=text of printable ASCII characters without spaces\\, commas and quotes,pattern=^[!#-+\\--~]+$,minLength=1,maxLength=32,example=1001"`
	// The group's import jobs.
	Jobs []job `yaml:"jobs"`
	// When the group last changed. Default: the clock's start.
	LastUpdated timestamp `yaml:"groupLastUpdatedDateTime"`
}

type job struct {
	// The job's id. Default: random.
	JobID string `yaml:"jobId" jsonschema:"title=a UUID in lower case,pattern=^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$,example=6a0f7d1c-2f6e-4c55-9d0e-9a1b6f0c7e21"`
	// What the job does with its participants.
	Type string `yaml:"type" jsonschema:"enum=ADD,enum=REMOVE,enum=REPLACE,default=ADD"`
	// The file's name.
	FileName string `yaml:"inputFileName" jsonschema:"minLength=1,maxLength=255,default=participants.csv,example=participants.csv"`
	// Who uploaded the file.
	CreatedBy string `yaml:"jobCreatedBy" jsonschema:"minLength=1,example=02688.avery"`
	// The status, with endsAt the last one. A job left CREATED or PROCESSING blocks its group.
	Status string `yaml:"jobStatus" jsonschema:"enum=CREATED,enum=PROCESSING,enum=SUCCESSFUL,enum=PARTIAL_SUCCESS,enum=FAILED,enum=CANCELLED,enum=UNKNOWN,default=SUCCESSFUL"`
	// What is said about the outcome.
	Details string `yaml:"jobDetails" jsonschema:"minLength=1,example=2 records failed"`
	// How many rows the file has.
	Total int `yaml:"totalRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=120"`
	// How many rows are good.
	Succeeded int `yaml:"successRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=118"`
	// How many rows are in error.
	Failed int `yaml:"failedRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=2"`
	// What is wrong with rows.
	Errors []jobError `yaml:"errors"`
	// When the file was uploaded. Default: the clock's start.
	Created timestamp `yaml:"createdDateTime"`
	// When the job last changed. Default: endsAt or createdDateTime.
	LastUpdated timestamp `yaml:"lastUpdatedDateTime"`
	// When processing begins, before endsAt. Default: createdDateTime.
	ProcessedAt timestamp `yaml:"processedAt"`
	// When the job ends, after the clock's start. Default: it has ended.
	EndsAt timestamp `yaml:"endsAt"`
	// What the job adds or removes at endsAt, in quotes.
	Imports []string `yaml:"participants" jsonschema:"title=text of printable ASCII characters without spaces\\, commas and quotes,pattern=^[!#-+\\--~]+$,minLength=1,maxLength=32,example=1001"`
}

type jobError struct {
	// The file's line, from 1.
	Line int `yaml:"lineNbr" jsonschema:"required,minimum=1,maximum=2147483647,example=2"`
	// What is wrong with it.
	Message string `yaml:"errorMsg" jsonschema:"required,minLength=1,example=ParticipantId is missing"`
}

// alertPreference is the body of interface section 2.7.
type alertPreference struct {
	// Any keys and values: stored and echoed.
	AdditionalInfo map[string]any `yaml:"additionalInfo"`
	// Stored and echoed.
	AlertOpted *bool `yaml:"alertOpted"`
	// The account that the alert concerns.
	Account *alertAccount `yaml:"alertPreferenceAccountDetails"`
	// The alert's type and channel.
	Details *alertDetails `yaml:"alertPreferenceDetails"`
	// Stored and echoed.
	AllowCallback *bool `yaml:"allowCallback"`
	// Stored and echoed.
	DefaultPreferences *bool `yaml:"defaultPreferences"`
}

// alertType is an element of the answer to alerts.listInstitutionTypes.
type alertType struct {
	// The type's id. Default: assigned.
	ID int64 `yaml:"institutionAlertTypeId" jsonschema:"minimum=1,maximum=9007199254740991,example=7"`
	// The type's name.
	Name string `yaml:"alertTypeName" jsonschema:"required,minLength=1,example=LOW_BALANCE"`
	// Its channels. Default: all.
	Channels []string `yaml:"channelsOptd" jsonschema:"minItems=1,enum=EMAIL,enum=SMS,enum=PUSH,enum=WEB"`
	// Preferences for an INACTIVE type are refused.
	Status string `yaml:"statusOptd" jsonschema:"enum=ACTIVE,enum=INACTIVE,default=ACTIVE"`
	// Shown only.
	Reason string `yaml:"reason" jsonschema:"minLength=1,example=Not offered any more"`
}

// alertDefault is an element of the answer to alerts.listInstitutionPreferences.
type alertDefault struct {
	// The preference's id. Default: assigned.
	ID int64 `yaml:"institutionAlertPrefId" jsonschema:"minimum=1,maximum=9007199254740991,example=3"`
	// The alert's type.
	TypeName string `yaml:"alertTypeName" jsonschema:"required,minLength=1,example=LOW_BALANCE"`
	// How the alert is delivered.
	ChannelName string `yaml:"channelTypeName" jsonschema:"required,enum=EMAIL,enum=SMS,enum=PUSH,enum=WEB"`
	// Whether the alert is sent.
	AlertOpted *bool `yaml:"alertOpted" jsonschema:"default=true"`
	// Any keys and values: shown only.
	AdditionalInfo map[string]any `yaml:"additionalInfo"`
}

type alertAccount struct {
	// Stored and echoed.
	AccountExternalID *string `yaml:"accountExternalId" jsonschema:"example=ext-77"`
	// Stored and echoed.
	AccountID *string `yaml:"accountId" jsonschema:"example=acc-1001-checking"`
	// Stored and echoed.
	CardNumber *string `yaml:"cardNumber" jsonschema:"example=4111111111111111"`
}

type alertDetails struct {
	// The preference's id. Default: assigned.
	AlertPrefID int64 `yaml:"alertPrefId" jsonschema:"minimum=1,maximum=9223372036854775807,example=41"`
	// The alert's type, one of alertTypes if there are any.
	AlertTypeName *string `yaml:"alertTypeName" jsonschema:"example=LOW_BALANCE"`
	// EMAIL, SMS, PUSH, WEB or several with commas. Also any text, unless behavior.alerts.knownChannelsOnly.
	ChannelTypeName *string `yaml:"channelTypeName" jsonschema:"example=EMAIL,example=SMS,example=PUSH,example=WEB"`
	// Stored and echoed.
	ExternalID *string `yaml:"externalId" jsonschema:"example=ext-1001"`
	// The user's hostUserId, or absent.
	InstitutionCustomerID *string `yaml:"institutionCustomerId" jsonschema:"example=1001"`
	// The institution's id, or absent.
	InstitutionID *string `yaml:"institutionId" jsonschema:"example=02688"`
}

package scenario

import "gopkg.in/yaml.v3"

// document is a scenario file with everything it extends merged in. The tags define the format, together with the
// switches and operations of the contract: two schemas are generated from them, for editors and for the loader (see
// schema.go). A member that a file leaves out has the zero value, or is a nil pointer where the zero value means
// something else.
type document struct {
	Name         string        `yaml:"name" jsonschema:"minLength=1,maxLength=100,example=retail,example=month end" jsonschema_description:"What the scenario is called. Default: the name of the file without its ending."`
	Description  string        `yaml:"description" jsonschema:"example=Two institutions with users in every state." jsonschema_description:"What the scenario is for, for people."`
	Extends      parents       `yaml:"extends" jsonschema_description:"What this scenario changes, one or a list: a built-in scenario, a file, or a file beside without its ending. Mappings merge key by key, lists of things with an id merge by id, other lists are replaced, null removes. An item with remove: true removes the inherited one; - replace: true as the first item replaces the list."`
	Seed         *uint64       `yaml:"seed" jsonschema:"minimum=0,maximum=18446744073709551615,default=1,example=7" jsonschema_description:"Determines every generated id and token: the same seed and the same requests give the same answers."`
	Random       string        `yaml:"random" jsonschema:"title=32 hexadecimal digits,pattern=^[0-9a-f]{32}$,example=8a3f5d0c1b2e4f60718293a4b5c6d7e8" jsonschema_description:"Where the random source stands once the rows are there: a saved bank draws on from here. Default: after what the rows have drawn, from the seed."`
	AlertPrefID  int64         `yaml:"lastAlertPrefId" jsonschema:"minimum=1,maximum=9007199254740991,example=12" jsonschema_description:"The alertPrefId that was assigned last: a saved bank assigns larger ones. Default: the largest that is written."`
	Clock        clock         `yaml:"clock" jsonschema_description:"The virtual clock, which drives lifetimes and timestamps."`
	Behavior     yaml.Node     `yaml:"behavior" jsonschema_description:"Switches for what the interface document leaves open."`
	Faults       []*faultRule  `yaml:"faults" jsonschema_description:"The faults to inject. Rules are evaluated in order: the first that fires and has an answer gives it, delays add up."`
	Institutions []institution `yaml:"institutions" jsonschema:"required,minItems=1" jsonschema_description:"The financial institutions. A request that names none belongs to the first."`
}

type clock struct {
	Start timestamp `yaml:"start" jsonschema:"default=2026-01-15T09:00:00Z" jsonschema_description:"The time on the clock when the simulator starts."`
	Run   *bool     `yaml:"run" jsonschema:"default=true" jsonschema_description:"Whether the clock advances with real time. If not, it stands still until it is moved."`
}

type institution struct {
	InstitutionID    string            `yaml:"institutionId" jsonschema:"required,title=digits,pattern=^[0-9]+$,maxLength=32,example=02688" jsonschema_description:"The institution's id: digits, in quotes to keep leading zeros."`
	Multistatement   *bool             `yaml:"multistatement" jsonschema:"default=true" jsonschema_description:"Whether multistatement is configured: the first precondition of a statement preference update."`
	AlertTypes       []string          `yaml:"alertTypes" jsonschema:"minItems=1,minLength=1,example=LOW_BALANCE" jsonschema_description:"The values that alertTypeName may have: alert types that are ACTIVE, for all channels. Default: those of institutionAlertTypes, or any without these."`
	AlertTypeRows    []alertType       `yaml:"institutionAlertTypes" jsonschema:"minItems=1" jsonschema_description:"Alert types with more than a name, after those of alertTypes."`
	AlertDefaults    []alertDefault    `yaml:"institutionAlertPreferences" jsonschema:"minItems=1" jsonschema_description:"The alert preferences of users that have none of their own."`
	Clients          []client          `yaml:"clients" jsonschema_description:"The applications registered with the institution."`
	Users            []user            `yaml:"users" jsonschema_description:"The institution's users."`
	Tokens           []token           `yaml:"tokens" jsonschema_description:"Access and refresh tokens that are valid from the start."`
	Groups           []group           `yaml:"groups" jsonschema_description:"The experience groups, in creation order."`
	AlertPreferences []alertPreference `yaml:"alertPreferences" jsonschema_description:"Alert preferences of no user, as callers can create them under behavior.alerts.headers: optional."`
	TransactionIDs   []string          `yaml:"transactionIds" jsonschema:"minItems=1,minLength=1,example=t-1" jsonschema_description:"The transactionIds that were used, the oldest first: a further use is refused under behavior.groups.transactionIdReuse: reject."`
	Generate         *filler           `yaml:"generate" jsonschema_description:"Generates any number of users, accounts and groups, the same ones at every start."`
}

// filler configures generated rows.
type filler struct {
	Users                int            `yaml:"users" jsonschema:"minimum=0,maximum=1000000,default=0,example=10000" jsonschema_description:"How many users to generate. Their hostUserIds are 1000001, 1000002 and so on, their usernames are random, such as avery.morgan. A user that is written with such an id takes the place of the generated one, with all accounts."`
	Password             string         `yaml:"password" jsonschema:"minLength=1,default=demo,example=demo" jsonschema_description:"The password of all generated users."`
	InactiveUsers        share          `yaml:"inactiveUsers" jsonschema:"default=0" jsonschema_description:"The share of the generated users that are not active."`
	AccountsPerUser      *int           `yaml:"accountsPerUser" jsonschema:"minimum=0,maximum=100,default=2,example=3" jsonschema_description:"How many accounts each generated user has. Their accountIds are acc-1000001-checking, acc-1000001-savings and so on."`
	ElectronicStatements share          `yaml:"electronicStatements" jsonschema:"default=0" jsonschema_description:"The share of the generated accounts whose statement preference is electronic."`
	Disclosures          *disclosureMix `yaml:"disclosures" jsonschema_description:"The disclosures of generated users and accounts: shares that add up to 1. Default: all accepted."`
	Groups               int            `yaml:"groups" jsonschema:"minimum=0,maximum=1000000,default=0,example=500" jsonschema_description:"How many groups to generate, after those that are written. Their names are random, such as Coastal savers."`
	Seed                 *uint64        `yaml:"seed" jsonschema:"minimum=0,maximum=18446744073709551615,example=7" jsonschema_description:"Determines the generated rows. Default: the scenario's seed."`
	Start                timestamp      `yaml:"start" jsonschema_description:"The times in generated rows are in the year before. Default: the clock's start."`
}

// disclosureMix divides users or accounts by their disclosure.
type disclosureMix struct {
	Accepted    share `yaml:"accepted" jsonschema:"default=0" jsonschema_description:"The share with a disclosure that is ACCEPTED."`
	NotAccepted share `yaml:"notAccepted" jsonschema:"default=0" jsonschema_description:"The share with a disclosure that is NOT_ACCEPTED."`
	None        share `yaml:"none" jsonschema:"default=0" jsonschema_description:"The share without any disclosure."`
}

type client struct {
	SharedKey string `yaml:"sharedKey" jsonschema:"required,title=text without a colon,pattern=^[^:]+$,example=demo-app" jsonschema_description:"The client's shared key: the name in its Basic credentials, so without a colon."`
	SecretKey string `yaml:"secretKey" jsonschema:"required,minLength=1,example=demo-secret" jsonschema_description:"The client's secret key: the password in its Basic credentials."`
}

type user struct {
	HostUserID       string            `yaml:"hostUserId" jsonschema:"required,minLength=1,example=1001" jsonschema_description:"The user's id, as the query parameter hostUserId gives it. In quotes if it looks like a number."`
	Username         string            `yaml:"username" jsonschema:"minLength=1,example=avery" jsonschema_description:"For the password grant. Default: the user can't log in."`
	Password         string            `yaml:"password" jsonschema:"minLength=1,example=demo" jsonschema_description:"For the password grant. Default: the user can't log in."`
	Active           *bool             `yaml:"active" jsonschema:"default=true" jsonschema_description:"Whether the user is active: the second precondition of a statement preference update."`
	Disclosures      []disclosure      `yaml:"disclosures" jsonschema_description:"The user-level disclosures. An update of all accounts needs at least one, and all ACCEPTED."`
	Accounts         []account         `yaml:"accounts" jsonschema_description:"The user's accounts."`
	InstitutionUser  string            `yaml:"institutionUserId" jsonschema:"title=32 hexadecimal digits in upper case,pattern=^[0-9A-F]{32}$,example=4C0B1F6A2D3E4F5061728394A5B6C7D8" jsonschema_description:"The id that the institution gives to the user. Default: made from the institutionId and the hostUserId."`
	CustomerID       string            `yaml:"customerId" jsonschema:"title=32 hexadecimal digits in upper case,pattern=^[0-9A-F]{32}$,example=9D8C7B6A5F4E3D2C1B0A998877665544" jsonschema_description:"An older id of the user. Default: made from the institutionId and the hostUserId."`
	Parent           string            `yaml:"parentHostUserId" jsonschema:"minLength=1,example=1001" jsonschema_description:"The hostUserId of the primary user of a sub-user. Default: it is none."`
	Status           *userStatus       `yaml:"status" jsonschema_description:"What the operation on the status of users shows besides active. It has no effect on other operations."`
	AlertPreferences []alertPreference `yaml:"alertPreferences" jsonschema_description:"The user's alert preferences."`
}

// userStatus has the flags and the additionalInfo of the answer to users.getStatus.
type userStatus struct {
	OnHold               bool      `yaml:"onHold" jsonschema:"default=false" jsonschema_description:"Whether the user is on hold."`
	Locked               bool      `yaml:"locked" jsonschema:"default=false" jsonschema_description:"Whether the user is locked."`
	Reset                bool      `yaml:"reset" jsonschema:"default=false" jsonschema_description:"Whether the user was reset."`
	Registered           bool      `yaml:"registered" jsonschema:"default=false" jsonschema_description:"Whether the user is registered."`
	Approved             bool      `yaml:"approved" jsonschema:"default=false" jsonschema_description:"Whether the user is approved."`
	Rejected             bool      `yaml:"rejected" jsonschema:"default=false" jsonschema_description:"Whether the user is rejected."`
	FailedLogins         int       `yaml:"failedLoginCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=3" jsonschema_description:"How many logins failed. No request counts."`
	FailedPasswordResets int       `yaml:"failedPasswordResetCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=1" jsonschema_description:"How many password resets failed."`
	LastLogin            timestamp `yaml:"lastLoginDateTime" jsonschema_description:"When the user last logged in. Default: not shown."`
	HeldAt               timestamp `yaml:"holdDateTime" jsonschema_description:"Since when the user is on hold. Default: not shown."`
	HoldReason           string    `yaml:"holdReason" jsonschema:"minLength=1,example=Lost card" jsonschema_description:"Why the user is on hold. Default: not shown."`
	HeldBy               string    `yaml:"holdInitiatedBy" jsonschema:"minLength=1,example=branch" jsonschema_description:"Who put the user on hold. Default: not shown."`
}

type disclosure struct {
	Status       string    `yaml:"institutionDisclosureStatus" jsonschema:"required,enum=ACCEPTED,enum=NOT_ACCEPTED,enum=ENROLLED,enum=NOT_ENROLLED" jsonschema_description:"The user's answer to the disclosure. Only ACCEPTED permits a preference update. ENROLLED and NOT_ENROLLED are for disclosures besides OLS and ESIGN."`
	Name         string    `yaml:"institutionDisclosureName" jsonschema:"minLength=1,example=OLS" jsonschema_description:"The name of the disclosure."`
	StatusUpdate timestamp `yaml:"institutionUserDisclosureStatusUpdateDateTime" jsonschema_description:"When the answer was given. Default: the clock's start."`
	PaperWaiver  *bool     `yaml:"paperWaiver" jsonschema_description:"Whether the user waived paper. Default: activateEstatement of the account; false at user level."`
}

type account struct {
	AccountID          string       `yaml:"accountId" jsonschema:"required,minLength=1,example=acc-1001-checking" jsonschema_description:"The account's id."`
	ActivateEstatement bool         `yaml:"activateEstatement" jsonschema:"default=false" jsonschema_description:"The statement preference: true is electronic, false is paper."`
	Disclosures        []disclosure `yaml:"disclosures" jsonschema_description:"The account-level disclosures. An update of the account needs at least one, and all ACCEPTED."`
	UpdateFails        bool         `yaml:"updateFails" jsonschema:"default=false" jsonschema_description:"Whether an update of all the user's accounts fails for this one: it is answered with 206. Only under behavior.estatements.partialUpdate: allow, and in the public dialect."`
}

type token struct {
	AccessToken        string    `yaml:"accessToken" jsonschema:"required,title=made of letters\\, digits and ._~+/=-,pattern=^[A-Za-z0-9._~+/=-]+$,example=demo-token" jsonschema_description:"The access token."`
	Client             string    `yaml:"client" jsonschema:"required,minLength=1,example=demo-app" jsonschema_description:"The sharedKey of the client that holds it."`
	HostUserID         string    `yaml:"hostUserId" jsonschema:"minLength=1,example=1001" jsonschema_description:"The user that the token is bound to. Default: none, it is valid for any user of the institution."`
	RefreshToken       string    `yaml:"refreshToken" jsonschema:"title=made of letters\\, digits and ._~+/=-,pattern=^[A-Za-z0-9._~+/=-]+$,example=demo-refresh" jsonschema_description:"The refresh token of the same grant. Default: none."`
	ExpiresIn          duration  `yaml:"expiresIn" jsonschema_description:"How long the access token is valid, from the clock's start. Default: behavior.tokens.accessLifetime."`
	RefreshExpiresIn   duration  `yaml:"refreshExpiresIn" jsonschema_description:"How long the refresh token is valid, from the clock's start. Default: behavior.tokens.refreshLifetime."`
	ExpiresAt          timestamp `yaml:"expiresAt" jsonschema_description:"When the access token expires, in place of expiresIn: before the clock's start, it has expired."`
	RefreshExpiresAt   timestamp `yaml:"refreshExpiresAt" jsonschema_description:"When the refresh token expires, in place of refreshExpiresIn."`
	Revoked            bool      `yaml:"revoked" jsonschema:"default=false" jsonschema_description:"Whether the tokens were revoked."`
	AccessTokenRevoked bool      `yaml:"accessTokenRevoked" jsonschema:"default=false" jsonschema_description:"Whether the access token was revoked alone: the refresh token still works."`
}

type group struct {
	GroupID          string    `yaml:"groupId" jsonschema:"minLength=1,example=3f1c2b9e-0d5a-4c1b-9b7e-5a8f0e6d2c41" jsonschema_description:"The group's id. Default: a random UUID."`
	ExperienceID     string    `yaml:"experienceId" jsonschema:"minLength=1,example=9c2f6a31-7d4e-4b8a-a1f0-2e5d8c7b6a90" jsonschema_description:"The id of the group's experience. Default: a random UUID."`
	ExperienceName   string    `yaml:"experienceName" jsonschema:"minLength=1,example=Early adopters" jsonschema_description:"The name of the group's experience. Default: the group's name. It stays when the group is renamed."`
	Name             string    `yaml:"groupName" jsonschema:"required,title=text that is not blank,pattern=\\S,example=Early adopters" jsonschema_description:"The group's name."`
	Description      string    `yaml:"groupDescription" jsonschema:"example=Tries new features first." jsonschema_description:"What the group is for."`
	Status           string    `yaml:"groupStatus" jsonschema:"enum=ACTIVE,enum=DELETED,default=ACTIVE" jsonschema_description:"A DELETED group is as good as none."`
	ParticipantCount *int      `yaml:"groupParticipantCount" jsonschema:"minimum=0,maximum=2147483647,example=120" jsonschema_description:"How many participants the group has: those that are named, and others. Default: those that are named."`
	Participants     []string  `yaml:"participants" jsonschema:"minLength=1,maxLength=32,example=1001" jsonschema_description:"The participants that are named: member numbers, such as hostUserIds. In quotes if they look like numbers. Import jobs can remove only these."`
	Jobs             []job     `yaml:"jobs" jsonschema_description:"The group's import jobs at the start."`
	LastUpdated      timestamp `yaml:"groupLastUpdatedDateTime" jsonschema_description:"When the group was last changed. Default: the clock's start."`
}

type job struct {
	JobID       string     `yaml:"jobId" jsonschema:"title=a UUID in lower case,pattern=^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$,example=6a0f7d1c-2f6e-4c55-9d0e-9a1b6f0c7e21" jsonschema_description:"The job's id. Default: a random UUID."`
	Type        string     `yaml:"type" jsonschema:"enum=ADD,enum=REMOVE,enum=REPLACE,default=ADD" jsonschema_description:"What the job does with the participants of its file. Without endsAt it has done so: the group's participants are those that are written."`
	FileName    string     `yaml:"inputFileName" jsonschema:"minLength=1,maxLength=255,default=participants.csv,example=participants.csv" jsonschema_description:"The name of the file."`
	CreatedBy   string     `yaml:"jobCreatedBy" jsonschema:"minLength=1,example=02688.avery" jsonschema_description:"Who uploaded the file. Default: the institutionId and .anonymous."`
	Status      string     `yaml:"jobStatus" jsonschema:"enum=CREATED,enum=PROCESSING,enum=SUCCESSFUL,enum=PARTIAL_SUCCESS,enum=FAILED,enum=CANCELLED,enum=UNKNOWN,default=SUCCESSFUL" jsonschema_description:"The job's status. It stays: with a job that is CREATED or PROCESSING here, the group takes no upload and no deletion. With endsAt, it is what the job ends with, and shows from then on, like jobDetails, the counts and the errors."`
	Details     string     `yaml:"jobDetails" jsonschema:"minLength=1,example=2 records failed" jsonschema_description:"What is said about the outcome. Default: nothing."`
	Total       int        `yaml:"totalRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=120" jsonschema_description:"How many rows the file has, without its header."`
	Succeeded   int        `yaml:"successRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=118" jsonschema_description:"How many rows are good."`
	Failed      int        `yaml:"failedRecordsCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=2" jsonschema_description:"How many rows are in error."`
	Errors      []jobError `yaml:"errors" jsonschema_description:"What is wrong with rows."`
	Created     timestamp  `yaml:"createdDateTime" jsonschema_description:"When the file was uploaded. Default: the clock's start."`
	LastUpdated timestamp  `yaml:"lastUpdatedDateTime" jsonschema_description:"When the job was last changed. Default: endsAt, or else createdDateTime."`
	ProcessedAt timestamp  `yaml:"processedAt" jsonschema_description:"When a job that has endsAt begins to be processed: it is CREATED before, and PROCESSING from then on. Default: createdDateTime."`
	EndsAt      timestamp  `yaml:"endsAt" jsonschema_description:"When the job ends, on the virtual clock: after its start. Until then, the job runs. Default: it has ended."`
	Imports     []string   `yaml:"participants" jsonschema:"minLength=1,maxLength=32,example=1001" jsonschema_description:"The participants that a job adds or removes at endsAt: member numbers, such as hostUserIds. In quotes if they look like numbers."`
	Position    int        `yaml:"position" jsonschema:"minimum=1,maximum=2147483647,example=1" jsonschema_description:"Which of the institution's jobs it is, in the order of their creation: of those that were created at the same time, the last is the newest. Default: the order in which they are written."`
}

type jobError struct {
	Line    int    `yaml:"lineNbr" jsonschema:"required,minimum=1,maximum=2147483647,example=2" jsonschema_description:"The line of the file, from 1."`
	Message string `yaml:"errorMsg" jsonschema:"required,minLength=1,example=ParticipantId is missing" jsonschema_description:"What is wrong with it."`
}

// alertPreference is the body of interface section 2.7.
type alertPreference struct {
	AdditionalInfo     map[string]any `yaml:"additionalInfo" jsonschema_description:"Any keys and values: stored and echoed."`
	AlertOpted         *bool          `yaml:"alertOpted" jsonschema_description:"Stored and echoed."`
	Account            *alertAccount  `yaml:"alertPreferenceAccountDetails" jsonschema_description:"The account that the alert concerns."`
	Details            *alertDetails  `yaml:"alertPreferenceDetails" jsonschema_description:"The alert's type and channel."`
	AllowCallback      *bool          `yaml:"allowCallback" jsonschema_description:"Stored and echoed."`
	DefaultPreferences *bool          `yaml:"defaultPreferences" jsonschema_description:"Stored and echoed."`
}

// alertType is an element of the answer to alerts.listInstitutionTypes.
type alertType struct {
	ID       int64    `yaml:"institutionAlertTypeId" jsonschema:"minimum=1,maximum=9007199254740991,example=7" jsonschema_description:"The type's id. Default: assigned, higher than all that are written."`
	Name     string   `yaml:"alertTypeName" jsonschema:"required,minLength=1,example=LOW_BALANCE" jsonschema_description:"The type's name."`
	Channels []string `yaml:"channelsOptd" jsonschema:"minItems=1,enum=EMAIL,enum=SMS,enum=PUSH,enum=WEB" jsonschema_description:"By which channels it is sent. Default: all."`
	Status   string   `yaml:"statusOptd" jsonschema:"enum=ACTIVE,enum=INACTIVE,default=ACTIVE" jsonschema_description:"Whether it is sent at all. A preference for an INACTIVE one is refused."`
	Reason   string   `yaml:"reason" jsonschema:"minLength=1,example=Not offered any more" jsonschema_description:"Shown only. Default: none."`
}

// alertDefault is an element of the answer to alerts.listInstitutionPreferences.
type alertDefault struct {
	ID             int64          `yaml:"institutionAlertPrefId" jsonschema:"minimum=1,maximum=9007199254740991,example=3" jsonschema_description:"The preference's id. Default: assigned, higher than all that are written."`
	TypeName       string         `yaml:"alertTypeName" jsonschema:"required,minLength=1,example=LOW_BALANCE" jsonschema_description:"The alert's type: one of the institution's, if it has any."`
	ChannelName    string         `yaml:"channelTypeName" jsonschema:"required,enum=EMAIL,enum=SMS,enum=PUSH,enum=WEB" jsonschema_description:"How the alert is delivered."`
	AlertOpted     *bool          `yaml:"alertOpted" jsonschema:"default=true" jsonschema_description:"Whether the alert is sent."`
	AdditionalInfo map[string]any `yaml:"additionalInfo" jsonschema_description:"Any keys and values: shown only."`
}

type alertAccount struct {
	AccountExternalID *string `yaml:"accountExternalId" jsonschema:"example=ext-77" jsonschema_description:"Stored and echoed."`
	AccountID         *string `yaml:"accountId" jsonschema:"example=acc-1001-checking" jsonschema_description:"Stored and echoed."`
	CardNumber        *string `yaml:"cardNumber" jsonschema:"example=4111111111111111" jsonschema_description:"Stored and echoed."`
}

type alertDetails struct {
	AlertPrefID           int64   `yaml:"alertPrefId" jsonschema:"minimum=1,maximum=9007199254740991,example=41" jsonschema_description:"The preference's id. Default: assigned, higher than all that are written."`
	AlertTypeName         *string `yaml:"alertTypeName" jsonschema:"example=LOW_BALANCE" jsonschema_description:"The alert's type: one of the institution's alertTypes, if it has any."`
	ChannelTypeName       *string `yaml:"channelTypeName" jsonschema:"example=EMAIL,example=SMS,example=PUSH,example=WEB" jsonschema_description:"How the alert is delivered. Other channels need behavior.alerts.knownChannelsOnly: false."`
	ExternalID            *string `yaml:"externalId" jsonschema:"example=ext-1001" jsonschema_description:"Stored and echoed."`
	InstitutionCustomerID *string `yaml:"institutionCustomerId" jsonschema:"example=1001" jsonschema_description:"The user's hostUserId, or left out."`
	InstitutionID         *string `yaml:"institutionId" jsonschema:"example=02688" jsonschema_description:"The institution's institutionId, or left out."`
}

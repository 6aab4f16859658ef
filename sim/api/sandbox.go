package api

import "time"

// Sandbox describes a sandbox.
type Sandbox struct {
	Name     string `json:"name"`
	BaseURL  string `json:"baseUrl" about:"To which the interface's paths are appended."`
	HTTPSURL string `json:"httpsUrl,omitempty" about:"The same for https; none: it isn't spoken, or baseUrl is for all."`
	// HostURLs have one for each pattern of --sandbox-hosts, and one for https where that is spoken.
	HostURLs   []string    `json:"hostUrls,omitempty" about:"Base URLs whose hosts name the sandbox: no path does."`
	Scenario   string      `json:"scenario"`
	Seed       uint64      `json:"seed"`
	CreatedAt  time.Time   `json:"createdAt" about:"Real time."`
	ExpiresAt  *time.Time  `json:"expiresAt" about:"Real time; null: never."`
	LastReset  *Reset      `json:"lastReset" about:"null: there was none."`
	ForkedFrom *ForkOrigin `json:"forkedFrom" about:"null: it starts from a scenario."`
}

// Reset says when a sandbox was reset, and by whom.
type Reset struct {
	At time.Time `json:"at" about:"Real time."`
	By string    `json:"by" about:"The address of the client, or watch: the scenario's files changed."`
}

// ForkOrigin says what a sandbox was forked from.
type ForkOrigin struct {
	Sandbox string `json:"sandbox" about:"It may have been deleted since."`
	Before  string `json:"before,omitempty" about:"The exchange before which it was forked."`
	After   string `json:"after,omitempty" about:"The exchange after which it was forked."`
}

// Sandboxes lists sandboxes.
type Sandboxes struct {
	Sandboxes []Sandbox `json:"sandboxes" about:"Sorted by name."`
	Total     int       `json:"total" about:"How many match, of which limit may leave some out."`
}

// NewSandbox says what a new sandbox is like. Every member may be left out.
type NewSandbox struct {
	Name         string  `json:"name,omitzero" about:"1 to 63 of a-z, 0-9 and -, not beginning with -. Default: one is assigned."`
	Scenario     *string `json:"scenario,omitzero" about:"The name of a built-in scenario. Default: the scenario of the server."`
	ScenarioYAML *string `json:"scenarioYaml,omitzero" about:"The YAML of a scenario, instead of scenario."`
	Seed         *uint64 `json:"seed,omitzero" about:"Default: that of the scenario, or drawn."`
	TTL          *string `json:"ttl,omitzero" about:"Real time after which the sandbox is deleted, such as 1h. Default: never."`
}

// SandboxPatch changes a sandbox.
type SandboxPatch struct {
	TTL string `json:"ttl" about:"Real time from now on after which the sandbox is deleted, such as 1h."`
}

// NewFork says what a fork is like. Every member may be left out; Before and After don't go together.
type NewFork struct {
	Name   string  `json:"name,omitzero" about:"As that of a new sandbox."`
	TTL    *string `json:"ttl,omitzero" about:"As that of a new sandbox."`
	Before *string `json:"before,omitzero" about:"An exchange: the fork starts as the sandbox was just before it. Default: as it is now."`
	After  *string `json:"after,omitzero" about:"An exchange: the fork starts as the sandbox was just after it. Not together with before."`
}

// Snapshot describes a snapshot.
type Snapshot struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now" about:"Virtual time in it."`
	TakenAt time.Time `json:"takenAt" about:"Real time."`
}

// Snapshots lists snapshots.
type Snapshots struct {
	Snapshots []Snapshot `json:"snapshots"`
}

// NewSnapshot names a new snapshot.
type NewSnapshot struct {
	Name string `json:"name" about:"1 to 63 of a-z, 0-9 and -, not beginning with -, and not start."`
}

// Clock describes a virtual clock.
type Clock struct {
	Now     time.Time `json:"now"`
	Running bool      `json:"running" about:"With real time."`
}

// ClockChange moves a clock, and lets it run or stand still.
type ClockChange struct {
	Advance *string    `json:"advance,omitzero" about:"A duration such as 90m; a negative one moves the clock back."`
	Set     *time.Time `json:"set,omitzero" about:"Another time. Not together with advance."`
	Run     *bool      `json:"run,omitzero" about:"Whether the clock runs with real time from then on."`
}

// InstitutionPatch is what to change of an institution. Nil: nothing.
type InstitutionPatch struct {
	Multistatement *bool `json:"multistatement,omitzero"`
}

// UserPatch changes a user. Members that are nil or empty change nothing.
type UserPatch struct {
	Active           *bool  `json:"active,omitzero"`
	DisclosureStatus string `json:"disclosureStatus,omitzero" about:"Of all user-level disclosures; ACCEPTED or NOT_ACCEPTED."`
}

// AccountPatch changes an account. Members that are nil or empty change nothing.
type AccountPatch struct {
	ActivateEstatement *bool  `json:"activateEstatement,omitzero"`
	DisclosureStatus   string `json:"disclosureStatus,omitzero" about:"Of all disclosures of the account; ACCEPTED or NOT_ACCEPTED."`
	UpdateFails        *bool  `json:"updateFails,omitzero"` // see Account
}

// NewUser is a user to add: active, with an accepted disclosure OLS, and so are the accounts.
type NewUser struct {
	HostUserID string   `json:"hostUserId"`
	Username   string   `json:"username,omitzero"`
	Accounts   []string `json:"accounts,omitzero" about:"Their accountIds."`
}

// NewGroup is a group to add, without participants.
type NewGroup struct {
	GroupName        string `json:"groupName"`
	GroupDescription string `json:"groupDescription,omitzero"`
}

// NewToken says what a minted token is like.
type NewToken struct {
	Client     string  `json:"client" about:"The shared key of one of the institution's clients."`
	HostUserID string  `json:"hostUserId,omitzero" about:"The user that it is bound to. Default: none."`
	ExpiresIn  *string `json:"expiresIn,omitzero" about:"Virtual time, such as 15m. Default: as long as an issued token."`
	Refresh    bool    `json:"refresh,omitzero" about:"Whether there is a refresh token, too."`
}

// TokenQuestion asks for the status of a token.
type TokenQuestion struct {
	Token string `json:"token"`
}

// TokenStatus is what became of a token.
type TokenStatus struct {
	Status string `json:"status" about:"active, expired, revoked or unknown."`
}

// MintedToken is an access token in clear text, for its caller to use.
type MintedToken struct {
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken,omitzero" about:"Not there: there is none."`
	ExpiresAt    time.Time `json:"expiresAt" about:"Of the access token. Virtual time."`
	Client       string    `json:"client"`
	HostUserID   string    `json:"hostUserId,omitzero" about:"Not there: it is bound to no user."`
}

// Users lists the users of a bank for people who choose one to test with, and the clients. It has the secrets that the scenario gave.
type Users struct {
	Users     []UserSummary `json:"users" about:"At most 200: those that the scenario writes first, then generated ones."`
	Total     int           `json:"total" about:"How many users the bank has, or how many of those that are asked for."`
	Clients   []BankClient  `json:"clients"`
	Generated int           `json:"generated" about:"How many users the scenario generates."`
}

// UserSummary describes a user for people who look for one.
type UserSummary struct {
	InstitutionID string   `json:"institutionId"`
	HostUserID    string   `json:"hostUserId"`
	Username      string   `json:"username,omitzero"`
	Password      string   `json:"password,omitzero" about:"As the scenario gave it."`
	Active        bool     `json:"active"`
	GoodFor       []string `json:"goodFor" about:"What the rules of the bank allow the user now, in words."`
	Summary       string   `json:"summary" about:"The words in one line."`
	Accounts      int      `json:"accounts"`
	Tokens        []string `json:"tokens" about:"At most 10 access tokens of the scenario that are valid now and reach the user."`
}

// BankClient describes a client of an institution.
type BankClient struct {
	InstitutionID string `json:"institutionId"`
	SharedKey     string `json:"sharedKey"`
	SecretKey     string `json:"secretKey,omitzero" about:"As the scenario gave it."`
}

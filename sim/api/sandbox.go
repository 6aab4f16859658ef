package api

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Sandbox describes a sandbox.
type Sandbox struct {
	Name     string `json:"name"`
	BaseURL  string `json:"baseUrl" doc:"The URL to append the interface's paths to."`
	HTTPSURL string `json:"httpsUrl,omitempty" doc:"The base URL for https. Not there: the server speaks no https, or baseUrl is for all requests."`
	// HostURLs have one for each pattern of --sandbox-hosts, and one for https where that is spoken.
	HostURLs   []string    `json:"hostUrls,omitempty" doc:"Base URLs that name the sandbox by the host, not by a path."`
	Scenario   string      `json:"scenario"`
	Follows    bool        `json:"followsScenario" doc:"Whether a reset starts from the simulator's scenario, and so does a change of its files."`
	Seed       uint64      `json:"seed"`
	CreatedAt  time.Time   `json:"createdAt" doc:"When the sandbox was created, in real time."`
	ExpiresAt  *time.Time  `json:"expiresAt" doc:"When the sandbox is deleted, in real time, or null if it never is."`
	LastReset  *Reset      `json:"lastReset" doc:"The last reset, or null if there was none."`
	Resets     *Resets     `json:"resets" doc:"When the sandbox is reset by itself, or null if it never is."`
	ForkedFrom *ForkOrigin `json:"forkedFrom" doc:"The sandbox that this one is a fork of, or null if it starts from a scenario."`
}

// Resets says when a sandbox is reset by itself.
type Resets struct {
	sim.ResetTime
	Next time.Time `json:"next" doc:"The next time, in real time."`
}

// ManyReset lists the sandboxes that a call has reset.
type ManyReset struct {
	Reset []string `json:"reset" doc:"Their names."`
}

// Reset describes a reset of a sandbox.
type Reset struct {
	At time.Time `json:"at" doc:"When the sandbox was reset, in real time."`
	By string    `json:"by" doc:"Who reset the sandbox: the name of a token or the address of the client, watch if the scenario's files changed, or resets at a time of day."`
}

// ForkOrigin says what a sandbox was forked from.
type ForkOrigin struct {
	Sandbox string `json:"sandbox" doc:"The name of the sandbox. It may have been deleted since."`
	Before  string `json:"before,omitempty" doc:"The exchange before which it was forked."`
	After   string `json:"after,omitempty" doc:"The exchange after which it was forked."`
}

// Sandboxes lists sandboxes.
type Sandboxes struct {
	Sandboxes []Sandbox `json:"sandboxes" doc:"The sandboxes, sorted by name."`
	Total     int       `json:"total" doc:"How many sandboxes match. The list may have fewer because of limit."`
}

// NewSandbox says what a new sandbox is like. Every member may be left out.
type NewSandbox struct {
	Name string  `json:"name,omitzero" doc:"The name: 1 to 63 of a-z, 0-9 and -, not beginning with -. Default: one is assigned."`
	TTL  *string `json:"ttl,omitzero" doc:"Real time after which the sandbox is deleted, such as 1h. Default: never."`
	// Resets replace the resets of the scenario.
	Resets *sim.ResetTime `json:"resets,omitzero" doc:"When the sandbox is reset by itself. Default: as the scenario says."`
	Beginning
}

// Beginning says what a bank starts from. Every member may be left out.
type Beginning struct {
	Scenario     *string  `json:"scenario,omitzero" doc:"The name of a built-in scenario. Default: the scenario of the server."`
	ScenarioYAML *string  `json:"scenarioYaml,omitzero" doc:"The YAML of a scenario, instead of scenario."`
	CORS         []string `json:"cors,omitzero" doc:"The origins whose pages may read the answers, such as http://localhost:*, or * for all. scenarioYaml says it itself, by behavior.cors."`
	Seed         *uint64  `json:"seed,omitzero" doc:"The seed. Default: the seed of the scenario, or a drawn one."`
}

// SandboxPatch changes a sandbox.
type SandboxPatch struct {
	TTL string `json:"ttl" doc:"Real time from now on after which the sandbox is deleted, such as 1h."`
}

// NewFork says what a fork is like. Every member may be left out; Before and After don't go together.
type NewFork struct {
	Name   string  `json:"name,omitzero" doc:"The name of the fork, as for a new sandbox."`
	TTL    *string `json:"ttl,omitzero" doc:"Real time after which the fork is deleted. Default: it ends with the sandbox that it is made from."`
	Before *string `json:"before,omitzero" doc:"An exchange: the fork starts as the sandbox was just before it. Default: as it is now."`
	After  *string `json:"after,omitzero" doc:"An exchange: the fork starts as the sandbox was just after it. Not together with before."`
}

// Snapshot describes a snapshot.
type Snapshot struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now" doc:"The virtual time of the snapshot."`
	TakenAt time.Time `json:"takenAt" doc:"When the snapshot was taken, in real time."`
}

// Snapshots lists snapshots.
type Snapshots struct {
	Snapshots []Snapshot `json:"snapshots"`
}

// NewSnapshot names a new snapshot.
type NewSnapshot struct {
	Name string `json:"name" doc:"The name: 1 to 63 of a-z, 0-9 and -, not beginning with -, and not start."`
}

// Clock describes a virtual clock.
type Clock struct {
	Now     time.Time `json:"now"`
	Running bool      `json:"running" doc:"Whether the clock runs with real time."`
}

// ClockChange moves a clock, and lets it run or stand still.
type ClockChange struct {
	Advance *string    `json:"advance,omitzero" doc:"A duration such as 90m; a negative one moves the clock back."`
	Set     *time.Time `json:"set,omitzero" doc:"The new time of the clock. Not together with advance."`
	Run     *bool      `json:"run,omitzero" doc:"Whether the clock runs with real time from then on."`
}

// InstitutionPatch changes an institution. A member that is nil changes nothing.
type InstitutionPatch struct {
	Multistatement *bool `json:"multistatement,omitzero" doc:"Whether one update changes all accounts of a user."`
}

// UserPatch changes a user. Members that are nil or empty change nothing.
type UserPatch struct {
	Active           *bool  `json:"active,omitzero" doc:"Whether the user can use the bank."`
	Locked           *bool  `json:"locked,omitzero" doc:"Whether the user gets no tokens by password. Unlocking forgets wrong passwords."`
	DisclosureStatus string `json:"disclosureStatus,omitzero" enum:"ACCEPTED,NOT_ACCEPTED" doc:"The new status of all user-level disclosures."`
}

// AccountPatch changes an account. Members that are nil or empty change nothing.
type AccountPatch struct {
	ActivateEstatement *bool  `json:"activateEstatement,omitzero" doc:"Whether the account has electronic statements."`
	DisclosureStatus   string `json:"disclosureStatus,omitzero" enum:"ACCEPTED,NOT_ACCEPTED" doc:"The new status of all disclosures of the account."`
	UpdateFails        *bool  `json:"updateFails,omitzero" doc:"Whether an update of all accounts of the user fails for this one."`
}

// NewUser is a user to add: active, with an accepted disclosure OLS, and so are the accounts.
type NewUser struct {
	HostUserID string   `json:"hostUserId" doc:"The user's id, which no other user of the institution has."`
	Username   string   `json:"username,omitzero" doc:"For password grants. Default: none."`
	Accounts   []string `json:"accounts,omitzero" doc:"The accountIds of the user's accounts."`
}

// NewGroup is a group to add, without participants.
type NewGroup struct {
	GroupName        string `json:"groupName" doc:"The name, which no other group of the institution has."`
	GroupDescription string `json:"groupDescription,omitzero"`
}

// NewToken says what a minted token is like.
type NewToken struct {
	InstitutionID string  `json:"institutionId,omitzero" doc:"The institution. Default: the first one that has a client."`
	Client        string  `json:"client,omitzero" doc:"The shared key of a client of the institution. Default: its first one."`
	HostUserID    string  `json:"hostUserId,omitzero" doc:"The user that the token is bound to. Default: none."`
	ExpiresIn     *string `json:"expiresIn,omitzero" doc:"Virtual time until the token expires, such as 15m. Default: as for an issued token."`
	Refresh       bool    `json:"refresh,omitzero" doc:"Whether to mint a refresh token, too."`
}

// TokenQuestion asks for the status of a token.
type TokenQuestion struct {
	Token string `json:"token"`
}

// TokenStatus is what became of a token.
type TokenStatus struct {
	Status string `json:"status" enum:"active,expired,revoked,unknown" doc:"The status of the token."`
}

// MintedToken is an access token in clear text, for its caller to use.
type MintedToken struct {
	AccessToken   string    `json:"accessToken"`
	RefreshToken  string    `json:"refreshToken,omitzero" doc:"The refresh token. Not there: there is none."`
	ExpiresAt     time.Time `json:"expiresAt" doc:"When the access token expires, in virtual time."`
	InstitutionID string    `json:"institutionId"`
	Client        string    `json:"client"`
	HostUserID    string    `json:"hostUserId,omitzero" doc:"The user that the token is bound to. Not there: none."`
}

// Users lists the users of a bank for people who choose one to test with, and the clients. It has the secrets that
// the scenario gave.
type Users struct {
	Users     []UserSummary `json:"users" doc:"At most 200 users: first those that the scenario writes, then generated ones."`
	Total     int           `json:"total" doc:"How many users the bank has, or how many of them were asked for."`
	Clients   []BankClient  `json:"clients"`
	Generated int           `json:"generated" doc:"How many users the scenario generates."`
}

// UserSummary describes a user for people who look for one.
type UserSummary struct {
	InstitutionID string   `json:"institutionId"`
	HostUserID    string   `json:"hostUserId"`
	CustomerID    string   `json:"customerId" doc:"An older id of the user."`
	Username      string   `json:"username,omitzero"`
	Password      string   `json:"password,omitzero" doc:"The password as the scenario gave it."`
	Active        bool     `json:"active"`
	GoodFor       []string `json:"goodFor" doc:"What the rules of the bank allow the user now, in words."`
	Summary       string   `json:"summary" doc:"The words of goodFor in one line."`
	Accounts      int      `json:"accounts"`
	Tokens        []string `json:"tokens" doc:"At most 10 access tokens of the scenario that are valid now and reach the user."`
}

// BankClient describes a client of an institution.
type BankClient struct {
	InstitutionID string `json:"institutionId"`
	SharedKey     string `json:"sharedKey"`
	SecretKey     string `json:"secretKey,omitzero" doc:"The secret key as the scenario gave it."`
}

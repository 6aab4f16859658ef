package testkit

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Bank is a simulated bank of a test's own. A call that the simulator refuses ends the test, with what was wrong.
type Bank struct {
	t         testing.TB
	simulator simulator
	name      string
	client    *http.Client // of the control API
	apps      http.Client  // see Client
	prepare   sync.Once
}

// BaseURL is what a client of the bank appends the interface's paths to.
func (b *Bank) BaseURL() string { return b.simulator.service + "/sandboxes/" + b.name }

// ControlURL is the control API's URL of the bank's sandbox.
func (b *Bank) ControlURL() string { return b.simulator.control + "/v1/sandboxes/" + b.name }

// Client returns an HTTP client for the bank, with a transport of its own and a bound on each request.
func (b *Bank) Client() *http.Client {
	b.prepare.Do(func() {
		b.apps = http.Client{Timeout: 30 * time.Second, Transport: http.DefaultTransport.(*http.Transport).Clone()}
	})
	return &b.apps
}

// TokenOption says what token [Bank.Token] mints.
type TokenOption func(*tokenRequest)

type tokenRequest struct {
	institution string
	Client      string `json:"client"`
	HostUserID  string `json:"hostUserId,omitzero"`
	ExpiresIn   string `json:"expiresIn,omitzero"`
}

// ForUser binds the token to a user: requests about another one are refused.
func ForUser(hostUserID string) TokenOption {
	return func(r *tokenRequest) { r.HostUserID = hostUserID }
}

// ForClient has the token be another client's than the first of the institution.
func ForClient(sharedKey string) TokenOption { return func(r *tokenRequest) { r.Client = sharedKey } }

// AtInstitution has the token be of another institution than the first.
func AtInstitution(institutionID string) TokenOption {
	return func(r *tokenRequest) { r.institution = institutionID }
}

// ExpiresIn is how long the token works by the bank's clock.
func ExpiresIn(d time.Duration) TokenOption {
	return func(r *tokenRequest) { r.ExpiresIn = d.String() }
}

// Token mints an access token: by default of the first client of the first institution, for all its users, for as long
// as an issued one.
func (b *Bank) Token(opts ...TokenOption) string {
	b.t.Helper()
	var request tokenRequest
	for _, opt := range opts {
		opt(&request)
	}
	if request.institution == "" || request.Client == "" {
		b.fillIn(&request)
	}
	var minted controlapi.MintedToken
	b.in(http.MethodPost, institutionPath(request.institution)+"/tokens", request, &minted)
	return minted.AccessToken
}

// fillIn chooses the institution and the client that a request for a token doesn't name.
func (b *Bank) fillIn(request *tokenRequest) {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		if request.institution != "" && request.institution != i.InstitutionID || len(i.Clients) == 0 {
			continue
		}
		request.institution = i.InstitutionID
		if request.Client == "" {
			request.Client = i.Clients[0]
		}
		return
	}
	b.t.Fatalf("testkit: the bank has no institution %s with a client to mint a token for", request.institution)
}

func institutionPath(id string) string { return "/institutions/" + url.PathEscape(id) }

// Inject adds faults behind those that the bank has. They stay until ClearFaults or Reset.
func (b *Bank) Inject(rules ...fault.Rule) {
	b.t.Helper()
	b.in(http.MethodPost, "/faults", rules, nil)
}

// Faults returns the faults of the bank, with how many requests matched each and for how many it fired.
func (b *Bank) Faults() []fault.Counted {
	b.t.Helper()
	var list controlapi.FaultList
	b.in(http.MethodGet, "/faults", nil, &list)
	return list.Faults
}

// ClearFaults removes all faults, the scenario's too.
func (b *Bank) ClearFaults() {
	b.t.Helper()
	b.in(http.MethodDelete, "/faults", nil, nil)
}

// Now returns the time by the bank's clock.
func (b *Bank) Now() time.Time {
	b.t.Helper()
	var clock controlapi.ClockInfo
	b.in(http.MethodGet, "/clock", nil, &clock)
	return clock.Now
}

// clockChange is the body of the call that moves the clock.
type clockChange struct {
	Advance string     `json:"advance,omitzero"`
	Set     *time.Time `json:"set,omitzero"`
	Run     *bool      `json:"run,omitzero"`
}

func (b *Bank) moveClock(change clockChange) time.Time {
	b.t.Helper()
	var clock controlapi.ClockInfo
	b.in(http.MethodPost, "/clock", change, &clock)
	return clock.Now
}

// Advance moves the bank's clock and returns what it shows then. Tokens expire by it, and windows of faults open.
func (b *Bank) Advance(d time.Duration) time.Time {
	b.t.Helper()
	return b.moveClock(clockChange{Advance: d.String()})
}

// SetClock sets the bank's clock.
func (b *Bank) SetClock(now time.Time) {
	b.t.Helper()
	b.moveClock(clockChange{Set: &now})
}

// Freeze stops the bank's clock, and Unfreeze has it run along with real time again.
func (b *Bank) Freeze() time.Time {
	b.t.Helper()
	run := false
	return b.moveClock(clockChange{Run: &run})
}

// Unfreeze has the bank's clock run along with real time.
func (b *Bank) Unfreeze() {
	b.t.Helper()
	run := true
	b.moveClock(clockChange{Run: &run})
}

// State returns all that the bank holds. Secrets are left out or stand as fingerprints.
func (b *Bank) State() controlapi.State {
	b.t.Helper()
	var state controlapi.State
	b.in(http.MethodGet, "/state", nil, &state)
	return state
}

// PatchInstitution says whether multistatement is configured, past all rules.
func (b *Bank) PatchInstitution(institutionID string, patch InstitutionPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, institutionPath(institutionID), patch, nil)
}

// PatchUser changes a user past all rules.
func (b *Bank) PatchUser(institutionID, hostUserID string, patch UserPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, institutionPath(institutionID)+"/users/"+url.PathEscape(hostUserID), patch, nil)
}

// PatchAccount changes an account past all rules.
func (b *Bank) PatchAccount(institutionID, hostUserID, accountID string, patch AccountPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, institutionPath(institutionID)+"/users/"+url.PathEscape(hostUserID)+"/accounts/"+url.PathEscape(accountID), patch, nil)
}

// InstitutionPatch is what to change of an institution. Nil: nothing.
type InstitutionPatch struct {
	Multistatement *bool `json:"multistatement,omitzero"`
}

// UserPatch is what to change of a user. Nil, or empty: nothing.
type UserPatch struct {
	Active           *bool  `json:"active,omitzero"`
	DisclosureStatus string `json:"disclosureStatus,omitzero"` // of all user-level disclosures: ACCEPTED or NOT_ACCEPTED
}

// AccountPatch is what to change of an account. Nil, or empty: nothing.
type AccountPatch struct {
	ActivateEstatement *bool  `json:"activateEstatement,omitzero"`
	DisclosureStatus   string `json:"disclosureStatus,omitzero"` // of all the account's disclosures: ACCEPTED or NOT_ACCEPTED
}

// Snapshot keeps the bank's world and time under a name, for Restore and Diff: of a-z, 0-9 and "-".
func (b *Bank) Snapshot(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots", map[string]string{"name": name}, nil)
}

// Restore puts the bank's world and time back to a snapshot. Its journal and its faults go on.
func (b *Bank) Restore(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots/"+url.PathEscape(name)+"/restore", nil, nil)
}

// Diff returns the rows that differ from a snapshot, or from the bank's start where the name is empty.
func (b *Bank) Diff(snapshot string) []controlapi.Change {
	b.t.Helper()
	var diff struct {
		Changes []controlapi.Change `json:"changes"`
	}
	b.in(http.MethodGet, "/diff?since="+url.QueryEscape(snapshot), nil, &diff)
	return diff.Changes
}

// Fork makes another bank that starts as this one is now, for the same test.
func (b *Bank) Fork() *Bank {
	b.t.Helper()
	var info controlapi.SandboxInfo
	b.in(http.MethodPost, "/fork", struct{}{}, &info)
	fork := &Bank{t: b.t, simulator: b.simulator, name: info.Name, client: newClient(b.simulator)}
	b.t.Cleanup(fork.end)
	return fork
}

// Reset puts everything back to the start: world, faults, journal, clock and what is drawn.
func (b *Bank) Reset() {
	b.t.Helper()
	b.in(http.MethodPost, "/reset", nil, nil)
}

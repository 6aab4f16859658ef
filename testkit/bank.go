package testkit

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Bank is a simulated bank of one test: a sandbox of its own. A call that the simulator refuses, or doesn't answer within
// ten seconds, ends the test with the reason. Its methods that end the test have to be called by the goroutine that runs
// it.
type Bank struct {
	t         testing.TB
	simulator simulator
	name      string          // of the sandbox
	baseURL   string          // see BaseURL
	unserve   []func()        // end its listeners
	httpsURL  string          // see HTTPSURL; empty: there is none
	hosts     hostSet         // see AsHost
	client    *api.Client     // of the control API
	apps      *http.Client    // see Client
	failure   *Failure        // see Failure
	unfired   map[string]bool // names of faults that Inject has added, which have to fire
	attempt   *attempt        // at an exploration; nil: it is no bank of one
}

// newBank creates a sandbox by a call of the control API, and removes it when the test ends.
func newBank(t testing.TB, s simulator, hosts hostSet, path string, body any) *Bank {
	t.Helper()
	b := &Bank{t: t, simulator: s, hosts: hosts, unfired: map[string]bool{}, client: api.NewClient(s.Control, s.Token, nil)}
	if s.dial != nil {
		b.client.DialBy(s.dial)
	}
	t.Cleanup(b.client.Close) // also if the call fails
	var created api.Sandbox
	b.call(http.MethodPost, path, body, &created)
	b.name, b.baseURL = created.Name, s.Service+"/sandboxes/"+created.Name
	if s.HTTPS != "" {
		b.httpsURL = s.HTTPS + "/sandboxes/" + b.name
	}
	if s.serve != nil {
		b.baseURL, b.httpsURL = b.serve(false), b.serve(true)
	}
	b.apps = newAppClient(s, b.name, hosts, b.httpsURL)
	b.apps.Transport = &patience{RoundTripper: b.apps.Transport, bank: b}
	t.Cleanup(b.end)
	return b
}

// serve serves the bank on a listener of its own, for https if it is secure.
func (b *Bank) serve(secure bool) string {
	b.t.Helper()
	url, end, err := b.simulator.serve(b.name, secure)
	if err != nil {
		b.t.Fatalf("testkit: starting the bank: %v", err)
	}
	b.unserve = append(b.unserve, end)
	return url
}

// appTimeout limits how long a request of an app may take, see Bank.Client.
const appTimeout = 30 * time.Second

// BaseURL returns the URL that clients of the bank append the interface's paths to, without a slash at its end. It leads to
// no other bank: in process each bank listens on a port of its own, on 127.0.0.1; in the container that the banks of a test
// binary share the URL has a path, and a request without that path is answered with 421, which says so. On a simulator that a
// test was given (see [On]), such a request reaches its default sandbox, and a failed test whose bank had no request says so.
func (b *Bank) BaseURL() string { return b.baseURL }

// NetworkURL returns the base URL of the bank for an app that runs in another container on the simulator's network. The bank
// has to be on a container that was run with container.WithNetwork, see [On].
func (b *Bank) NetworkURL() string {
	b.t.Helper()
	if b.simulator.network == "" {
		b.t.Fatalf("testkit: no container reaches the bank: run the simulator with container.WithNetwork, and use testkit.On")
	}
	return b.simulator.network + "/sandboxes/" + b.name
}

// ControlURL returns the control API's URL of the bank's sandbox.
func (b *Bank) ControlURL() string { return b.simulator.Control + "/v1/sandboxes/" + b.name }

// Client returns an HTTP client for the bank, with a transport of its own and a time limit of 30 seconds for each request. By
// https it trusts the simulator's CA and no other, so that what is meant for the bank goes nowhere else: see [Bank.CACert].
// [AsHost] makes it lead hosts to the bank.
func (b *Bank) Client() *http.Client { return b.apps }

// end removes the bank and, if the test failed or panics, logs its exchanges first.
func (b *Bank) end() {
	if b.attempt == nil && (b.t.Failed() || panicking()) {
		b.report()
	}
	b.requireFired()
	b.close()
	if b.attempt == nil || !b.attempt.removed {
		if err := b.try(http.MethodDelete, api.SandboxPath(b.name, ""), nil, nil); err != nil {
			b.t.Errorf("testkit: removing the bank: %v", err)
		}
	}
	if err := suite.write(b); err != nil {
		b.t.Errorf("testkit: writing the coverage, because %s is set: %v", coverageVariable, err)
	}
}

// close ends the connections of apps, and the listeners that the bank has for itself. It can be called again.
func (b *Bank) close() {
	b.apps.CloseIdleConnections()
	for _, end := range b.unserve {
		end()
	}
}

// Change is a row that differs between two states of a bank. Each side has the members that [State] shows of the row
// itself, and fingerprints of the secrets that it leaves out.
type Change = api.Change

// Snapshot keeps the bank's world and time under a name, of 1 to 63 of a-z, 0-9 and "-", for [Bank.Restore] and [Bank.Diff].
// A bank has 100 snapshots at most.
func (b *Bank) Snapshot(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots", api.NewSnapshot{Name: name}, nil)
}

// Restore puts the bank's world and time back to a snapshot. The journal and the faults stay as they are.
func (b *Bank) Restore(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots/"+url.PathEscape(name)+"/restore", nil, nil)
}

// Diff returns the rows that differ from a snapshot, or from the bank's start if the name is empty.
func (b *Bank) Diff(snapshot string) []Change {
	b.t.Helper()
	var diff api.Diff
	b.in(http.MethodGet, "/diff?since="+url.QueryEscape(snapshot), nil, &diff)
	return diff.Changes
}

// Fork returns another bank of the same test, which starts as this one is now. It has a base URL and a journal of its own.
func (b *Bank) Fork() *Bank {
	b.t.Helper()
	fork := newBank(b.t, b.simulator, b.hosts, api.SandboxPath(b.name, "/fork"), api.NewFork{})
	fork.failure = b.failure
	return fork
}

// Reset puts everything back to the start: world, faults, journal, clock and random source.
func (b *Bank) Reset() {
	b.t.Helper()
	b.requireFired()
	b.in(http.MethodPost, "/reset", nil, nil)
}

// What to change of a row. Nil, or empty: nothing.
type (
	InstitutionPatch = api.InstitutionPatch
	UserPatch        = api.UserPatch
	AccountPatch     = api.AccountPatch
)

// PatchInstitution changes an institution. Like the other patches it applies no rule of the interface.
func (b *Bank) PatchInstitution(institutionID string, patch InstitutionPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, institutionPath(institutionID), patch, nil)
	b.attempt.arranged(b)
}

// PatchUser changes a user.
func (b *Bank) PatchUser(institutionID, hostUserID string, patch UserPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, userPath(institutionID, hostUserID), patch, nil)
	b.attempt.arranged(b)
}

// PatchAccount changes an account.
func (b *Bank) PatchAccount(institutionID, hostUserID, accountID string, patch AccountPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, userPath(institutionID, hostUserID)+"/accounts/"+url.PathEscape(accountID), patch, nil)
	b.attempt.arranged(b)
}

func institutionPath(id string) string { return "/institutions/" + url.PathEscape(id) }

func userPath(institutionID, hostUserID string) string {
	return institutionPath(institutionID) + "/users/" + url.PathEscape(hostUserID)
}

// clock reads the bank's clock or, with a body, changes it. It returns the time that the clock shows then.
func (b *Bank) clock(method string, body any) time.Time {
	b.t.Helper()
	var clock api.Clock
	b.in(method, "/clock", body, &clock)
	return clock.Now
}

// Now returns the time by the bank's clock.
func (b *Bank) Now() time.Time {
	b.t.Helper()
	return b.clock(http.MethodGet, nil)
}

// Advance moves the bank's clock and returns the time that it shows then. Tokens expire by this clock, and windows of
// faults open.
func (b *Bank) Advance(d time.Duration) time.Time {
	b.t.Helper()
	by := d.String()
	return b.clock(http.MethodPost, api.ClockChange{Advance: &by})
}

// SetClock sets the bank's clock, to a time from year 1 to 9000.
func (b *Bank) SetClock(now time.Time) {
	b.t.Helper()
	b.clock(http.MethodPost, api.ClockChange{Set: &now})
}

// Freeze stops the bank's clock and returns the time that it shows.
func (b *Bank) Freeze() time.Time {
	b.t.Helper()
	return b.clock(http.MethodPost, api.ClockChange{Run: new(bool)})
}

// Unfreeze lets the bank's clock run along with real time again.
func (b *Bank) Unfreeze() {
	b.t.Helper()
	run := true
	b.clock(http.MethodPost, api.ClockChange{Run: &run})
}

// State is all that a bank holds. Its JSON has the interface's own names. It shows no secret: keys and passwords are
// left out, and tokens are fingerprints.
type State = api.State

// Parts of a [State].
type (
	Institution     = api.Institution
	User            = api.User
	Account         = api.Account
	Disclosure      = api.Disclosure // of a user or an account
	Token           = api.Token      // an access token with its refresh token, if there is one
	Group           = api.Group
	Job             = api.Job // that imports participants into a group
	AlertPreference = api.AlertPreference
)

// State returns all that the bank holds now.
func (b *Bank) State() State {
	b.t.Helper()
	var state State
	b.in(http.MethodGet, "/state", nil, &state)
	return state
}

// panicking reports whether the goroutine that runs a test's cleanups is panicking. Then package testing has not marked the
// test as failed yet, and recover returns nothing, because package testing calls the cleanups.
func panicking() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

// try makes a call of the control API, and decodes the answer into a value unless that is nil.
func (b *Bank) try(method, path string, body, into any) error {
	return b.client.Call(context.Background(), method, path, body, into)
}

// call makes a call that has to succeed: otherwise the test ends.
func (b *Bank) call(method, path string, body, into any) {
	b.t.Helper()
	if err := b.try(method, path, body, into); err != nil {
		b.t.Fatalf("testkit: %v", err)
	}
}

// in makes a call about the bank's own sandbox, which has to succeed.
func (b *Bank) in(method, path string, body, into any) {
	b.t.Helper()
	b.call(method, api.SandboxPath(b.name, path), body, into)
}

// TokenOption configures the token that [Bank.Token] mints.
type TokenOption func(*tokenRequest)

// tokenRequest is a token to mint, and where.
type tokenRequest struct {
	api.NewToken
	institution string
}

// ForUser binds the token to a user: requests about another one are refused.
func ForUser(hostUserID string) TokenOption {
	return func(r *tokenRequest) { r.HostUserID = hostUserID }
}

// ForClient mints the token for another client than the first of the institution.
func ForClient(sharedKey string) TokenOption { return func(r *tokenRequest) { r.Client = sharedKey } }

// AtInstitution mints the token at another institution than the first.
func AtInstitution(institutionID string) TokenOption {
	return func(r *tokenRequest) { r.institution = institutionID }
}

// ExpiresIn sets how long the token is valid by the bank's clock.
func ExpiresIn(d time.Duration) TokenOption {
	text := d.String()
	return func(r *tokenRequest) { r.ExpiresIn = &text }
}

// Login grants a client access for a user, as with the user's password: the access and the refresh token, the client and the user.
// Options are those of [Bank.Token].
func (b *Bank) Login(hostUserID string, opts ...TokenOption) Grant {
	b.t.Helper()
	return b.mint(append(opts, ForUser(hostUserID), func(r *tokenRequest) { r.Refresh = true }))
}

// Grant is what a client was granted for a user. ExpiresAt is that of the access token, by the bank's clock.
type Grant = api.MintedToken

// Token mints an access token: by default for the first client of the first institution, for all its users, and valid
// for as long as an issued one.
func (b *Bank) Token(opts ...TokenOption) string {
	b.t.Helper()
	return b.mint(opts).AccessToken
}

func (b *Bank) mint(opts []TokenOption) (minted Grant) {
	b.t.Helper()
	var request tokenRequest
	for _, opt := range opts {
		opt(&request)
	}
	institutions := b.State().Institutions
	at := slices.IndexFunc(institutions, func(i Institution) bool {
		return len(i.Clients) > 0 && (request.institution == "" || request.institution == i.InstitutionID)
	})
	if at < 0 {
		b.t.Fatalf("testkit: the bank has no institution %s with a client to mint a token for", request.institution)
	}
	request.Client = cmp.Or(request.Client, institutions[at].Clients[0])
	b.in(http.MethodPost, institutionPath(institutions[at].InstitutionID)+"/tokens", request.NewToken, &minted)
	return minted
}

package controlapi

import (
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Limits of a list of users (choice).
const (
	maxUsers         = 200
	maxClients       = 200
	maxTokensOfAUser = 10
)

// UserList lists the users of a bank for people who choose one to test with, and the clients. It has the secrets that the
// scenario gave.
type UserList struct {
	Users     []UserInfo   `json:"users" about:"At most 200: those that the scenario writes first, then generated ones."`
	Total     int          `json:"total" about:"How many users the bank has, or how many of those that are asked for."`
	Clients   []ClientInfo `json:"clients" about:"At most 200."`
	Generated int          `json:"generated" about:"How many users the scenario generates."`
}

// UserInfo describes a user.
type UserInfo struct {
	InstitutionID string   `json:"institutionId"`
	HostUserID    string   `json:"hostUserId"`
	Username      string   `json:"username,omitzero"`
	Password      string   `json:"password,omitzero" about:"As the scenario gave it."`
	Active        bool     `json:"active"`
	GoodFor       []string `json:"goodFor" about:"What the rules of the bank allow the user now, in words."`
	Summary       string   `json:"summary" about:"The words in one line."`
	Accounts      int      `json:"accounts"`
	Tokens        []string `json:"tokens" about:"Access tokens that the scenario gave, that are valid now and reach the user; at most 10."`
}

// ClientInfo describes a client.
type ClientInfo struct {
	InstitutionID string `json:"institutionId"`
	SharedKey     string `json:"sharedKey"`
	SecretKey     string `json:"secretKey,omitzero" about:"As the scenario gave it."`
}

// listUsers answers with the users as they are now.
func (a api) listUsers(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	b := sb.Bank()
	p, err := newPart(r.URL.Query(), b.World)
	if err != nil {
		return err
	}
	if err := a.large.take(r.Context()); err != nil {
		return err
	}
	defer a.large.leave()
	return reply(w, newUserList(b, p))
}

// NewUserList returns the users of a bank.
func NewUserList(b scenario.Bank) UserList { return newUserList(b, part{limit: -1}) }

// newUserList returns the users that are asked for, and the clients.
func newUserList(b scenario.Bank, p part) UserList {
	w := b.World
	l := UserList{Users: []UserInfo{}, Clients: []ClientInfo{}, Generated: b.From.Generated()}
	given := w.GivenTokens(b.Now)
	var written, generated []*sim.User
	for _, i := range b.Institutions() {
		if p.institution != "" && p.institution != i.InstitutionID {
			continue
		}
		for u := range p.users(w, i.InstitutionID, nil) {
			l.Total++
			of := &written
			if b.From.Generates(i.InstitutionID, u.HostUserID) {
				of = &generated
			}
			if len(*of) < maxUsers {
				*of = append(*of, u)
			}
		}
	}
	all := append(written, generated...)
	for _, u := range all[:min(len(all), maxUsers)] {
		l.Users = append(l.Users, newUserInfo(w, u, given[u.InstitutionID]))
	}
	for _, i := range b.Institutions() {
		for c := range w.Clients(i.InstitutionID) {
			if len(l.Clients) == maxClients {
				break
			}
			l.Clients = append(l.Clients, ClientInfo{c.InstitutionID, c.SharedKey, c.SecretKey})
		}
	}
	return l
}

func newUserInfo(w *sim.World, u *sim.User, given []sim.GivenToken) UserInfo {
	info := UserInfo{
		InstitutionID: u.InstitutionID, HostUserID: u.HostUserID, Username: u.Username, Password: u.Password, Active: u.Active,
		GoodFor: w.GoodFor(u), Tokens: []string{},
	}
	for range w.Accounts(u.InstitutionID, u.HostUserID) {
		info.Accounts++
	}
	for _, t := range given {
		if len(info.Tokens) == maxTokensOfAUser {
			break
		}
		if t.Reaches(u.HostUserID) {
			info.Tokens = append(info.Tokens, t.Text)
		}
	}
	if len(info.Tokens) == 0 {
		info.GoodFor = append(info.GoodFor, "no token of the scenario reaches it")
	}
	info.Summary = strings.Join(info.GoodFor, ", ")
	return info
}

package controlapi

import (
	"context"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Limits of a list of users (choice).
const (
	maxUsers         = 200
	maxTokensOfAUser = 10
)

type usersInput struct {
	SandboxPath
	UserFilter
}

// listUsers answers with the present users.
func (c control) listUsers(ctx context.Context, b bank, in *usersInput) (stream, error) {
	if err := in.check(b.now.World); err != nil {
		return nil, err
	}
	return largeValue(newUserList(b.now.Bank(), in.UserFilter, func(int, int) {})), nil
}

// NewUserList returns the users of a bank. It reports from time to time how many users it has looked at.
func NewUserList(b scenario.Bank, progress func(done, total int)) api.Users {
	return newUserList(b, UserFilter{}, progress)
}

// newUserList returns the users that are asked for, and the clients.
func newUserList(b scenario.Bank, f UserFilter, progress func(done, total int)) api.Users {
	w := b.World
	l := api.Users{Users: []api.UserSummary{}, Clients: []api.BankClient{}, Generated: b.From.Generated()}
	given := w.ListedTokens(b.Now)
	var written, generated []*sim.User
	for _, i := range b.Institutions() {
		for c := range w.Clients(i.InstitutionID) {
			l.Clients = append(l.Clients, api.BankClient{
				InstitutionID: c.InstitutionID, SharedKey: c.SharedKey, SecretKey: c.SecretKey,
			})
		}
		if f.Institution != "" && f.Institution != i.InstitutionID {
			continue
		}
		for u := range w.Users(i.InstitutionID) {
			if !f.hasUser(w, u) {
				continue
			}
			if l.Total++; l.Total%10_000 == 0 {
				progress(l.Total, b.From.Summary.Users)
			}
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
	return l
}

func newUserInfo(w *sim.World, u *sim.User, given []sim.ListedToken) api.UserSummary {
	info := api.UserSummary{
		InstitutionID: u.InstitutionID, HostUserID: u.HostUserID, CustomerID: u.CustomerID(),
		Username: u.Username, Password: u.Password, Active: u.Active,
		GoodFor: w.Eligibility(w.Policies().Document, u), Tokens: []string{},
	}
	for range w.Accounts(u.InstitutionID, u.HostUserID) {
		info.Accounts++
	}
	var dead []string
	for _, t := range given {
		isOwn := t.Grant.HostUserID == u.HostUserID
		isFor := isOwn || t.Grant.HostUserID == ""
		switch {
		case isFor && t.Dead == "" && len(info.Tokens) < maxTokensOfAUser:
			info.Tokens = append(info.Tokens, t.Text)
		case isOwn && t.Dead != "" && len(dead) < maxTokensOfAUser:
			dead = append(dead, "token "+t.Text+" "+t.Dead)
		}
	}
	if len(info.Tokens) == 0 {
		info.GoodFor = append(info.GoodFor, "no token of the scenario reaches it")
	}
	info.GoodFor = append(info.GoodFor, dead...)
	info.Summary = strings.Join(info.GoodFor, ", ")
	return info
}

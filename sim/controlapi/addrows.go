package controlapi

import (
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// addUser adds a user that is active and has accepted, with accounts. It refuses a user that the institution has (409).
func (a control) addUser(w http.ResponseWriter, r *http.Request, sb bank, body api.NewUser) error {
	if err := checkNewUser(body); err != nil {
		return err
	}
	institution := r.PathValue("institution")
	var user api.User
	err := sb.Change(r.Context(), func(tx *sandbox.Tx) error {
		if _, ok := tx.World.Institution(institution); !ok {
			return sim.Refuse(sim.InstitutionUnknown, "there is no institution %q", institution)
		}
		accepted := []sim.Disclosure{{Name: sim.DisclosureOLS, Status: sim.Accepted, StatusUpdate: tx.Now}}
		row := sim.User{
			InstitutionID: institution, HostUserID: body.HostUserID, Username: body.Username, Active: true,
			Disclosures: accepted,
		}
		if err := tx.World.AddUser(row); err != nil {
			return refuse(http.StatusConflict, "%v", err)
		}
		for _, id := range body.Accounts {
			row := sim.Account{
				InstitutionID: institution, HostUserID: body.HostUserID, AccountID: id, Disclosures: accepted,
			}
			if err := tx.World.AddAccount(row); err != nil {
				return refuse(http.StatusBadRequest, "accounts has %s twice", phrase.Quote(id))
			}
		}
		added, _ := tx.World.User(institution, body.HostUserID)
		user = newUserState(tx.World, added)
		return nil
	})
	if err != nil {
		return err
	}
	return created(w, user)
}

// checkNewUser refuses ids that no request could name.
func checkNewUser(u api.NewUser) error {
	texts := append([]string{u.HostUserID}, u.Accounts...)
	for i, text := range texts {
		name := "hostUserId"
		if i > 0 {
			name = "each of accounts"
		}
		if strings.TrimSpace(text) == "" || len(text) > sim.MaxText {
			return refuse(http.StatusBadRequest, "%s must have 1 to %d characters", name, sim.MaxText)
		}
	}
	return nil
}

// addGroup adds an active group. The bank's rules for names and descriptions apply (409).
func (a control) addGroup(w http.ResponseWriter, r *http.Request, sb bank, body api.NewGroup) error {
	institution := r.PathValue("institution")
	var group api.Group
	err := sb.Change(r.Context(), func(tx *sandbox.Tx) error {
		if _, ok := tx.World.Institution(institution); !ok {
			return sim.Refuse(sim.InstitutionUnknown, "there is no institution %q", institution)
		}
		added, err := tx.World.CreateGroup(tx.World.Policies().Document, institution,
			sim.NewGroup{Name: body.GroupName, Description: body.GroupDescription}, tx.Now)
		if err != nil {
			return refuse(http.StatusConflict, "%v", err)
		}
		group = newGroupRow(added)
		return nil
	})
	if err != nil {
		return err
	}
	return created(w, group)
}

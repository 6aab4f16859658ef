package controlapi

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// rowCalls returns the calls that change rows of the bank past its rules.
func (c control) rowCalls() []Call {
	return []Call{
		inSandbox(c, "PATCH", institutionPath, "patchInstitution",
			"Change an institution past the bank's rules.", c.patchInstitution).takes(mergeMedia, jsonMedia).
			example(`{"multistatement": false}`),
		inSandbox(c, "PATCH", institutionPath+"/users/{user}", "patchUser",
			"Change a user past the bank's rules.", c.patchUser).takes(mergeMedia, jsonMedia).
			example(`{"active": false, "disclosureStatus": "ACCEPTED"}`),
		inSandbox(c, "PATCH", institutionPath+"/users/{user}/accounts/{account}", "patchAccount",
			"Change an account past the bank's rules.", c.patchAccount).takes(mergeMedia, jsonMedia).
			example(`{"activateEstatement": true}`),
		inSandbox(c, "POST", institutionPath+"/users", "addUser",
			"Add an active user. All disclosures are accepted. The bank's rules don't apply.", c.addUser).created().
			example(`{"hostUserId": "4711", "username": "robin", "accounts": ["a-1"]}`),
		inSandbox(c, "POST", institutionPath+"/groups", "addGroup",
			"Add a group, without an app's request.", c.addGroup).created().
			example(`{"groupName": "Day birds"}`),
	}
}

const institutionPath = "/institutions/{institution}"

// InstitutionPath is the input of a call about an institution.
type InstitutionPath struct {
	SandboxPath
	Institution string `path:"institution" doc:"The institutionId."`
}

// UserPath is the input of a call about a user.
type UserPath struct {
	InstitutionPath
	User string `path:"user" doc:"The hostUserId."`
}

// change reads the input of a call, applies it to the bank, and answers with what apply returns.
func change[Wanted, Changed any](ctx context.Context, b bank,
	read func() (Wanted, error), apply func(*sandbox.Tx, Wanted) (Changed, error),
) (changed Changed, err error) {
	wanted, err := read()
	if err != nil {
		return changed, err
	}
	err = b.Change(ctx, func(tx *sandbox.Tx) (err error) {
		changed, err = apply(tx, wanted)
		return err
	})
	return changed, err
}

type patchInstitutionInput struct {
	InstitutionPath
	Body body[api.InstitutionPatch]
}

// patchInstitution answers with the institution's own members.
func (c control) patchInstitution(
	ctx context.Context, b bank, in *patchInstitutionInput,
) (api.InstitutionRow, error) {
	return change(ctx, b, in.Body.decodePatch, func(
		tx *sandbox.Tx, patch api.InstitutionPatch,
	) (row api.InstitutionRow, err error) {
		if patch.Multistatement != nil {
			if err := tx.World.ConfigureMultistatement(in.Institution, *patch.Multistatement); err != nil {
				return row, err
			}
		}
		i, err := institutionOf(tx.World, in.Institution)
		if err != nil {
			return row, err
		}
		return newInstitutionRow(i), nil
	})
}

// institutionOf returns an institution of the world, or an error that names the id.
func institutionOf(w *sim.World, id string) (*sim.Institution, error) {
	i, ok := w.Institution(id)
	if !ok {
		return nil, refuse(http.StatusNotFound, "there is no institution %s%s", wording.Quote(id),
			wording.DidYouMean(id, institutionIDs(w), "there are"))
	}
	return i, nil
}

// institutionIDs returns the ids of the first institutions, as many as a message shows.
func institutionIDs(w *sim.World) (ids []string) {
	for i := range w.Institutions() {
		if ids = append(ids, i.InstitutionID); len(ids) == maxUsers {
			break
		}
	}
	return ids
}

type patchUserInput struct {
	UserPath
	Body body[api.UserPatch]
}

// patchUser answers with the user as in the state. A status creates a missing disclosure.
func (c control) patchUser(ctx context.Context, b bank, in *patchUserInput) (api.User, error) {
	return change(ctx, b, in.Body.decodePatch, func(tx *sandbox.Tx, patch api.UserPatch) (state api.User, err error) {
		if err := checkUser(tx.World, in.Institution, in.User); err != nil {
			return state, err
		}
		if err := tx.World.PatchUser(in.Institution, in.User, sim.UserPatch(patch), tx.Now); err != nil {
			return state, err
		}
		u, _ := tx.World.User(in.Institution, in.User)
		return newUserState(tx.World, u), nil
	})
}

type patchAccountInput struct {
	UserPath
	Account string `path:"account" doc:"The accountId."`
	Body    body[api.AccountPatch]
}

// patchAccount answers with the account as in the state. No precondition applies.
func (c control) patchAccount(ctx context.Context, b bank, in *patchAccountInput) (api.Account, error) {
	return change(ctx, b, in.Body.decodePatch, func(
		tx *sandbox.Tx, patch api.AccountPatch,
	) (state api.Account, err error) {
		if err := checkUser(tx.World, in.Institution, in.User); err != nil {
			return state, err
		}
		err = tx.World.PatchAccount(in.Institution, in.User, in.Account, sim.AccountPatch(patch), tx.Now)
		if err != nil {
			return state, err
		}
		account, _ := tx.World.Account(in.Institution, in.User, in.Account)
		return newAccountState(account), nil
	})
}

type addUserInput struct {
	InstitutionPath
	Body body[api.NewUser]
}

// addUser adds a user that is active and has accepted, with accounts. It refuses (409) a user that the institution has.
func (c control) addUser(ctx context.Context, b bank, in *addUserInput) (api.User, error) {
	return change(ctx, b, in.Body.decode, func(tx *sandbox.Tx, wanted api.NewUser) (state api.User, err error) {
		if err := checkNewUser(wanted); err != nil {
			return state, err
		}
		if _, err := institutionOf(tx.World, in.Institution); err != nil {
			return state, err
		}
		accepted := []sim.Disclosure{{Name: sim.DisclosureOLS, Status: sim.Accepted, StatusUpdate: tx.Now}}
		err = tx.World.AddUser(sim.User{
			InstitutionID: in.Institution, HostUserID: wanted.HostUserID, Username: wanted.Username, Active: true,
			Disclosures: accepted,
		})
		if err != nil {
			return state, refuse(http.StatusConflict, "%v", err)
		}
		for _, id := range wanted.Accounts {
			err := tx.World.AddAccount(sim.Account{
				InstitutionID: in.Institution, HostUserID: wanted.HostUserID, AccountID: id, Disclosures: accepted,
			})
			if err != nil {
				return state, refuse(http.StatusBadRequest, "accounts has %s twice", wording.Quote(id))
			}
		}
		added, _ := tx.World.User(in.Institution, wanted.HostUserID)
		return newUserState(tx.World, added), nil
	})
}

// checkNewUser refuses ids that no request could name.
func checkNewUser(u api.NewUser) error {
	for i, text := range append([]string{u.HostUserID}, u.Accounts...) {
		name := "hostUserId"
		if i > 0 {
			name = "each of accounts"
		}
		if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > sim.MaxText {
			return refuse(http.StatusBadRequest, "%s must have 1 to %d characters", name, sim.MaxText)
		}
	}
	return nil
}

type addGroupInput struct {
	InstitutionPath
	Body body[api.NewGroup]
}

// addGroup adds an active group. The bank's rules for names and descriptions apply (409).
func (c control) addGroup(ctx context.Context, b bank, in *addGroupInput) (api.Group, error) {
	return change(ctx, b, in.Body.decode, func(tx *sandbox.Tx, wanted api.NewGroup) (row api.Group, err error) {
		if _, err := institutionOf(tx.World, in.Institution); err != nil {
			return row, err
		}
		added, err := tx.World.CreateGroup(tx.World.Policies().Document, in.Institution,
			sim.NewGroup{Name: wanted.GroupName, Description: wanted.GroupDescription}, tx.Now)
		if err != nil {
			return row, refuse(http.StatusConflict, "%v", err)
		}
		return newGroupRow(added), nil
	})
}

package controlapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// patchInstitution answers with the institution's own members.
func (a control) patchInstitution(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch api.InstitutionPatch
	if err := decodePatch(r, &patch, nil); err != nil {
		return err
	}
	id := r.PathValue("institution")
	return replyChanged(w, sb, func(m sandbox.Moment) (row api.Institution, err error) {
		if patch.Multistatement != nil {
			if err := m.World.ConfigureMultistatement(id, *patch.Multistatement); err != nil {
				return row, err
			}
		}
		i, ok := m.World.Institution(id)
		if !ok {
			return row, sim.Refuse(sim.InstitutionUnknown, "there is no institution %q", id)
		}
		return newInstitutionRow(i), nil
	})
}

// patchUser answers with the user as in the state. A status creates a disclosure where there is none.
func (a control) patchUser(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch api.UserPatch
	if err := decodePatch(r, &patch, &patch.DisclosureStatus); err != nil {
		return err
	}
	institution, id := r.PathValue("institution"), r.PathValue("user")
	return replyChanged(w, sb, func(m sandbox.Moment) (state api.User, err error) {
		if err := m.World.PatchUser(institution, id, sim.UserPatch(patch), m.Now); err != nil {
			return state, err
		}
		u, _ := m.World.User(institution, id)
		return newUserState(m.World, u), nil
	})
}

// patchAccount answers with the account as in the state. No precondition applies.
func (a control) patchAccount(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch api.AccountPatch
	if err := decodePatch(r, &patch, &patch.DisclosureStatus); err != nil {
		return err
	}
	institution, user, id := r.PathValue("institution"), r.PathValue("user"), r.PathValue("account")
	return replyChanged(w, sb, func(m sandbox.Moment) (state api.Account, err error) {
		if err := m.World.PatchAccount(institution, user, id, sim.AccountPatch(patch), m.Now); err != nil {
			return state, err
		}
		account, _ := m.World.Account(institution, user, id)
		return newAccountState(account), nil
	})
}

// decodePatch reads a merge patch (RFC 7396) into a struct of pointers, which are nil for members that are not given. It
// refuses null, by which a merge patch removes a member, because every member of the bank has a value, and what is no status.
func decodePatch(r *http.Request, into any, status *string) error {
	data, err := readBody(r)
	if err != nil {
		return err
	}
	if err := unmarshal(data, into); err != nil {
		return err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if value := string(given[name]); value == "null" || value == `""` {
			return refuse(http.StatusBadRequest, "%s can't be removed: give it a value, or leave it out", name)
		}
	}
	if status != nil && *status != "" && *status != sim.Accepted && *status != sim.NotAccepted {
		return refuse(http.StatusBadRequest, "disclosureStatus must be %s or %s", sim.Accepted, sim.NotAccepted)
	}
	return nil
}

// replyChanged changes a sandbox and answers with what the change returns.
func replyChanged[T any](w http.ResponseWriter, sb *sandbox.Sandbox, change func(sandbox.Moment) (T, error)) error {
	var changed T
	err := sb.Change(func(m sandbox.Moment) (err error) {
		changed, err = change(m)
		return err
	})
	if err != nil {
		return err
	}
	return reply(w, changed)
}

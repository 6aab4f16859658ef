package controlapi

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// patching is in for a call that changes a bank by a merge patch (RFC 7396), and answers with what the change returns.
func patching[P, S any](path string, change func(*sandbox.Tx, *http.Request, P) (S, error), name, about string) *Route {
	var noPatch P
	var noState S
	return in("PATCH", path, func(_ control, w http.ResponseWriter, r *http.Request, sb bank) error {
		var patch P
		var state S
		if err := decodePatch(r, &patch); err != nil {
			return err
		}
		err := sb.Change(r.Context(), func(m *sandbox.Tx) (err error) {
			state, err = change(m, r, patch)
			return err
		})
		if err != nil {
			return err
		}
		return reply(w, state)
	}, name, about).takes(noPatch, mergeMedia, jsonMedia).answers(http.StatusOK, noState)
}

// patchInstitution returns the institution's own members.
func patchInstitution(m *sandbox.Tx, r *http.Request, patch api.InstitutionPatch) (row api.Institution, err error) {
	id := r.PathValue("institution")
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
}

// patchUser returns the user as in the state. A status creates a disclosure where there is none.
func patchUser(m *sandbox.Tx, r *http.Request, patch api.UserPatch) (state api.User, err error) {
	institution, id := r.PathValue("institution"), r.PathValue("user")
	if err := m.World.PatchUser(institution, id, sim.UserPatch(patch), m.Now); err != nil {
		return state, err
	}
	u, _ := m.World.User(institution, id)
	return newUserState(m.World, u), nil
}

// patchAccount returns the account as in the state. No precondition applies.
func patchAccount(m *sandbox.Tx, r *http.Request, patch api.AccountPatch) (state api.Account, err error) {
	institution, user, id := r.PathValue("institution"), r.PathValue("user"), r.PathValue("account")
	if err := m.World.PatchAccount(institution, user, id, sim.AccountPatch(patch), m.Now); err != nil {
		return state, err
	}
	account, _ := m.World.Account(institution, user, id)
	return newAccountState(account), nil
}

// decodePatch reads a merge patch into a struct whose members are nil or empty if they are not given. It refuses an
// empty patch, an unknown status, and null: null would remove a member, and every member of the bank has a value.
func decodePatch(r *http.Request, into any) error {
	data, err := readBody(r)
	if err != nil {
		return err
	}
	given, err := unmarshalGiven(data, into)
	var wrong *wire.Error
	if errors.As(wire.DecodeKnown(data, into), &wrong) && wrong.Kind == wire.Mistyped {
		value := phrase.Shorten(string(wire.MustEncode(given[wrong.Member])))
		return refuse(http.StatusBadRequest, "%s must be %s, not %s", wrong.Member, describe(wrong.Type), value)
	} else if err != nil {
		return err
	}
	if len(given) == 0 {
		return refuse(http.StatusBadRequest, "the patch is empty, and changes nothing: give %s",
			strings.Join(members(into), " or "))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, statuses := given[name], []string{sim.Accepted, sim.NotAccepted}
		text, isText := value.(string)
		switch {
		case value == nil:
			return refuse(http.StatusBadRequest, "%s can't be null: give it a value, or leave it out", name)
		case name == "disclosureStatus" && isText && !slices.Contains(statuses, text):
			return refuse(http.StatusBadRequest, "%s can't be %s%s",
				name, phrase.Quote(text), phrase.DidYouMean(text, statuses, "it can be"))
		}
	}
	return nil
}

// unmarshalGiven is unmarshal, and returns the members that are given, as JSON has them.
func unmarshalGiven(data []byte, into any) (given map[string]any, err error) {
	err = unmarshal(data, into)
	_ = json.Unmarshal(data, &given)
	return given, err
}

package controlapi

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// patchInstitution takes a merge patch of {multistatement} and answers with the institution's own members. Like the
// other patches it refuses (400) null, unknown members and wrong types, and 404 for what is not there; then nothing
// was changed.
func (a api) patchInstitution(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch struct {
		Multistatement *bool `json:"multistatement"`
	}
	if err := decodePatch(r, &patch); err != nil {
		return err
	}
	id := pathVar(r, "institution")
	var patched InstitutionRow
	err := sb.Change(func(m sandbox.Moment) error {
		if patch.Multistatement != nil {
			if err := m.World.ConfigureMultistatement(id, *patch.Multistatement); err != nil {
				return err
			}
		}
		i, ok := m.World.Institution(id)
		if !ok {
			return sim.Refuse(sim.InstitutionUnknown, "there is no institution %q", id)
		}
		patched = newInstitutionRow(i)
		return nil
	})
	return replyPatched(w, patched, err)
}

// patchUser takes a merge patch of {active, disclosureStatus}, the latter ACCEPTED or NOT_ACCEPTED and for all
// user-level disclosures (a new one where there is none), and answers with the user as in the state.
func (a api) patchUser(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch struct {
		Active           *bool   `json:"active"`
		DisclosureStatus *string `json:"disclosureStatus"`
	}
	if err := decodePatch(r, &patch); err != nil {
		return err
	}
	if err := checkStatus(patch.DisclosureStatus); err != nil {
		return err
	}
	institution, id := pathVar(r, "institution"), pathVar(r, "user")
	var patched UserState
	err := sb.Change(func(m sandbox.Moment) error {
		if err := m.World.PatchUser(institution, id, sim.UserPatch(patch), m.Now); err != nil {
			return err
		}
		u, _ := m.World.User(institution, id)
		patched = newUserState(m.World, u)
		return nil
	})
	return replyPatched(w, patched, err)
}

// patchAccount takes a merge patch of {activateEstatement, disclosureStatus}, the latter as patchUser does but for
// the account's disclosures, and answers with the account as in the state. No precondition applies.
func (a api) patchAccount(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var patch struct {
		ActivateEstatement *bool   `json:"activateEstatement"`
		DisclosureStatus   *string `json:"disclosureStatus"`
	}
	if err := decodePatch(r, &patch); err != nil {
		return err
	}
	if err := checkStatus(patch.DisclosureStatus); err != nil {
		return err
	}
	institution, user, id := pathVar(r, "institution"), pathVar(r, "user"), pathVar(r, "account")
	var patched AccountState
	err := sb.Change(func(m sandbox.Moment) error {
		if err := m.World.PatchAccount(institution, user, id, sim.AccountPatch(patch), m.Now); err != nil {
			return err
		}
		account, _ := m.World.Account(institution, user, id)
		patched = newAccountState(account)
		return nil
	})
	return replyPatched(w, patched, err)
}

// decodePatch reads a merge patch (RFC 7396) into a struct of pointers: what it doesn't give is nil. It refuses null,
// by which a merge patch removes a member, because no member of a bank can be without a value.
func decodePatch(r *http.Request, into any) error {
	data, err := readBody(r, mergeMedia)
	if err != nil {
		return err
	}
	names := strings.Join(members(into), ", ")
	if len(bytes.TrimSpace(data)) == 0 {
		return refuse(http.StatusBadRequest, "the body is empty: give some of %s", names)
	}
	if err := unmarshal(data, into); err != nil {
		return err
	}
	var given map[string]jsontext.Value
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name].Kind() == 'n' {
			return refuse(http.StatusBadRequest, "%s can't be removed: give it a value, or leave it out", name)
		}
	}
	return nil
}

func checkStatus(status *string) error {
	if status == nil || *status == sim.Accepted || *status == sim.NotAccepted {
		return nil
	}
	return refuse(http.StatusBadRequest, "disclosureStatus must be %s or %s", sim.Accepted, sim.NotAccepted)
}

func replyPatched(w http.ResponseWriter, patched any, err error) error {
	if err != nil {
		return worldError(err)
	}
	return reply(w, patched)
}

// worldError turns the refusal of a world, for something that the path names and that is not there, into a 404.
func worldError(err error) error {
	var refusal *sim.Error
	if errors.As(err, &refusal) {
		return refuse(http.StatusNotFound, "%s", refusal.Message)
	}
	return err
}

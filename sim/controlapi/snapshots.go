package controlapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func newSnapshotInfo(s sandbox.SnapshotInfo) api.Snapshot {
	return api.Snapshot{Name: s.Name, Now: s.Now, TakenAt: s.TakenAt.UTC()}
}

func (a control) listSnapshots(w http.ResponseWriter, _ *http.Request, sb bank) error {
	return reply(w, api.Snapshots{Snapshots: list(slices.Values(sb.now.Snapshots()), newSnapshotInfo)})
}

func (a control) takeSnapshot(w http.ResponseWriter, r *http.Request, sb bank, body api.NewSnapshot) error {
	taken, err := sb.Snapshot(r.Context(), body.Name)
	if err != nil {
		return err
	}
	return created(w, newSnapshotInfo(taken))
}

func (a control) deleteSnapshot(w http.ResponseWriter, r *http.Request, sb bank) error {
	return done(w, sb.DeleteSnapshot(r.Context(), r.PathValue("snapshot")))
}

func (a control) restoreSnapshot(w http.ResponseWriter, r *http.Request, sb bank) error {
	return done(w, sb.Restore(r.Context(), r.PathValue("snapshot")))
}

// The years that a virtual clock can have (choice). Times derived from it, such as the expiry of a token, must still be
// valid in JSON: before the year 10000.
const (
	firstYear = 1
	lastYear  = 9000
)

func (a control) getClock(w http.ResponseWriter, _ *http.Request, sb bank) error {
	now := sb.now
	return reply(w, api.Clock{Now: now.Now, Running: now.Running})
}

func (a control) setClock(w http.ResponseWriter, r *http.Request, sb bank, body api.ClockChange) error {
	var advance time.Duration
	if body.Advance != nil {
		var err error
		if advance, err = time.ParseDuration(*body.Advance); err != nil {
			return refuse(http.StatusBadRequest, "advance must be a duration such as 90m or 24h")
		}
	}
	switch {
	case body.Advance == nil && body.Set == nil && body.Run == nil:
		return refuse(http.StatusBadRequest, "give advance, set or run")
	case body.Advance != nil && body.Set != nil:
		return refuse(http.StatusBadRequest, "give advance or set, not both")
	}
	var shown api.Clock
	err := sb.Change(r.Context(), func(tx *sandbox.Tx) error {
		c := tx.Clock
		if body.Set != nil {
			c = c.Set(*body.Set, tx.Wall)
		}
		c = c.Advance(advance, tx.Wall)
		if body.Run != nil {
			c = c.Run(*body.Run, tx.Wall)
		}
		shown = api.Clock{Now: c.Now(tx.Wall), Running: c.Running()}
		if year := shown.Now.Year(); year < firstYear || year > lastYear {
			return refuse(http.StatusBadRequest, "the clock must stay between the years %d and %d", firstYear, lastYear)
		}
		tx.Clock = c
		return nil
	})
	if err != nil {
		return err
	}
	return reply(w, shown)
}

func (a control) listFaults(w http.ResponseWriter, _ *http.Request, sb bank) error {
	return reply(w, api.Faults{Faults: sb.now.Faults.Counts()})
}

// putFaults adds rules or, with PUT, puts them in the place of all others. If one is refused, nothing is changed.
func (a control) putFaults(w http.ResponseWriter, r *http.Request, sb bank) error {
	source, err := readBody(r)
	if err != nil {
		return err
	}
	rules, err := scenario.ParseFaults("faults", source)
	if err != nil {
		return badInput("the faults have", err)
	}
	if err := checkReferences(sb.now.World, rules); err != nil {
		return err
	}
	put, answer := (*fault.Set).Add, created
	if r.Method == http.MethodPut {
		put, answer = (*fault.Set).Replace, reply
	}
	var shown []fault.Counted
	err = sb.Change(r.Context(), func(tx *sandbox.Tx) error {
		next, added, err := put(tx.Faults, rules...)
		if err != nil {
			return err
		}
		tx.Faults, shown = next, added
		return nil
	})
	if err != nil {
		return err
	}
	return answer(w, api.Faults{Faults: shown})
}

// checkReferences refuses (422) a rule for the requests of an institution or a user that the world doesn't have, or
// about an alert type that is a slip of one that it has.
func checkReferences(w *sim.World, rules []fault.Rule) error {
	isExpression := func(text string) bool { return strings.HasPrefix(text, "~") }
	for n, rule := range rules {
		for _, mistake := range rule.Mistakes(valuesIn(w)) {
			return refuse(http.StatusUnprocessableEntity, "fault %d: %s", n+1, mistake.Text)
		}
		r := rule.When.Request
		if r == nil || r.InstitutionID+r.HostUserID == "" || isExpression(r.InstitutionID) {
			continue
		}
		hasInstitution, hasUser := false, false
		for i := range w.Institutions() {
			if r.InstitutionID == "" || r.InstitutionID == i.InstitutionID {
				_, found := w.User(i.InstitutionID, r.HostUserID)
				hasInstitution, hasUser = true, hasUser || found
			}
		}
		switch {
		case !hasInstitution:
			return refuse(http.StatusUnprocessableEntity, "fault %d: the bank has no institution %s",
				n+1, phrase.Quote(r.InstitutionID))
		case r.HostUserID != "" && !isExpression(r.HostUserID) && !hasUser:
			return refuse(http.StatusUnprocessableEntity, "fault %d: the bank has no user %s: add the user first",
				n+1, phrase.Quote(r.HostUserID))
		}
	}
	return nil
}

func (a control) clearFaults(w http.ResponseWriter, r *http.Request, sb bank) error {
	name := r.URL.Query().Get("name")
	return done(w, sb.Change(r.Context(), func(tx *sandbox.Tx) (err error) {
		if !r.URL.Query().Has("name") {
			tx.Faults, _, err = tx.Faults.Replace() // by no rule
			return err
		}
		next, found := tx.Faults.Remove(name)
		if !found {
			return refuse(http.StatusNotFound, "there is no fault %s: GET …/faults lists them", phrase.Quote(name))
		}
		tx.Faults = next
		return nil
	}))
}

// mintToken refuses a client or a user that the institution doesn't have (400), and an institution that doesn't exist
// (404).
func (a control) mintToken(w http.ResponseWriter, r *http.Request, sb bank, body api.NewToken) error {
	if body.Client == "" {
		return refuse(http.StatusBadRequest,
			"client is missing: give the shared key of one of the institution's clients")
	}
	var lifetime time.Duration
	if body.ExpiresIn != nil {
		var err error
		if lifetime, err = duration("expiresIn", *body.ExpiresIn); err != nil {
			return err
		}
	}
	var minted api.MintedToken
	err := sb.Change(r.Context(), func(m *sandbox.Tx) error {
		policy := m.World.Policies().Document
		if lifetime == 0 {
			lifetime = policy.Tokens.AccessLifetime
		}
		institution := r.PathValue("institution")
		grant, err := m.World.MintToken(
			policy, institution, body.Client, body.HostUserID, m.Now, lifetime, body.Refresh)
		if err != nil {
			return err
		}
		minted = api.MintedToken{
			AccessToken: grant.AccessToken, RefreshToken: grant.RefreshToken, ExpiresAt: m.Now.Add(lifetime),
			Client: grant.SharedKey, HostUserID: grant.HostUserID,
		}
		return nil
	})
	switch {
	case errors.Is(err, sim.ClientUnknown):
		return refuse(http.StatusBadRequest, "client is not one of the institution's clients: GET …/state lists them")
	case errors.Is(err, sim.UserUnknown):
		return refuse(http.StatusBadRequest,
			"hostUserId is not one of the institution's users: GET …/state lists them")
	case err != nil:
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return created(w, minted)
}

// getKeys answers with the key that signs id_tokens. It needs no token: an app that checks id_tokens has none.
func (a control) getKeys(w http.ResponseWriter, _ *http.Request, sb bank) error {
	return reply(w, sandbox.KeySetOf(sb.now.World))
}

func (a control) tokenStatus(w http.ResponseWriter, _ *http.Request, sb bank, body api.TokenQuestion) error {
	now := sb.now
	return reply(w, api.TokenStatus{Status: now.World.TokenStatus(body.Token, now.Now)})
}

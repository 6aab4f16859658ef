package controlapi

import (
	"encoding/base64"
	"errors"
	"math/big"
	"net/http"
	"slices"
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

func (a control) listSnapshots(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, api.Snapshots{Snapshots: list(slices.Values(sb.Snapshots()), newSnapshotInfo)})
}

func (a control) takeSnapshot(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox, body api.NewSnapshot) error {
	taken, err := sb.Snapshot(body.Name)
	if err != nil {
		return err
	}
	return created(w, newSnapshotInfo(taken))
}

func (a control) deleteSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return done(w, sb.DeleteSnapshot(r.PathValue("snapshot")))
}

func (a control) restoreSnapshot(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return done(w, sb.Restore(r.PathValue("snapshot")))
}

// The years that a virtual clock can have (choice). Times derived from it, such as the expiry of a token, must still be
// valid in JSON: before the year 10000.
const (
	firstYear = 1
	lastYear  = 9000
)

func (a control) getClock(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	now := sb.Now()
	return reply(w, api.Clock{Now: now.Now, Running: now.Running})
}

func (a control) setClock(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox, body api.ClockChange) error {
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
	outside := false
	err := sb.SetClock(func(was sim.Clock, real time.Time) sim.Clock {
		c := was
		if body.Set != nil {
			c = c.Set(*body.Set, real)
		}
		c = c.Advance(advance, real)
		if body.Run != nil {
			c = c.Run(*body.Run, real)
		}
		if year := c.Now(real).Year(); year < firstYear || year > lastYear {
			outside = true
			return was
		}
		return c
	})
	if outside {
		return refuse(http.StatusBadRequest, "the clock must stay between the years %d and %d", firstYear, lastYear)
	}
	if err != nil {
		return err
	}
	return a.getClock(w, r, sb)
}

func (a control) listFaults(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, api.Faults{Faults: sb.Now().Faults.Counts()})
}

// putFaults adds rules or, with PUT, puts them in the place of all others. If one is refused, nothing is changed.
func (a control) putFaults(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	source, err := readBody(r)
	if err != nil {
		return err
	}
	rules, err := scenario.ParseFaults("faults", source)
	if err != nil {
		return badInput("the faults have", err)
	}
	put, answer := (*fault.Set).Add, created
	if r.Method == http.MethodPut {
		put, answer = (*fault.Set).Replace, reply
	}
	var shown []fault.Counted
	err = sb.ChangeFaults(func(s *fault.Set) (err error) {
		shown, err = put(s, rules...)
		return err
	})
	if err != nil {
		return err
	}
	return answer(w, api.Faults{Faults: shown})
}

func (a control) clearFaults(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	name := r.URL.Query().Get("name")
	return done(w, sb.ChangeFaults(func(s *fault.Set) error {
		switch {
		case !r.URL.Query().Has("name"):
			_, _ = s.Replace() // by none, which nothing refuses
		case !s.Remove(name):
			return refuse(http.StatusNotFound, "there is no fault %s: GET …/faults lists them", phrase.Quote(name))
		}
		return nil
	}))
}

// mintToken refuses a client or a user that the institution doesn't have (400), and an institution that doesn't exist (404).
func (a control) mintToken(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox, body api.NewToken) error {
	if body.Client == "" {
		return refuse(http.StatusBadRequest, "client is missing: give the shared key of one of the institution's clients")
	}
	var lifetime time.Duration
	if body.ExpiresIn != nil {
		var err error
		if lifetime, err = duration("expiresIn", *body.ExpiresIn); err != nil {
			return err
		}
	}
	var minted api.MintedToken
	err := sb.Change(func(m sandbox.Moment) error {
		if lifetime == 0 {
			lifetime = m.World.Behavior().Tokens.AccessLifetime
		}
		grant, err := m.World.MintToken(r.PathValue("institution"), body.Client, body.HostUserID, m.Now, lifetime, body.Refresh)
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
		return refuse(http.StatusBadRequest, "hostUserId is not one of the institution's users: GET …/state lists them")
	case err != nil:
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return created(w, minted)
}

// getKeys answers with the key that signs id_tokens.
func (a control) getKeys(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	key := sandbox.PublicKey(sb.Now().World)
	encode := base64.RawURLEncoding.EncodeToString
	return reply(w, api.Keys{Keys: []api.Key{{
		Type: "RSA", Use: "sig", Algorithm: "RS256", ID: sandbox.KeyID(key),
		Modulus: encode(key.N.Bytes()), Exponent: encode(big.NewInt(int64(key.E)).Bytes()),
	}}})
}

func (a control) tokenStatus(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox, body api.TokenQuestion) error {
	now := sb.Now()
	return reply(w, api.TokenStatus{Status: now.World.TokenStatus(body.Token, now.Now)})
}

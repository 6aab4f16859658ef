package controlapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// mintToken takes {client, hostUserId?, expiresIn?}: the shared key of a client of the institution, the user to which the
// token is bound, and its lifetime in virtual time (by default that of issued tokens). It refuses a client or a user that
// the institution doesn't have (400), and an institution that doesn't exist (404).
func (a control) mintToken(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var body api.NewToken
	if err := decode(r, &body); err != nil {
		return err
	}
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
		grant, err := m.World.MintToken(pathVar(r, "institution"), body.Client, body.HostUserID, m.Now, lifetime)
		if err != nil {
			return err
		}
		minted = api.MintedToken{
			AccessToken: grant.AccessToken, ExpiresAt: m.Now.Add(lifetime), Client: grant.SharedKey, HostUserID: grant.HostUserID,
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

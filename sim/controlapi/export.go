package controlapi

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// getState answers with the world at one moment: a [State].
func (a api) getState(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	now := sb.Now()
	world := now.World
	return a.replyLarge(w, r, func(s *wire.Stream) {
		s.Text(`{"institutions":`)
		wire.Array(s, world.Institutions(), func(i *sim.Institution) { writeInstitution(s, world, i, now.Now) })
		s.Text("}")
	})
}

// writeInstitution writes an [InstitutionState], row by row.
func writeInstitution(s *wire.Stream, w *sim.World, i *sim.Institution, now time.Time) {
	id := i.InstitutionID
	s.Open(newInstitutionRow(i))
	s.Text(`,"clients":`)
	wire.Array(s, w.Clients(id), func(c *sim.Client) { s.Value(c.SharedKey) })
	s.Text(`,"users":`)
	wire.Array(s, w.Users(id), func(u *sim.User) { writeUser(s, w, u) })
	s.Text(`,"tokens":`)
	wire.Array(s, w.Grants(id), func(g *sim.Grant) { s.Value(newGrantState(w, g)) })
	s.Text(`,"groups":`)
	wire.Array(s, w.Groups(id), func(g *sim.Group) { writeGroup(s, w, g) })
	s.Text(`,"jobs":`)
	wire.Array(s, w.Jobs(id), func(j *sim.Job) { s.Value(newJobState(j.At(now))) })
	s.Text(`,"alertPreferences":`)
	wire.Array(s, w.AlertPreferences(id, ""), func(p *sim.AlertPreference) { s.Value(newAlertPreference(p)) })
	s.Text("}")
}

// writeGroup writes a [GroupState].
func writeGroup(s *wire.Stream, w *sim.World, g *sim.Group) {
	s.Open(newGroupRow(g))
	s.Text(`,"participants":`)
	wire.Array(s, g.Participants(), func(id string) {
		_, isUser := w.User(g.InstitutionID, id)
		s.Value(shownParticipant(id, isUser))
	})
	s.Text("}")
}

// writeUser writes a [UserState], row by row.
func writeUser(s *wire.Stream, w *sim.World, u *sim.User) {
	s.Open(newUserRow(u))
	s.Text(`,"accounts":`)
	wire.Array(s, w.Accounts(u.InstitutionID, u.HostUserID), func(a *sim.Account) { s.Value(newAccountState(a)) })
	s.Text(`,"alertPreferences":`)
	wire.Array(s, w.AlertPreferences(u.InstitutionID, u.HostUserID), func(p *sim.AlertPreference) { s.Value(newAlertPreference(p)) })
	s.Text("}")
}

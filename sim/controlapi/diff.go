package controlapi

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// getDiff answers with an [api.Diff].
func (a control) getDiff(w http.ResponseWriter, r *http.Request, sb bank) error {
	since := cmp.Or(r.URL.Query().Get("since"), sandbox.Start)
	limit := number(r.URL.Query(), "limit", -1)
	changes, err := sb.Diff(r.Context(), sb.now, since)
	if err != nil {
		return err
	}
	return replyLarge(w, func(s wire.Stream) {
		s.Open(object{"since": since})
		rows := rowWriter{s, limit, map[string]int{}}
		writeRows(rows, "changes", changes, nil, func(c sim.Change) { s.Value(newChangedRow(c)) })
		if limit >= 0 {
			s.Text(`,"total":` + strconv.Itoa(rows.counts["changes"]))
		}
		s.Text("}")
	})
}

// changedRow is an [api.Change] of rows as they are here. Its sides have the members of the row in the state, without those of
// other rows (a user's accounts, the expiry of a token), and fingerprints of the secrets that the state leaves out.
type changedRow struct {
	Row    string `json:"row"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

func newChangedRow(c sim.Change) changedRow {
	return changedRow{c.Row, rowState(c.Before), rowState(c.After)}
}

// userSecrets is the row of a user with the secret that the state leaves out.
type userSecrets struct {
	api.User
	Password string `json:"password,omitzero"` // fingerprint
}

// rowState returns a row of a diff as it is in JSON.
func rowState(row any) any {
	switch row := row.(type) {
	case *sim.Institution:
		return newInstitutionRow(row)
	case *sim.Client:
		return object{"sharedKey": row.SharedKey, "secretKey": redact.Fingerprint(row.SecretKey)}
	case *sim.User:
		return userSecrets{newUserRow(row), redact.Fingerprint(row.Password)}
	case *sim.Account:
		return newAccountState(row)
	case *sim.Grant:
		return newGrantRow(row)
	case *sim.Group:
		return newGroupRow(row)
	case *sim.Participant:
		return object{"participantId": row.ID}
	case *sim.Job:
		return newJobState(*row)
	case *sim.AlertPreference:
		return newAlertPreference(row)
	}
	return nil
}

// getState answers with a part of an [api.State] or, for ?format=scenario, a scenario that loads to an equal bank.
func (a control) getState(w http.ResponseWriter, r *http.Request, sb bank) error {
	if r.URL.Query().Get("format") == "scenario" {
		if len(r.URL.Query()) > 1 {
			return refuse(http.StatusBadRequest, "a scenario has the whole state: leave out institution, user, text and limit")
		}
		source, err := scenario.Save(sb.now.Bank()) // which refuses a world that is too large for one
		if err != nil {
			return err
		}
		return writeBody(w, http.StatusOK, yamlMedia, source)
	}
	now := sb.now
	part, err := newPart(r.URL.Query(), now.World)
	if err != nil {
		return err
	}
	return replyLarge(w, func(s wire.Stream) {
		s.Text(`{"institutions":`)
		wire.Array(s, part.institutions(now.World), func(i *sim.Institution) { writeInstitution(s, now.World, i, part, now.Now) })
		s.Text("}")
	})
}

// writeInstitution writes a part of an [api.Institution], row by row. With a user it has the tokens that reach the user, and
// nothing that belongs to none.
func writeInstitution(s wire.Stream, w *sim.World, i *sim.Institution, p part, now time.Time) {
	id := i.InstitutionID
	s.Open(newInstitutionRow(i))
	rows := rowWriter{s, p.limit, map[string]int{}}
	writeRows(rows, "clients", w.Clients(id), nil, func(c *sim.Client) { s.Value(c.SharedKey) })
	writeRows(rows, "users", w.Users(id), p.hasUser(w), func(u *sim.User) { s.Value(newUserState(w, u)) })
	writeRows(rows, "tokens", w.Grants(id), func(g *sim.Grant) bool {
		return (p.user == "" || g.HostUserID == "" || g.HostUserID == p.user) &&
			p.has(g.SharedKey, g.HostUserID, g.GrantType, redact.Fingerprint(g.AccessToken), redact.Fingerprint(g.RefreshToken))
	}, func(g *sim.Grant) {
		grant := newGrantState(w, g)
		if p.limit >= 0 {
			grant.Row = g.Row()
		}
		s.Value(grant)
	})
	writeRows(rows, "groups", w.Groups(id), func(g *sim.Group) bool {
		return p.user == "" && p.has(g.GroupID, g.Name, g.Description)
	}, func(g *sim.Group) {
		s.Open(newGroupRow(g))
		s.Text(`,"participants":`)
		wire.Array(s, g.Participants(), func(id string) { s.Value(id) })
		s.Text("}")
	})
	isOfNoUser := p.user == ""
	writeRows(rows, "jobs", w.Jobs(id), func(*sim.Job) bool { return isOfNoUser }, func(j *sim.Job) { s.Value(newJobState(j.At(now))) })
	writeRows(rows, "alertPreferences", w.AlertPreferences(id, ""), func(*sim.AlertPreference) bool { return isOfNoUser },
		func(p *sim.AlertPreference) { s.Value(newAlertPreference(p)) })
	if p.limit >= 0 {
		s.Text(`,"counts":`)
		s.Value(rows.counts)
	}
	s.Text("}")
}

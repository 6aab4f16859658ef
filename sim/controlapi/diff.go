package controlapi

import (
	"cmp"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// changedRow is a row in which two worlds differ, before and after; null if only the other world has it. It has the members that
// it has in the state, without those of other rows (a user's accounts, the expiry of a token), and with fingerprints of the
// secrets that the state leaves out.
type changedRow struct {
	Row    string `json:"row" about:"Its table and its key, such as accounts/02688/1001/acc-1001-checking."`
	Before any    `json:"before" about:"null: it was not there."`
	After  any    `json:"after" about:"null: it is not there."`
}

// worldDiff is what differs between two worlds.
type worldDiff struct {
	worldDiffStart
	Changes []changedRow `json:"changes"`
	Total   *int         `json:"total,omitzero" about:"How many rows differ, if limit is given."`
}

// worldDiffStart is what a diff begins with.
type worldDiffStart struct {
	Since string `json:"since" about:"start, or the snapshot that is compared with."`
}

// getDiff takes ?since=start|SNAPSHOT (by default start) and ?limit=, and answers {since, changes: [...]}; 404 if there is no
// such snapshot.
func (a control) getDiff(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	since := cmp.Or(r.URL.Query().Get("since"), sandbox.Start)
	limit, err := number(r.URL.Query(), "limit", 0, maxRows, -1)
	if err != nil {
		return err
	}
	changes, err := sb.Diff(since)
	if err != nil {
		return err
	}
	count := 0
	first := some(changes, func(sim.Change) bool { return true }, limit, &count)
	return a.replyLarge(w, r, func(s *wire.Stream) {
		s.Open(worldDiffStart{since})
		s.Text(`,"changes":`)
		wire.Array(s, first, func(c sim.Change) { s.Value(newChangedRow(c)) })
		if limit >= 0 {
			s.Text(`,"total":`)
			s.Value(count)
		}
		s.Text("}")
	})
}

func newChangedRow(c sim.Change) changedRow {
	for _, row := range []any{c.Before, c.After} {
		if p, ok := row.(*sim.Participant); ok {
			shown := *p
			shown.ID = shownParticipant(p.ID, p.IsUser)
			c.Row = shown.Row()
		}
	}
	return changedRow{c.Row, rowState(c.Before), rowState(c.After)}
}

// userSecrets is the row of a user with the secret that the state leaves out.
type userSecrets struct {
	api.User
	Password string `json:"password,omitzero"` // fingerprint
}

// clientSecrets is the row of a client with the secret that the state leaves out.
type clientSecrets struct {
	SharedKey string `json:"sharedKey"`
	SecretKey string `json:"secretKey"` // fingerprint
}

// rowState returns a row of a diff as it is in JSON.
func rowState(row any) any {
	switch row := row.(type) {
	case *sim.Institution:
		return newInstitutionRow(row)
	case *sim.Client:
		return clientSecrets{row.SharedKey, redact.Fingerprint(row.SecretKey)}
	case *sim.User:
		user := userSecrets{User: newUserRow(row)}
		if row.Password != "" {
			user.Password = redact.Fingerprint(row.Password)
		}
		return user
	case *sim.Account:
		return newAccountState(row)
	case *sim.Grant:
		return newGrantRow(row)
	case *sim.Group:
		return newGroupRow(row)
	case *sim.Participant:
		return ParticipantRow{shownParticipant(row.ID, row.IsUser)}
	case *sim.Job:
		return newJobState(*row)
	case *sim.AlertPreference:
		return newAlertPreference(row)
	}
	return nil
}

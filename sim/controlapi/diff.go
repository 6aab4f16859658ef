package controlapi

import (
	"cmp"
	"context"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

type diffInput struct {
	SandboxPath
	Since string `query:"since" doc:"The snapshot to compare with, or start. Default: start."`
	Limit *int   `query:"limit" minimum:"0" maximum:"1000" doc:"The maximum number of changes. Default: all."`
}

// getDiff answers with an [api.Diff].
func (c control) getDiff(ctx context.Context, b bank, in *diffInput) (stream, error) {
	since := cmp.Or(in.Since, sandbox.Start)
	changes, err := b.Diff(ctx, b.now, since)
	if err != nil {
		return nil, err
	}
	return largeJSON(func(w *strictjson.Writer) {
		w.Object(func() {
			w.Member("since", since)
			rows := &rowWriter{w, in.Limit, map[string]int{}}
			writeRows(rows, "changes", changes, nil, func(c sim.Change) { w.Value(newChangedRow(c)) })
			if in.Limit != nil {
				w.Member("total", rows.counts["changes"])
			}
		})
	}), nil
}

// changedRow is an [api.Change] before it is encoded. Its sides have the row's own members in the state, not a user's
// accounts or the expiry of a token. They also have fingerprints of the secrets that the state leaves out.
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
	api.UserRow
	Password string `json:"password,omitzero"` // fingerprint
}

// clientRow is the row of a client.
type clientRow struct {
	SharedKey string   `json:"sharedKey"`
	SecretKey string   `json:"secretKey"` // fingerprint
	Scopes    []string `json:"scopes,omitzero"`
}

// rowState returns the value that shows a row of a diff in JSON.
func rowState(row any) any {
	switch row := row.(type) {
	case *sim.Institution:
		return newInstitutionRow(row)
	case *sim.Client:
		return clientRow{row.SharedKey, redact.Fingerprint(row.SecretKey), row.Scopes}
	case *sim.User:
		return userSecrets{newUserRow(row), redact.Fingerprint(row.Password)}
	case *sim.Account:
		return newAccountState(row)
	case *sim.Grant:
		return newGrantRow(row)
	case *sim.Group:
		return newGroupRow(row)
	case *sim.Participant:
		return map[string]any{"participantId": row.ID}
	case *sim.Job:
		return newJobState(*row)
	case *sim.AlertPreference:
		return newAlertPreference(row)
	}
	return nil
}

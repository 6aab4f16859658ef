package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Change is a row in which two worlds differ, before and after; null where it is in one of them only. It has the
// shape that the state gives it, without what stands in rows of its own (a user's accounts, a token's end), and with
// the fingerprints of the secrets that the state leaves out.
type Change struct {
	Row    string `json:"row"` // its table and its key, such as accounts/02688/1001/acc-1001-checking
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// getDiff takes ?since=start|SNAPSHOT (without it, start) and answers {since, changes: [...]}; 404 where there is no
// such snapshot.
func (a api) getDiff(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	query, err := parameters(r, "since")
	if err != nil {
		return err
	}
	diff := struct {
		Since   string   `json:"since"`
		Changes []Change `json:"changes"`
	}{Since: sinceStart}
	snapshot := ""
	if since := query.Get("since"); since != "" && since != sinceStart {
		diff.Since, snapshot = since, since
	}
	changes, err := sb.Diff(snapshot)
	if err != nil {
		return snapshotError(err)
	}
	for _, c := range changes {
		diff.Changes = append(diff.Changes, Change{c.Row, rowState(c.Before), rowState(c.After)})
	}
	return reply(w, diff)
}

// userSecrets is a user's row with the secret that the state leaves out.
type userSecrets struct {
	UserRow
	Password string `json:"password,omitzero"` // fingerprint
}

// clientSecrets is a client's row with the secret that the state leaves out.
type clientSecrets struct {
	SharedKey string `json:"sharedKey"`
	SecretKey string `json:"secretKey"` // fingerprint
}

// rowState returns what a row of a diff is in JSON.
func rowState(row any) any {
	switch row := row.(type) {
	case *sim.Institution:
		return newInstitutionRow(row)
	case *sim.Client:
		return clientSecrets{row.SharedKey, redact.Fingerprint(row.SecretKey)}
	case *sim.User:
		user := userSecrets{UserRow: newUserRow(row)}
		if row.Password != "" {
			user.Password = redact.Fingerprint(row.Password)
		}
		return user
	case *sim.Account:
		return newAccountState(row)
	case *sim.Grant:
		return newGrantRow(row)
	case *sim.Group:
		return newGroupState(row)
	case *sim.AlertPreference:
		return newAlertPreference(row)
	}
	return nil
}

package explanation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Fix is a call of the control API. After it, the same request is not refused for the same reason.
type Fix struct {
	Label  string          `json:"label" doc:"What it does, such as: Set user 1002 active."`
	Method string          `json:"method"`
	Path   string          `json:"path" doc:"Below the path of the sandbox, such as /clock."`
	Body   json.RawMessage `json:"body"`
}

// curl returns the command that makes the call about a sandbox.
func (f Fix) curl(sandbox string) string {
	return fmt.Sprintf("curl -X %s %s/v1/sandboxes/%s%s -d %s", f.Method, Control, sandbox, f.Path, quoted(string(f.Body)))
}

// maxFixes is how many calls are named at most (choice).
const maxFixes = 20

// repair changes the row that a rule looked at. The label has the row in place of %s.
type repair struct {
	label, patch string
	works        func(row any) bool // or nil if it always works
}

var (
	configure = repair{label: "Configure multistatement for %s", patch: `{"multistatement":true}`}
	accept    = repair{"Accept the disclosures of %s", `{"disclosureStatus":"ACCEPTED"}`, canAccept}
)

// repairs are by the rule that refused.
var repairs = map[sim.Code]repair{
	sim.MultistatementNotConfigured:      configure,
	sim.DisclosuresWithoutMultistatement: configure,
	sim.UserNotActive:                    {label: "Set %s active", patch: `{"active":true}`},
	sim.DisclosureNotAccepted:            accept,
	sim.DisclosuresNotAllAccepted:        accept,
	sim.AccountUndisclosed:               accept,
}

// canAccept reports whether a row has a disclosure about statements when all of its disclosures are accepted. A user
// with other disclosures alone gets none.
func canAccept(row any) bool {
	user, isUser := row.(*sim.User)
	return !isUser || len(user.Disclosures) == 0 || slices.ContainsFunc(user.Disclosures, func(d sim.Disclosure) bool {
		return d.Name != sim.DisclosureESIGN && d.Name != sim.DisclosureIB
	})
}

// fixes returns the calls that remove the reason of a refusal, or of a failure of accounts. The list is never nil.
func (p Past) fixes(x journal.Exchange) []Fix {
	rule := sim.Code(x.Decision.Rule)
	keys := strings.Split(x.Decision.Row, "/")[1:]
	switch r, known := repairs[rule]; {
	case x.Decision.Outcome == journal.Accepted && bankStatus(x) == contract.UpdatedPartly.Status:
		return p.accountFixes(x)
	case x.Decision.Outcome != journal.Refused:
	case known:
		if row := p.row(keys); row != nil && (r.works == nil || r.works(row)) {
			return []Fix{newFix(r.label, r.patch, keys...)}
		}
	case rule == sim.GroupBusy || rule == sim.JobRunning:
		return p.jobFix(x, keys)
	}
	return []Fix{}
}

// row returns the institution, user or account that has the keys, or nil.
func (p Past) row(keys []string) any {
	switch len(keys) {
	case 1:
		if i, ok := p.World.Institution(keys[0]); ok {
			return i
		}
	case 2:
		if u, ok := p.World.User(keys[0], keys[1]); ok {
			return u
		}
	case 3:
		if a, ok := p.World.Account(keys[0], keys[1], keys[2]); ok {
			return a
		}
	}
	return nil
}

// newFix returns the fix that patches an institution, a user or an account.
func newFix(label, patch string, keys ...string) Fix {
	path, kind := "", ""
	for i, key := range keys {
		kind = []string{"institution", "user", "account"}[i]
		path += "/" + kind + "s/" + strings.ReplaceAll(url.QueryEscape(key), "+", "%20") // safe in a shell, too
	}
	label = fmt.Sprintf(label, kind+" "+keys[len(keys)-1])
	return Fix{label, http.MethodPatch, path, json.RawMessage(patch)}
}

// jobFix moves the clock to the end of a job. A job that a scenario holds has no end.
func (p Past) jobFix(x journal.Exchange, keys []string) []Fix {
	if len(keys) != 2 {
		return []Fix{}
	}
	job, err := p.World.Job(keys[0], keys[1])
	if err != nil || job.Work == nil {
		return []Fix{}
	}
	advance := fmt.Sprintf("%dh", max(1, (job.Work.Ends.Sub(x.At)+time.Hour-1)/time.Hour))
	body := wire.MustEncode(map[string]string{"advance": advance})
	return []Fix{{"Move the clock by " + advance, http.MethodPost, "/clock", body}}
}

// accountFixes let the accounts be updated that an update of all accounts has left alone.
func (p Past) accountFixes(x journal.Exchange) []Fix {
	all := []Fix{}
	var partly struct {
		Failed []string `json:"failedAccounts"`
	}
	_, grant := p.issued(fingerprint.FindString(x.Request.Headers.Get("Authorization")))
	if grant == nil || json.Unmarshal([]byte(x.Response.Body), &partly) != nil {
		return all
	}
	for _, id := range partly.Failed[:min(len(partly.Failed), maxFixes)] {
		all = append(all, newFix("Let %s be updated", `{"updateFails":false}`, grant.InstitutionID, x.User, id))
	}
	return all
}

package explanation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Fix is a call of the control API. After it, the same request is not refused for the same reason.
type Fix struct {
	Label  string          `json:"label" doc:"What the call does, such as: Set user 1002 active."`
	Method string          `json:"method"`
	Path   string          `json:"path" doc:"The path below the path of the sandbox, such as /clock."`
	Body   json.RawMessage `json:"body"`
}

// curl returns the command that makes the call about a sandbox. If the control API is guarded, the command takes the
// token from the variable that the program reads, too.
func (f Fix) curl(sandbox string, guarded bool) string {
	header := ""
	if guarded {
		header = `-H "Authorization: Bearer $BANKSIM_CONTROL_TOKEN" `
	}
	return fmt.Sprintf("curl -fsS -X %s %s%s/v1/sandboxes/%s%s -d %s",
		f.Method, header, Control, sandbox, f.Path, wording.ShellQuote(string(f.Body)))
}

// repair patches the row that a rule looked at. Its label has the row in place of %s.
type repair struct{ label, patch string }

var (
	repairMultistatement = repair{"Configure multistatement for %s", `{"multistatement":true}`}
	repairDisclosures    = repair{"Accept the disclosures of %s", `{"disclosureStatus":"ACCEPTED"}`}
	repairUpdate         = repair{"Let %s be updated", `{"updateFails":false}`}
)

// repairs are by the rule that refused.
var repairs = map[sim.Code]repair{
	sim.MultistatementNotConfigured:      repairMultistatement,
	sim.DisclosuresWithoutMultistatement: repairMultistatement,
	sim.UserNotActive:                    {"Set %s active", `{"active":true}`},
	sim.DisclosureNotAccepted:            repairDisclosures,
	sim.DisclosuresNotAllAccepted:        repairDisclosures,
	sim.AccountUndisclosed:               repairDisclosures,
	sim.UserLocked:                       {"Unlock %s", `{"locked":false}`},
}

// maxFixes is how many calls are named at most (choice).
const maxFixes = 20

// fixes returns the calls that remove the reason of a refusal, or of accounts that were left alone. The list is never
// nil.
func (b Bank) fixes(x journal.Exchange) []Fix {
	all := []Fix{}
	switch row := x.Decision.Row; x.Decision.Outcome {
	case journal.Accepted:
		if bankStatus(x) == contract.UpdatedPartly.Status {
			for _, account := range b.failedAccounts(x) {
				all = append(all, repairUpdate.of(account)...)
			}
		}
	case journal.Refused:
		all = append(all, repairs[sim.Code(x.Decision.Rule)].of(row)...)
		if keys := strings.Split(row, "/"); keys[0] == "jobs" {
			job, err := b.World.Job(keys[1], keys[2])
			if err == nil && job.Work != nil { // else a scenario holds the job, which has no end
				all = append(all, untilEnd(job, x.At))
			}
		}
	}
	return all
}

// levels are the rows that a path of the control API leads through.
var levels = []string{"institution", "user", "account"}

// of returns the fix for a row, or no fix if the row is no institution, user or account.
func (r repair) of(row string) []Fix {
	keys, path := strings.Split(row, "/"), ""
	last := len(keys) - 2 // the level of the row
	if r.patch == "" || last < 0 || last >= len(levels) || keys[0] != levels[last]+"s" {
		return nil
	}
	for i, key := range keys[1:] { // escaped for a shell, too
		path += "/" + levels[i] + "s/" + strings.ReplaceAll(url.QueryEscape(key), "+", "%20")
	}
	label := fmt.Sprintf(r.label, levels[last]+" "+keys[last+1])
	return []Fix{{label, http.MethodPatch, path, json.RawMessage(r.patch)}}
}

// untilEnd moves the clock beyond the end of a job.
func untilEnd(job *sim.Job, now time.Time) Fix {
	by := fmt.Sprintf("%dh", job.Work.Ends.Sub(now)/time.Hour+1)
	return Fix{"Move the clock by " + by, http.MethodPost, "/clock", json.RawMessage(`{"advance":"` + by + `"}`)}
}

// failedAccounts returns the rows of the accounts that an update of all accounts has left alone.
func (b Bank) failedAccounts(x journal.Exchange) (rows []string) {
	var partly struct {
		Failed []string `json:"failedAccounts"`
	}
	_, grant := b.issued(anyFingerprint().FindString(x.Request.Headers.Get("Authorization")))
	if grant == nil || json.Unmarshal([]byte(x.Response.Body), &partly) != nil {
		return nil
	}
	for _, id := range partly.Failed[:min(len(partly.Failed), maxFixes)] {
		rows = append(rows, "accounts/"+grant.InstitutionID+"/"+x.User+"/"+id)
	}
	return rows
}

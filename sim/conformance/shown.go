package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// simulatorURL is the base URL of the simulator in this process.
const simulatorURL = "http://example.com"

// maxShown bounds a body in a report, in bytes (choice).
const maxShown = 4000

// show adds to differences the exchange that shows them, without secrets: the request, the service's answer,
// and the simulator's.
func (r *replay) show(found []Drift, x comparison, golden fixtures.Request, got answer) {
	if len(found) == 0 {
		return
	}
	sent := r.sub.withIDs(golden, r.ids)
	shown := report.Shown{
		Case: r.exchange.Name,
		Curl: r.check.hide(curl(r.check.cfg.BaseURL, sent)),
		Got:  r.check.hide(answerText(got.status, got.header, got.body)),
		At:   time.Now().UTC().Format(time.RFC3339), RequestID: requestIDOf(sent),
	}
	expected := http.Header{}
	for name, value := range x.Answer.Headers {
		expected.Set(name, cmp.Or(r.sub.requestIDs[value], value))
	}
	shown.Expected = strings.ReplaceAll(r.check.hide(answerText(x.Answer.Status, expected, x.sub.json(x.Answer.JSON))),
		simulatorURL, r.check.cfg.BaseURL)
	for _, before := range x.Before {
		if before.Method != "" {
			shown.Steps = append(shown.Steps, before.Method+" "+before.Path)
		}
	}
	for i := range found {
		if found[i].shown == nil {
			found[i].shown = &shown
		}
	}
}

// curl returns a command that sends a request.
func curl(baseURL string, r fixtures.Request) string {
	text := "curl -i -X " + r.Method + " " + shellQuoted(baseURL+r.Path)
	if r.Method == http.MethodHead {
		text = "curl --head " + shellQuoted(baseURL+r.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		text += " \\\n  -H " + shellQuoted(name+": "+r.Headers[name])
	}
	if content := r.Content(); content != "" {
		text += " \\\n  --data-binary " + shellQuoted(content)
	}
	return text
}

func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// answerText returns an answer with the headers that a check compares.
func answerText(status int, header http.Header, body []byte) string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		canonical := http.CanonicalHeaderKey(name)
		if isRequestID(name) || slices.Contains(comparedHeaders, canonical) {
			text += "\n" + canonical + ": " + strings.Join(header[name], ", ")
		}
	}
	if len(body) > maxShown {
		body = append(slices.Clone(body[:maxShown]), "…"...)
	}
	return strings.TrimRight(text+"\n\n"+string(body), "\n")
}

// comparedHeaders are the headers that the simulator's answers may have, beside the one that identifies the request.
var comparedHeaders = []string{
	"Allow", http.CanonicalHeaderKey(contract.ContentType.Name), contract.CacheControl.Name, contract.Pragma.Name,
	http.CanonicalHeaderKey(contract.ChallengeHeader.Name), contract.RetryAfter.Name,
}

// requestIDOf returns the id of a request, or "".
func requestIDOf(r fixtures.Request) string {
	for name, value := range r.Headers {
		if isRequestID(name) {
			return value
		}
	}
	return ""
}

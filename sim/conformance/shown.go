package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// simulatorURL is the base URL of the simulator in this process.
const simulatorURL = "http://example.com"

// maxShown bounds a body in a report, in bytes (choice).
const maxShown = 4000

// maxMasked is how long a body may be to be shown, in bytes (choice): its secrets have to be found first.
const maxMasked = 64 << 10

// show adds to differences the exchange that shows them, without secrets: the request, the service's answer,
// and the simulator's.
func (r *replay) show(found []Difference, a asked) {
	if len(found) == 0 {
		return
	}
	sent := r.sub.withIDs(a.Request, r.ids)
	shown := report.Shown{
		Case: r.exchange.Name,
		Curl: r.check.hide(curl(r.check.cfg.BaseURL, sent)),
		Got:  r.check.answerText(a.Operation(), a.got.status, a.got.header, a.got.body),
		At:   time.Now().UTC().Format(time.RFC3339), RequestID: requestIDOf(sent),
	}
	expected := http.Header{}
	for name, value := range a.Answer.Headers {
		expected.Set(name, cmp.Or(r.sub.requestIDs[value], value))
	}
	wanted := r.check.answerText(a.Operation(), a.Answer.Status, expected, r.sub.json(a.Answer.JSON))
	shown.Expected = strings.ReplaceAll(wanted, simulatorURL, r.check.cfg.BaseURL)
	for _, before := range a.Before {
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
	text := "curl -i -X " + r.Method + " " + wording.ShellQuote(baseURL+r.Path)
	if r.Method == http.MethodHead {
		text = "curl --head " + wording.ShellQuote(baseURL+r.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		text += " \\\n  -H " + wording.ShellQuote(name+": "+r.Headers[name])
	}
	if content := r.Content(); content != "" {
		text += " \\\n  --data-binary " + wording.ShellQuote(content)
	}
	return text
}

// answerText returns an operation's answer without secrets, with the headers that a check compares.
func (r *replayer) answerText(operation string, status int, headers http.Header, body []byte) string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		isShown := func(h contract.Header) bool { return strings.EqualFold(h.Name, name) }
		if isRequestID(name) || slices.ContainsFunc(comparedHeaders, isShown) {
			text += "\n" + http.CanonicalHeaderKey(name) + ": " + strings.Join(headers[name], ", ")
		}
	}
	if len(body) > maxMasked {
		return fmt.Sprintf("%s\n\n%d KiB, too many to show", r.hide(text), len(body)>>10)
	}
	shown := r.hide(string(maskedBody(operation, status, body)))
	if len(shown) > maxShown { // cut last: half a secret would not be found
		shown = shown[:maxShown] + "…"
	}
	return strings.TrimRight(r.hide(text)+"\n\n"+shown, "\n")
}

// mask replaces secrets in reports, but for empty ones.
var mask redact.Each = func(_, _, secret string) string {
	if secret == "" {
		return ""
	}
	return hidden
}

// hidden stands in the place of a secret.
const hidden = "***"

// secretName matches the names of members with secrets, also in spellings that the contract doesn't have.
var secretName = lazy.Regexp(`(?i)[\w-]*(?:token|secret|password)s?\b`)

// maskedBody returns an answer's body without the values of members that are secret by the contract or by their names.
// Of an answer about tokens, it returns nothing if another member may have one.
func maskedBody(operation string, status int, body []byte) []byte {
	isOfTokens := strings.HasPrefix(operation, "tokens.") && status < http.StatusBadRequest
	if isOfTokens && len(body) > 0 && !hasKnownMembers(body) {
		return []byte(hidden)
	}
	names := secretName().FindAllString(string(body), -1)
	slices.Sort(names)
	return mask.AnswerBody(body, operation, status, slices.Compact(names)...)
}

// hasKnownMembers reports whether a body is an object with members that answers about tokens have, and with others
// whose names say that they are secret.
func hasKnownMembers(body []byte) bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		return false
	}
	var known []string
	for _, op := range contract.AllOperations() {
		for _, a := range op.Answers {
			if op.Kind() == "tokens" && a.Body != nil {
				a.Body.Walk(func(m contract.Member) { known = append(known, m.Name) })
			}
		}
	}
	for name := range object {
		if secretName().FindString(name) != name && !slices.Contains(known, name) {
			return false
		}
	}
	return true
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

package explanation

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Copies are what one can go on with from an exchange.
type Copies struct {
	Curl  string      `json:"curl" doc:"A command for sh that sends the request again. It has the tokens and clients of the scenario, $TOKEN for others, and fingerprints for other secrets."`
	Fault *fault.Rule `json:"fault" doc:"A fault rule for POST …/faults that makes the next request to the operation fail, or null if the request was to no operation."`
	Notes []string    `json:"notes" doc:"What the command can't repeat."`
}

func (b Bank) newCopies(x journal.Exchange) Copies {
	command, notes := b.curl(x)
	if anyFingerprint().MatchString(command) {
		notes = append(notes, "What begins with tok_ is a fingerprint: put the secret that was sent in its place.")
	}
	if strings.ContainsRune(x.Request.URL+x.Request.Body, unicode.ReplacementChar) {
		notes = append(notes, "Bytes that are not UTF-8 have become the character U+FFFD.")
	}
	rule := sim.Code(x.Decision.Rule)
	if x.Decision.Outcome == journal.Refused && slices.Contains(circumstances, rule) {
		notes = append(notes, fmt.Sprintf("The command doesn't bring about what decided: %s is about the simulator "+
			"as it was then, and not about the request.", rule))
	}
	return Copies{command, failure(x), notes}
}

// credentialsToSend returns what follows the scheme in an Authorization header, by the fingerprint of it: a token or a
// client of the scenario. It returns "" for others.
func (b Bank) credentialsToSend(fingerprint string) string {
	if token, _ := b.issued(fingerprint); token != nil && token.IsListed() {
		return token.Text
	}
	for i := range b.World.Institutions() {
		for client := range b.World.Clients(i.InstitutionID) {
			pair := base64.StdEncoding.EncodeToString([]byte(client.SharedKey + ":" + client.SecretKey))
			if redact.Fingerprint(pair) == fingerprint {
				return pair
			}
		}
	}
	return ""
}

// fingerprintForm is what the journal has in the place of a secret.
const fingerprintForm = `tok_[0-9a-f]{12}`

var anyFingerprint = lazy.Regexp(fingerprintForm)

// unseen are the characters that a copy can't show.
var unseen = lazy.Regexp(`[^\pL\pM\pN\pP\pS\p{Zs}]`)

// curl returns a command that sends the request again, and notes about the rest. It works in any shell that POSIX
// describes, and in zsh. The notes are never nil.
func (b Bank) curl(x journal.Exchange) (command string, notes []string) {
	r, words, notes := x.Request, []string{"curl", "-i"}, []string{}
	if strings.ContainsAny(r.URL, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(r.URL, "/.") {
		words = append(words, "--path-as-is")
	}
	switch {
	case r.Method == http.MethodHead:
		words = append(words, "--head")
	case r.Method != http.MethodGet || r.BodyBytes > 0:
		words = append(words, "-X", r.Method)
	}
	words = append(words, wording.ShellQuote(percentEncoded(r.URL)))
	for name, value := range r.Headers.All() {
		switch {
		case !isRead(x, name, value):
		case unseen().MatchString(value):
			notes = append(notes, "The header "+name+" is left out: it has characters that can't be shown.")
		case value == "":
			words = append(words, "-H", wording.ShellQuote(name+";"))
		case strings.EqualFold(name, "Authorization"):
			word, isKnown := b.authorizationWord(value)
			words = append(words, "-H", word)
			if !isKnown {
				notes = append(notes, "The scenario doesn't list the credentials that were sent: set the variable "+
					"TOKEN to them. After Basic, they are base64 of key:secret.")
			}
		default:
			words = append(words, "-H", wording.ShellQuote(name+": "+value))
		}
	}
	if r.BodyBytes > 0 {
		if r.Headers.Get("Content-Type") == "" {
			words = append(words, "-H", "'Content-Type:'") // curl would say that it is a form
		}
		body, note := bodyToSend(r)
		if note != "" {
			notes = append(notes, note)
		}
		words = append(words, "--data-binary", wording.ShellQuote(body))
	}
	return strings.Join(words, " "), notes
}

// isRead reports whether the bank reads a header, so that a command needs it.
func isRead(x journal.Exchange, name, value string) bool {
	switch {
	case strings.EqualFold(name, "Accept") && value == "*/*": // that is the same as no header
		return false
	case name == contract.SandboxHeader && value != x.Sandbox: // a fingerprint, which may not have counted
		return false
	}
	read := append(contract.RequestHeaders(), "Accept", "Origin", "Access-Control-Request-Method",
		"Access-Control-Request-Headers", fault.Header, contract.SandboxHeader)
	return slices.ContainsFunc(read, func(known string) bool { return strings.EqualFold(known, name) })
}

// authorizationWord returns the header Authorization as a word of a command. It has credentials of the scenario in the
// place of their fingerprint, and $TOKEN in the place of unknown ones.
func (b Bank) authorizationWord(value string) (word string, isKnown bool) {
	fingerprint, header := anyFingerprint().FindString(value), "Authorization: "+value
	if fingerprint == "" {
		return wording.ShellQuote(header), true
	}
	if known := b.credentialsToSend(fingerprint); known != "" {
		return wording.ShellQuote(strings.Replace(header, fingerprint, known, 1)), true
	}
	before, _, _ := strings.Cut(header, fingerprint)
	return wording.ShellQuote(before) + `"$TOKEN"`, false
}

// bodyToSend returns the body as curl takes it, or the name of a file and a note if the journal doesn't have the body.
func bodyToSend(r journal.Request) (body, note string) {
	switch {
	case r.BodyTruncated:
		return "@body", fmt.Sprintf("The body is missing: it had %d bytes, of which the journal has no more than the "+
			"beginning. Put it into the file body.", r.BodyBytes)
	case json.Valid([]byte(r.Body)):
		return visible(r.Body), ""
	case redact.IsForm(r.Headers.Get("Content-Type")):
		return percentEncoded(r.Body), ""
	case strings.ContainsRune(r.Body, unicode.ReplacementChar) || visible(r.Body) != r.Body:
		return "@body", "The body is missing: it has characters that can't be shown. Put it into the file body."
	}
	return r.Body, ""
}

// percentEncoded returns a URL, or a form, with the characters encoded that can't be seen.
func percentEncoded(text string) string { return unseen().ReplaceAllStringFunc(text, url.QueryEscape) }

// visible escapes the characters of a text that could control a terminal or can't be seen, as JSON escapes them. Line
// breaks and tabs stay.
func visible(text string) string {
	return unseen().ReplaceAllStringFunc(text, func(c string) (escaped string) {
		if strings.Contains("\t\r\n", c) {
			return c
		}
		for _, unit := range utf16.Encode([]rune(c)) {
			escaped += fmt.Sprintf(`\u%04x`, unit)
		}
		return escaped
	})
}

// circumstances are the rules that refuse a request because of the state of the simulator, whatever the request is.
var circumstances = []sim.Code{
	contract.SandboxMissing, contract.SandboxContradiction, contract.GenerationEnded, contract.Overloaded,
	contract.InternalFault,
}

// failure returns a rule that makes the next request to the operation fail with an error that the operation documents:
// with a status from 500 on if there is one.
func failure(x journal.Exchange) *fault.Rule {
	op := contract.Document().Operation(x.Operation)
	if op == nil {
		return nil
	}
	rule := &fault.Rule{Operation: fault.Operations{op.Name}, When: fault.When{First: 1}}
	for _, injection := range op.Injections() {
		if rule.Then.Status = injection.Status; injection.Status >= 500 {
			break
		}
	}
	return rule
}

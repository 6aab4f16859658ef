package explanation

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// request is the request of an exchange as it can be sent again.
type request struct {
	method  string
	baseURL string
	path    string // with the query
	headers []header
	body    text
	notes   []string

	hasBody bool
	noBody  string // why the journal doesn't have the body; empty: it has
	secrets []*secret
}

type header struct {
	name  string
	value text
}

// text is a text with secrets in it.
type text []part

// part is a piece of a text: itself, or a secret.
type part struct {
	plain  string
	secret *secret // nil: it is plain
}

// secret is a value that the journal has only the fingerprint of.
type secret struct {
	variable    string // that stands for it
	about       string // what it is
	fingerprint string
}

// fingerprint matches what the journal has in the place of a secret.
var fingerprint = regexp.MustCompile(`tok_[0-9a-f]{12}`)

func newRequest(x journal.Exchange) *request {
	r := &request{method: x.Request.Method, path: x.Request.Path, notes: []string{}}
	path, query, _ := strings.Cut(x.Request.URL, "?")
	r.baseURL = strings.TrimSuffix(path, r.path)
	if query != "" {
		r.path += "?" + query
	}
	r.path = percentEncoded(r.path)
	r.addHeaders(x)
	r.addBody(x)
	if r.hasFingerprints() {
		r.note("What begins with tok_ is a fingerprint: the journal doesn't have the text that was sent.")
	}
	if strings.ContainsRune(r.path+x.Request.Body, unicode.ReplacementChar) {
		r.note("Bytes that are not UTF-8 have become the character U+FFFD.")
	}
	return r
}

// hasFingerprints reports whether there are some beside the secrets.
func (r *request) hasFingerprints() bool {
	all := append(text{{plain: r.method + " " + r.path}}, r.body...)
	for _, h := range r.headers {
		all = append(all, h.value...)
	}
	return slices.ContainsFunc(all, func(p part) bool { return fingerprint.MatchString(p.plain) })
}

func (r *request) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// invisible matches characters that can't be seen where a copy is pasted, and unprintable those that can't be part of a command.
var (
	invisible   = regexp.MustCompile(`[^\pL\pM\pN\pP\pS\p{Zs}]`)
	unprintable = regexp.MustCompile(`[^\pL\pM\pN\pP\pS\p{Zs}\t\r\n]|\x{FFFD}`)
)

// percentEncoded returns a URL, or a form, with the characters encoded that can't be seen.
func percentEncoded(text string) string { return invisible.ReplaceAllStringFunc(text, url.QueryEscape) }

// addHeaders adds the headers that the bank reads.
func (r *request) addHeaders(x journal.Exchange) {
	read := append(contract.RequestHeaders(), "Accept", "Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers",
		fault.Header, contract.SandboxHeader)
	for _, name := range slices.Sorted(maps.Keys(x.Request.Headers)) {
		for _, value := range x.Request.Headers[name] {
			switch {
			case !slices.ContainsFunc(read, func(known string) bool { return strings.EqualFold(known, name) }):
			case strings.EqualFold(name, "Authorization"):
				r.headers = append(r.headers, header{name, r.authorization(value)})
			case strings.EqualFold(name, "Accept") && value == "*/*": // the same as none
			case name == contract.SandboxHeader && value != x.Sandbox: // a fingerprint, which may not have counted
			case invisible.MatchString(value):
				r.note("The header %s is left out: it has characters that can't be shown.", name)
			default:
				r.headers = append(r.headers, header{name, text{{plain: value}}})
			}
		}
	}
}

// authorization returns the value of the header Authorization.
func (r *request) authorization(value string) text {
	at := fingerprint.FindStringIndex(value)
	if at == nil {
		return text{{plain: value}}
	}
	scheme, mark := value[:at[0]], value[at[0]:at[1]]
	variable, about := "TOKEN", "the value of the header Authorization"
	switch strings.ToLower(strings.TrimSpace(scheme)) {
	case "bearer":
		about = "the access token"
	case "basic":
		variable, about = "CREDENTIALS", "the base64 of sharedKey:secretKey"
	}
	return text{{plain: scheme}, {secret: r.secret(variable, about, mark)}}
}

// secret returns the secret with a fingerprint. It gets the variable, or a numbered one if another secret has that.
func (r *request) secret(variable, about, mark string) *secret {
	count := 1
	for _, s := range r.secrets {
		if s.fingerprint == mark {
			return s
		}
		if s.variable == variable || strings.HasPrefix(s.variable, variable+"_") {
			count++
		}
	}
	if count > 1 {
		variable = fmt.Sprintf("%s_%d", variable, count)
	}
	s := &secret{variable, about, mark}
	r.secrets = append(r.secrets, s)
	return s
}

// addBody adds the body, if the journal has enough of it.
func (r *request) addBody(x journal.Exchange) {
	body := x.Request.Body
	form := redact.IsForm(http.Header(x.Request.Headers).Get("Content-Type"))
	valid := json.Valid([]byte(body))
	switch {
	case x.Request.BodyBytes == 0:
		return
	case x.Request.BodyTruncated:
		r.noBody = fmt.Sprintf("the body had %d bytes, of which the journal has no more than the beginning", x.Request.BodyBytes)
	case !form && !valid && unprintable.MatchString(body):
		r.noBody = "it has characters that can't be shown"
	}
	r.hasBody = true
	if r.noBody != "" {
		r.note("The body is missing: %s.", r.noBody)
		return
	}
	if valid {
		body = Visible(body)
	} else if form {
		body = percentEncoded(body)
	}
	r.body = r.bodyText(body, form)
}

// Visible returns a text with the characters escaped, as JSON escapes them, that could control a terminal or can't be seen. Line
// breaks and tabs stay.
func Visible(text string) string {
	return invisible.ReplaceAllStringFunc(text, func(c string) (escaped string) {
		if strings.Contains("\t\r\n", c) {
			return c
		}
		for _, unit := range utf16.Encode([]rune(c)) {
			escaped += fmt.Sprintf(`\u%04x`, unit)
		}
		return escaped
	})
}

// bodyText returns a body with its secrets.
func (r *request) bodyText(body string, form bool) text {
	pattern, about := secretMembers, "the member %s of the body"
	if form {
		pattern, about = secretPairs, "the member %s of the form, URL-encoded"
	}
	var all text
	rest := body
	for {
		at := pattern.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		name, mark := rest[at[2]:at[3]], rest[at[4]:at[5]]
		all = append(all, part{plain: rest[:at[4]]}, part{secret: r.secret(variableOf(name), fmt.Sprintf(about, name), mark)})
		rest = rest[at[5]:]
	}
	return append(all, part{plain: rest}).joined()
}

// secretMembers and secretPairs match members in JSON and in a form whose values are fingerprints, with their names.
var (
	secretMembers = regexp.MustCompile(`"([^"\\]*)"\s*:\s*"(tok_[0-9a-f]{12})"`)
	secretPairs   = regexp.MustCompile(`(?:^|&)([^&=]*)=(tok_[0-9a-f]{12})`)
)

var (
	notInVariables = regexp.MustCompile(`[^A-Z0-9]+`)
	inCamelCase    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// variableOf returns the name of a variable for a member: BANK_CARD_NUMBER. Its beginning keeps it from being one that
// shells have.
func variableOf(member string) string {
	return "BANK_" + notInVariables.ReplaceAllString(strings.ToUpper(inCamelCase.ReplaceAllString(member, "${1}_${2}")), "_")
}

// curl returns a command that sends the request again. It is for any shell that POSIX describes, and for zsh, into which it
// may be pasted: so it has no comments, and what it lacks it asks for as a shell does, by ${VARIABLE:?what to set}.
func (r *request) curl() string {
	words := []string{"curl", "-i"}
	if strings.ContainsAny(r.path, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(r.path, "/.") {
		words = append(words, "--path-as-is")
	}
	switch r.method {
	case http.MethodGet:
		if r.hasBody {
			words = append(words, "-X", "GET")
		}
	case http.MethodHead:
		words = append(words, "--head")
	default:
		words = append(words, "-X", r.method)
	}
	words = append(words, quoted(r.baseURL+r.path))
	named := false
	for _, h := range r.headers {
		named = named || strings.EqualFold(h.name, "Content-Type")
		words = append(words, "-H", h.argument())
	}
	if r.hasBody {
		if !named {
			words = append(words, "-H", "'Content-Type:'") // curl would say that it is a form
		}
		words = append(words, "--data-binary", r.data())
	}
	return strings.Join(words, " ")
}

// argument returns the header as curl takes it.
func (h header) argument() string {
	if len(h.value.joined()) == 0 {
		return quoted(h.name + ";") // an empty header
	}
	return append(text{{plain: h.name + ": "}}, h.value...).shell()
}

// data returns what curl sends as the body.
func (r *request) data() string {
	if r.noBody != "" {
		return `"@${BODY:?set it to a file with the body: ` + r.noBody + `}"`
	}
	return r.body.shell()
}

// shell returns the text as a word of a shell, with its secrets as variables that must be set.
func (t text) shell() string {
	plain, around, quote := quoted, "", `"`
	if t.simple() {
		plain, around, quote = strings.Clone, `"`, ""
	}
	word := around
	for _, p := range t.joined() {
		if s := p.secret; s != nil {
			word += fmt.Sprintf("%s${%s:?set it to %s, which the journal has as %s}%s", quote, s.variable, s.about, s.fingerprint, quote)
		} else {
			word += plain(p.plain)
		}
	}
	return word + around
}

// simple reports whether the text has secrets, and can stand between double quotes as it is.
func (t text) simple() bool {
	secrets := false
	for _, p := range t {
		secrets = secrets || p.secret != nil
		if strings.ContainsAny(p.plain, "\"\\$`!\n\r") {
			return false
		}
	}
	return secrets
}

// joined returns the text with as few parts as there can be: at least one, unless it is empty.
func (t text) joined() text {
	var all text
	for _, p := range t {
		if last := len(all) - 1; last >= 0 && p.secret == nil && all[last].secret == nil {
			all[last].plain += p.plain
		} else if p.secret != nil || p.plain != "" {
			all = append(all, p)
		}
	}
	return all
}

// quoted returns a text in single quotes, in which a shell reads every other character as itself.
func quoted(plain string) string { return "'" + strings.ReplaceAll(plain, "'", `'\''`) + "'" }

// Copies are what one can go on with from an exchange.
type Copies struct {
	Curl  string      `json:"curl" about:"A command for sh that sends the request again. Secrets are shell variables that must be set."`
	Fault *fault.Rule `json:"fault" about:"For POST …/faults: the next request to the operation fails; null: it is no operation's."`
	Notes []string    `json:"notes" about:"What the command lacks."`
}

func newCopies(x journal.Exchange) Copies {
	r := newRequest(x)
	rule := sim.Code(x.Decision.Rule)
	if x.Decision.Outcome == journal.Refused && slices.Contains(circumstances, rule) {
		r.note("The command doesn't bring about what decided: %s is about the simulator as it was then, and not about the request.", rule)
	}
	return Copies{Curl: r.curl(), Fault: failure(x), Notes: r.notes}
}

// circumstances are the rules that refuse a request for how the simulator was started, or what happened to it meanwhile.
var circumstances = []sim.Code{contract.SandboxMissing, contract.SandboxContradiction, contract.GenerationEnded, contract.Overloaded,
	contract.InternalFault}

// failure returns a rule that makes the next request to the operation fail, with an error that its description lists: an
// unexpected fault of the service if it has one.
func failure(x journal.Exchange) *fault.Rule {
	op, ok := contract.Find(x.Operation)
	if !ok {
		return nil
	}
	rule := &fault.Rule{Operation: fault.On(op.Name), When: fault.When{First: 1}}
	for _, injection := range op.Injections() {
		if rule.Then.Status = injection.Status; injection.Status >= 500 {
			break
		}
	}
	return rule
}

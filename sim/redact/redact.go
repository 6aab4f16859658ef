// Package redact replaces secrets by fingerprints in what is kept of an exchange: credentials, cookies, and the values that the
// contract marks secret. Everything else stays as it was sent, so that a developer can read his own requests.
package redact

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// names are those that the contract marks secret, of members and of parameters. They count in any case.
type names []string

// inRequests are the names for requests. Answers echo what a request has, but in them the names of error bodies are no secrets.
// Operations that answer no secrets are not in answersSecrets.
var inRequests, inAnswers, answersSecrets = declared()

func declared() (requests, answers names, secrets map[string]bool) {
	secrets = map[string]bool{}
	for _, op := range contract.AllSpoken() {
		requests.add(op.Request)
		for _, answer := range op.Answers {
			requests.add(answer.Body)
		}
		secrets[op.Name] = secrets[op.Name] || op.AnswersSecrets()
	}
	answers = slices.DeleteFunc(slices.Clone(requests), func(name string) bool {
		return slices.ContainsFunc(contract.AllSpoken(), func(op *contract.Operation) bool {
			_, plain := op.Family.ErrorBody.Member(name)
			return plain
		})
	})
	return requests, answers, secrets
}

func (n *names) add(object *contract.Object) {
	if object != nil {
		object.Walk(func(m contract.Member) {
			if m.Secret && !n.have(m.Name) {
				*n = append(*n, m.Name)
			}
		})
	}
}

func (n names) have(name string) bool {
	for _, secret := range n {
		if strings.EqualFold(name, secret) {
			return true
		}
	}
	return false
}

// Header returns what may be kept of the value of a header. The scheme of credentials stays.
func Header(name, value string) string {
	switch {
	case strings.EqualFold(name, "Authorization"), strings.EqualFold(name, "Proxy-Authorization"):
		if scheme, credentials, found := strings.Cut(value, " "); found && schemes.have(scheme) {
			return scheme + " " + Text(credentials)
		}
		return Text(value)
	case strings.EqualFold(name, "Cookie"), strings.EqualFold(name, "Set-Cookie"):
		return Text(value)
	}
	return value
}

// schemes are those of credentials. Any other text before a space may be part of a secret.
var schemes = names{"Bearer", "Basic", "Digest", "Negotiate", "DPoP"}

// Parameter returns what may be kept of the value of a parameter or a form's member.
func Parameter(name, value string) string {
	if inRequests.have(name) {
		return Text(value)
	}
	return value
}

// Query returns what may be kept of a query or a form. Some clients separate pairs by semicolons.
func Query(query string) string {
	var masked strings.Builder
	done := 0
	for at := 0; at < len(query); {
		end := at + len(query[at:])
		if next := strings.IndexAny(query[at:], "&;"); next >= 0 {
			end = at + next
		}
		rawName, rawValue, _ := strings.Cut(query[at:end], "=")
		if name, value := unescape(rawName), unescape(rawValue); rawValue != "" && inRequests.have(name) {
			masked.WriteString(query[done : end-len(rawValue)])
			masked.WriteString(Text(value))
			done = end
		}
		at = end + 1
	}
	if done == 0 {
		return query
	}
	return masked.String() + query[done:]
}

func unescape(text string) string {
	if unescaped, err := url.QueryUnescape(text); err == nil {
		return unescaped
	}
	return text
}

// IsForm reports whether a Content-Type is that of a form.
func IsForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

// RequestBody returns what may be kept of a request's body, or of its beginning. The result may be the body itself.
func RequestBody(body []byte, contentType string) []byte {
	switch {
	case json.Valid(body):
		return maskJSON(body, inRequests)
	case IsForm(contentType):
		return []byte(Query(string(body)))
	}
	return maskText(body, textInRequests)
}

// AnswerBody returns what may be kept of the body that an operation answered. The result may be the body itself.
func AnswerBody(body []byte, operation string) []byte {
	switch {
	case !answersSecrets[operation]:
		return body
	case json.Valid(body):
		return maskJSON(body, inAnswers)
	}
	return maskText(body, textInAnswers)
}

// maskJSON masks the values of secret members in a valid JSON text, at any depth.
func maskJSON(text []byte, secret names) []byte {
	var masked []byte
	done := 0
	for at := 0; at < len(text); {
		if text[at] != '"' {
			at++
			continue
		}
		end := endOfValue(text, at)
		name := text[at+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(unquote(text[at:end]))
		}
		if at = skipSpace(text, end); at == len(text) || text[at] != ':' || !secret.have(string(name)) {
			continue
		}
		start := skipSpace(text, at+1)
		at = endOfValue(text, start)
		if value := secretText(text[start:at]); value != "" {
			masked = append(append(masked, text[done:start]...), `"`+Fingerprint(value)+`"`...)
			done = at
		}
	}
	if done == 0 {
		return text
	}
	return append(masked, text[done:]...)
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0 {
		at++
	}
	return at
}

// endOfValue returns the end of the value that begins at a place of a valid JSON text.
func endOfValue(text []byte, at int) int {
	for depth, quoted := 0, false; at < len(text); at++ {
		switch c := text[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				return at + 1
			}
		case quoted:
		case c == '{', c == '[':
			depth++
		case (c == '}' || c == ']') && depth == 0: // of the object or array that the value is in
			return at
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case depth == 0 && bytes.IndexByte([]byte(", \t\r\n"), c) >= 0:
			return at
		}
	}
	return at
}

// secretText returns the text whose fingerprint is shown in place of a JSON value: the content of a string, the text of any other
// value. So a token has the same fingerprint in a body as in a header. null hides nothing.
func secretText(value []byte) string {
	if string(value) == "null" {
		return ""
	}
	return unquote(value)
}

// unquote returns the content of a JSON string, and any other text as it is.
func unquote(text []byte) (content string) {
	if bytes.IndexByte(text, '\\') < 0 || json.Unmarshal(text, &content) != nil {
		return strings.Trim(string(text), `"`)
	}
	return content
}

// textInRequests and textInAnswers match the name of a secret in a text that can't be read, what separates it from its value, and the
// rest of the line.
var textInRequests, textInAnswers = inRequests.inText(), inAnswers.inText()

func (n names) inText() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + strings.Join(n, "|") + `)((?:["'>]|\s*[:=])["'\s:=>]*)([^\r\n]+)`)
}

func maskText(text []byte, secret *regexp.Regexp) []byte {
	var masked []byte
	for {
		at := secret.FindSubmatchIndex(text)
		if at == nil {
			return append(masked, text...)
		}
		before := bytes.TrimRight(text[:at[2]], " \t\r\n\"'")
		isValue := bytes.HasSuffix(before, []byte(":")) && !bytes.ContainsAny(text[at[4]:at[5]], ":=") // as of grant_type
		if isValue {
			masked = append(masked, text[:at[3]]...)
			text = text[at[3]:]
			continue
		}
		masked = append(append(masked, text[:at[6]]...), Fingerprint(string(text[at[6]:at[7]]))...)
		text = text[at[7]:]
	}
}

// Member returns the fingerprint that is kept in place of a value in a request's body, given the names of the members that lead to
// it. It returns "" for a value that is kept as it is.
func Member(path []string, value any) string {
	if len(path) == 0 || !inRequests.have(path[len(path)-1]) {
		return ""
	}
	return Text(secretText(wire.MustEncode(value)))
}

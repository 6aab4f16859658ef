// Package redact replaces secrets in a stored exchange by fingerprints: credentials, cookies, and members that the
// contract marks secret. It hides nothing else, so that a developer can read the requests of an app. Start at
// RequestBody.
package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// names has the members and parameters that the contract marks secret. Their case doesn't matter.
type names []string

// inRequests are the names for requests, and for answers that echo what a request has. In errors, the names of error
// bodies are no secrets. Operations that answer no secrets are not in answersSecrets.
var inRequests, inErrors, answersSecrets = declared()

func declared() (requests, errors names, secrets map[string]bool) {
	secrets = map[string]bool{}
	all := contract.AllOperations()
	for _, op := range all {
		bodies := []*contract.Object{op.Request}
		for _, answer := range op.Answers {
			bodies = append(bodies, answer.Body)
		}
		for _, body := range bodies {
			if body != nil {
				body.Walk(func(m contract.Member) {
					if m.Secret && !requests.have(m.Name) {
						requests = append(requests, m.Name)
					}
				})
			}
		}
		secrets[op.Name] = secrets[op.Name] || op.AnswersSecrets()
	}
	errors = slices.DeleteFunc(slices.Clone(requests), func(name string) bool {
		return slices.ContainsFunc(all, func(op *contract.Operation) bool {
			_, plain := op.Family.ErrorBody.Member(name)
			return plain
		})
	})
	return requests, errors, secrets
}

// and returns the names with others.
func (n names) and(others []string) names {
	if len(others) == 0 {
		return n
	}
	return slices.Concat(n, others)
}

func (n names) have(name string) bool {
	return slices.ContainsFunc(n, func(secret string) bool { return strings.EqualFold(name, secret) })
}

// Each returns the text in place of a secret. The name is the header, parameter or member that has the secret.
type Each func(kind, name, secret string) string

// masked is what may be kept of any secret.
var masked Each = func(_, _, secret string) string { return Fingerprint(secret) }

// Echo masks secrets that a text repeats, plain or within JSON.
func Echo(text []byte, secrets []string) []byte {
	longestFirst := slices.Clone(secrets) // one may begin like another
	slices.SortFunc(longestFirst, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	for _, secret := range longestFirst {
		if len(secret) < leastEcho {
			continue
		}
		quoted, _ := jsontext.AppendQuote(nil, secret)
		for _, form := range [][]byte{[]byte(secret), quoted[1 : len(quoted)-1]} {
			if bytes.Contains(text, form) {
				text = bytes.ReplaceAll(text, form, []byte(Fingerprint(secret)))
			}
		}
	}
	return text
}

// leastEcho is the length of the shortest secret that Echo looks for (choice): a shorter one is in most texts by
// chance.
const leastEcho = 4

// Header returns what may be kept of the value of a header.
func Header(name, value string) string { return masked.Header(name, value) }

// Query returns what may be kept of a query or a form.
func Query(query string) string { return masked.Query("parameter", query) }

// RequestBody returns what may be kept of a request's body, or of its beginning. The result may be the body itself.
func RequestBody(body []byte, media string) []byte { return masked.RequestBody(body, media) }

// Header returns the value of a header with something else for its secret. The scheme of credentials stays.
func (e Each) Header(name, value string) string {
	switch {
	case strings.EqualFold(name, "Authorization"), strings.EqualFold(name, "Proxy-Authorization"):
		if scheme, credentials, found := strings.Cut(value, " "); found && schemes.have(scheme) {
			return scheme + " " + e("header", name, credentials)
		}
		return e("header", name, value)
	case strings.EqualFold(name, "Cookie"), strings.EqualFold(name, "Set-Cookie"):
		return e("header", name, value)
	}
	return value
}

// schemes has the authentication schemes. Any other text before a space may be part of a secret.
var schemes = names{"Bearer", "Basic", "Digest", "Negotiate", "DPoP"}

// Parameter returns what may be kept of the value of a parameter or a form's member.
func Parameter(name, value string) string {
	if inRequests.have(name) {
		return Fingerprint(value)
	}
	return value
}

// Query returns a query or a form with something else for its secrets, and for parameters with other names. Some
// clients separate pairs by semicolons.
func (e Each) Query(kind, query string, also ...string) string {
	secrets := inRequests.and(also)
	var masked strings.Builder
	done := 0
	for at := 0; at < len(query); {
		end := at + len(query[at:])
		if next := strings.IndexAny(query[at:], "&;"); next >= 0 {
			end = at + next
		}
		rawName, rawValue, _ := strings.Cut(query[at:end], "=")
		name, _ := url.QueryUnescape(rawName) // with a broken escape, it is no name of a secret
		value, _ := url.QueryUnescape(rawValue)
		if secret := cmp.Or(value, rawValue); secret != "" && secrets.have(name) {
			if shown := e(kind, name, secret); shown != secret {
				masked.WriteString(query[done:end-len(rawValue)] + url.QueryEscape(shown))
				done = end
			}
		}
		at = end + 1
	}
	return masked.String() + query[done:]
}

// URL returns what a message may show of a text that may be a URL, also of one that can't be parsed: its scheme, its
// host and its path. If a ? or # comes before the last @, it may be part of a password: only the scheme is left then.
func URL(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if scheme += "://"; !ok {
		scheme, rest = "", text
	}
	query, at := strings.IndexAny(rest, "?#"), strings.LastIndexByte(rest, '@')
	switch {
	case query >= 0 && query < at:
		return scheme + "…"
	case query >= 0:
		rest = rest[:query+1] + "…"
	}
	if at >= 0 {
		rest = "…" + rest[at:]
	}
	return scheme + rest
}

// IsForm reports whether a Content-Type is a form's.
func IsForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

// RequestBody returns a request's body, or its beginning, with something else for its secrets, and for members with
// other names.
func (e Each) RequestBody(body []byte, contentType string, also ...string) []byte {
	secrets := inRequests.and(also)
	if masked, isJSON := e.json(body, secrets); isJSON {
		return masked
	}
	if IsForm(contentType) {
		return []byte(e.Query("member", string(body), also...))
	}
	return e.text(body, secrets)
}

// AnswerBody returns what may be kept of the body that an operation answered with a status. The operation is "" if a
// stub or another service answered. The result may be the body itself.
func AnswerBody(body []byte, operation string, status int) []byte {
	return masked.AnswerBody(body, operation, status)
}

// AnswerBody returns the body that an operation answered with a status, with something else for its secrets, and for
// members with other names.
func (e Each) AnswerBody(body []byte, operation string, status int, also ...string) []byte {
	secrets := names(also)
	switch {
	case operation != "" && !answersSecrets[operation]:
	case status < http.StatusBadRequest:
		secrets = inRequests.and(also)
	default:
		secrets = inErrors.and(also)
	}
	if len(secrets) == 0 {
		return body
	}
	if kept, isJSON := e.json(body, secrets); isJSON {
		return kept
	}
	return e.text(body, secrets)
}

// json replaces the values of secret members in a JSON text, at any depth. The text may end too soon, as the beginning
// of a long one does. ok is false if it is no JSON.
func (e Each) json(text []byte, secret names) (masked []byte, ok bool) {
	done := 0
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := decoder.ReadToken()
		switch {
		case err == io.EOF && done == 0:
			return text, true
		case err == io.EOF:
			return append(masked, text[done:]...), true
		case errors.Is(err, io.ErrUnexpectedEOF) && decoder.StackDepth() > 0:
			end := int(decoder.InputOffset())
			return append(append(masked, text[done:end]...), e.text(text[end:], secret)...), true
		case err != nil:
			return text, false
		}
		kind, count := decoder.StackIndex(decoder.StackDepth())
		if kind != '{' || count%2 == 0 || !secret.have(token.String()) {
			continue // no name of a secret member
		}
		name, before := token.String(), int(decoder.InputOffset())
		value, err := decoder.ReadValue()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			rest := bytes.TrimLeft(text[before:], "\": \t\r\n")
			return append(append(masked, text[done:len(text)-len(rest)]...), e("member", name, string(rest))...), true
		}
		hidden := secretText(value)
		if shown := e("member", name, hidden); err == nil && shown != hidden {
			end := int(decoder.InputOffset())
			masked, _ = jsontext.AppendQuote(append(masked, text[done:end-len(value)]...), shown)
			done = end
		}
	}
}

// secretText returns the text whose fingerprint is shown in place of a JSON value: the content of a string, the text of
// any other value. So a token has the same fingerprint in a body as in a header. null hides nothing.
func secretText(value []byte) (text string) {
	if string(value) == "null" || json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// text masks a text that can't be read: the name of a secret, what separates it from its value, and the rest of the
// line.
func (e Each) text(text []byte, secrets names) (masked []byte) {
	secret := regexp.MustCompile(`(?i)\b(` + strings.Join(secrets, "|") + `)((?:["'>]|\s*[:=])["'\s:=>]*)([^\r\n]+)`)
	for at := secret.FindSubmatchIndex(text); at != nil; at = secret.FindSubmatchIndex(text) {
		end, before := at[7], bytes.TrimRight(text[:at[2]], " \t\r\n\"'")
		if bytes.HasSuffix(before, []byte(":")) &&
			!bytes.ContainsAny(text[at[4]:at[5]], ":=") { // a value, as of grant_type
			end = at[3]
			masked = append(masked, text[:end]...)
		} else {
			masked = append(
				append(masked, text[:at[6]]...),
				e("member", string(text[at[2]:at[3]]), string(text[at[6]:end]))...)
		}
		text = text[end:]
	}
	return append(masked, text...)
}

// Member returns the fingerprint that is kept in place of a value in a request's body, given the names of the members
// that lead to it. It returns "" if the value is not a secret.
func Member(path []string, value any) string {
	if len(path) == 0 || !inRequests.have(path[len(path)-1]) {
		return ""
	}
	return Fingerprint(secretText(strictjson.MustEncode(value)))
}

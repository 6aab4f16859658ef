package infer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// The names of members and parameters whose values are masked beside those that the contract marks secret.
var (
	logins     = []string{"username", "userName", "loginId"}
	clientKeys = []string{"client_id", "clientId", "appId"}
	groupNames = []string{"groupName", "experienceName", "groupExperienceName"}
	creators   = []string{"jobCreatedBy", "holdInitiatedBy"}
	persons    = slices.Concat(logins, clientKeys, groupNames, creators)
)

// tokenNames are the names of secrets that become demo-token-1 and so on. All other secrets become secret-1 and so on.
var tokenNames = []string{"Authorization", "access_token", "refresh_token", "id_token", "token", "code"}

// masks are the values that replace values of a capture: always the same one for the same value.
type masks struct {
	given  map[string]string // by kind and value
	counts map[string]int    // by kind
}

// mask puts made-up values in the place of secrets and persons in exchanges.
func mask(ctx context.Context, all []exchange) masks {
	m := masks{map[string]string{}, map[string]int{}}
	m.nameGroups(ctx, all)
	for _, x := range all { // so that the creator of a job is known to be a client
		m.credentials(x.header.Get("Authorization"))
	}
	i := 0
	for x := range until(ctx, all) {
		all[i] = m.exchange(x)
		i++
	}
	return m
}

// made returns the set of the made-up values.
func (m masks) made() map[string]bool {
	made := map[string]bool{}
	for _, value := range m.given {
		made[value] = true
	}
	return made
}

// minRepeated is the length from which on a secret is looked for in the text of another service (choice): a shorter one
// may stand there by chance.
const minRepeated = 6

// replacer returns what replaces the secrets and persons of the interface's exchanges where other services repeat them.
func (m masks) replacer() *strings.Replacer {
	var pairs []string
	for _, key := range slices.SortedFunc(maps.Keys(m.given), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) // one may begin like another
	}) {
		if _, value, _ := strings.Cut(key, " "); len(value) >= minRepeated {
			pairs = append(pairs, value, m.given[key])
		}
	}
	return strings.NewReplacer(pairs...)
}

// ambiguous are the names of secrets that other services give to plain values, such as a currency's code.
var ambiguous = []string{"code", "state"}

// answerOfOther masks the answer of another service.
func (m masks) answerOfOther(answer []byte, status int) []byte {
	each := redact.Each(func(kind, name, value string) string {
		if slices.Contains(ambiguous, name) {
			return value
		}
		return m.value(kind, name, value)
	})
	return each.AnswerBody(answer, "", status, persons...)
}

var byteOrderMark = []byte("\ufeff")

func (m masks) exchange(x exchange) exchange {
	each := redact.Each(m.value)
	header := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(x.header)) {
		for _, value := range x.header[name] {
			if strings.EqualFold(name, "Authorization") {
				value = m.credentials(value)
			} else {
				value = m.emails(each.Header(name, value))
			}
			header.Add(name, value)
		}
	}
	if body, marked := bytes.CutPrefix(x.body, byteOrderMark); marked {
		x.body = append(slices.Clone(byteOrderMark), each.RequestBody(body, header.Get("Content-Type"), persons...)...)
	} else {
		x.body = each.RequestBody(x.body, header.Get("Content-Type"), persons...)
	}
	x.body = m.emailsIn(x.body, header.Get("Content-Type"))
	x.answer = m.emailsIn(each.AnswerBody(x.answer, x.op.Name, x.status, persons...), x.media)
	x.query, _ = url.ParseQuery(each.Query("parameter", x.query.Encode(), persons...)) // it was encoded just now
	for _, values := range x.query {
		for i, value := range values {
			values[i] = m.emails(value)
		}
	}
	path, vars := x.op.Path, map[string]string{}
	for name, value := range x.vars {
		if vars[name] = m.emails(value); x.query.Get("userIdType") == sim.LoginIDType {
			vars[name] = m.as("user", value)
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(vars[name]), 1)
	}
	x.path, x.vars = path, vars
	x.header = header
	return x
}

var (
	email      = lazy.Regexp(`[^\s"<>@,;:()]+@[^\s"<>@,;:()]+\.[^\s"<>@,;:().]+`)
	jsonString = lazy.Regexp(`"(?:[^"\\]|\\.)*"`)
)

// emails returns a text with other e-mail addresses.
func (m masks) emails(text string) string {
	return email().ReplaceAllStringFunc(
		text, func(address string) string { return m.as("user", address) + "@bank.example" },
	)
}

// emailsIn returns a body with other e-mail addresses: a form, or JSON, whose strings may have escapes.
func (m masks) emailsIn(body []byte, media string) []byte {
	if form, err := url.ParseQuery(string(body)); redact.IsForm(media) && err == nil {
		for _, name := range slices.Sorted(maps.Keys(form)) {
			for i, value := range form[name] {
				form[name][i] = m.emails(value)
			}
		}
		return []byte(form.Encode())
	}
	return jsonString().ReplaceAllFunc(body, func(quoted []byte) []byte {
		var text string
		if json.Unmarshal(quoted, &text) != nil || !email().MatchString(text) {
			return quoted
		}
		return strictjson.MustEncode(m.emails(text))
	})
}

// as returns what stands in place of a value: the kind with a number.
func (m masks) as(kind, value string) string {
	if value == "" {
		return ""
	}
	if m.given[kind+" "+value] == "" {
		m.counts[kind]++
		m.given[kind+" "+value] = fmt.Sprintf("%s-%d", kind, m.counts[kind])
	}
	return m.given[kind+" "+value]
}

// isErrorCode matches the codes of errors and results. Codes for clients are secrets, and longer.
var isErrorCode = lazy.Regexp(`^[A-Z]{0,10}_?\d{1,5}$`)

// value implements redact.Each.
func (m masks) value(_, name, value string) string {
	is := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	switch {
	case name == "code" && isErrorCode().MatchString(value):
		return value
	case is(logins):
		return m.as("user", value)
	case is(clientKeys):
		return m.as("app", value)
	case is(groupNames):
		return cmp.Or(m.given["group "+value], value) // a blank name stays
	case is(creators):
		institution, login, isPair := strings.Cut(value, ".")
		if !isPair || strings.Trim(institution, "0123456789") != "" {
			return m.as("user", value)
		}
		if m.given["app "+login] != "" || login == "anonymous" {
			return institution + "." + cmp.Or(m.given["app "+login], login)
		}
		return institution + "." + m.as("user", login)
	case is(tokenNames):
		return m.as("demo-token", value)
	}
	return m.as("secret", value)
}

// fingerprint is what a journal has in place of credentials.
var fingerprint = lazy.Regexp(`^tok_[0-9a-f]{12}$`)

// credentials returns an Authorization header. One that is not well-formed stays so.
func (m masks) credentials(header string) string {
	scheme, text, ok := strings.Cut(header, " ")
	switch {
	case !ok:
		return m.token(header)
	case !strings.EqualFold(scheme, "Basic"):
		return scheme + " " + m.token(text)
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	key, secret, isPair := strings.Cut(string(decoded), ":")
	switch {
	case fingerprint().MatchString(text):
		key, secret, isPair = text, text, true
	case err != nil:
		return scheme + " ?" + m.as("secret", text)
	}
	keys := m.as("app", key)
	if isPair {
		keys += ":" + m.as("secret", secret)
	}
	return scheme + " " + base64.StdEncoding.EncodeToString([]byte(keys))
}

// token returns a token. One that has separators in it keeps one.
func (m masks) token(text string) string {
	if at := strings.IndexAny(text, " \t,"); at >= 0 {
		return m.as("demo-token", text) + text[at:at+1] + "…"
	}
	return m.as("demo-token", text)
}

// longName is from where on a masked name is as long as the name that it stands for: a service may refuse that.
const longName = 20

// nameGroups gives the groups names that sort as their own ones do. Names without a letter stay.
func (m masks) nameGroups(ctx context.Context, all []exchange) {
	var names []string
	note := redact.Each(func(_, name, value string) string {
		isName := slices.ContainsFunc(groupNames, func(n string) bool { return strings.EqualFold(n, name) })
		if isName && strings.ContainsFunc(value, unicode.IsLetter) {
			names = append(names, value)
		}
		return value
	})
	for x := range until(ctx, all) {
		note.RequestBody(x.body, x.header.Get("Content-Type"), groupNames...)
		note.AnswerBody(x.answer, x.op.Name, x.status, groupNames...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range names {
		made := fmt.Sprintf("group-%0*d", len(strconv.Itoa(len(names))), i+1)
		if length := utf8.RuneCountInString(name); length > longName {
			made += strings.Repeat("x", length-len(made))
		}
		if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII }) {
			made = strings.TrimSuffix(made, "x") + "é" // not every service takes it
		}
		m.given["group "+name] = made
	}
}

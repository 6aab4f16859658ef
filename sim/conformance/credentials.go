package conformance

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// Credentials say, for values of the golden exchanges, what the service has in their place: tokens, keys, institutions,
// users, accounts. What they leave out, the service doesn't have.
type Credentials map[string]string

// known are the values of the golden exchanges that are a bank's own.
var known = []string{
	"demo-app", "demo-secret", "demo-token", "avery-token", "demo-token-2", "demo-refresh", "second-app", "second-secret", "second-token",
	"02688", "05523", "1001", "1002", "1003", "1004", "2001", "avery", "demo",
	"acc-1001-checking", "acc-1001-savings", "acc-1002-checking", "acc-1003-checking", "acc-1004-checking", "acc-1004-savings", "acc-2001-checking",
}

// ReadCredentials reads credentials from a JSON object.
func ReadCredentials(data []byte) (Credentials, error) {
	var c Credentials
	if err := json.Unmarshal(data, &c); err != nil || c == nil {
		return nil, fmt.Errorf(`not a JSON object of texts, such as {"demo-token": "…", "1001": "…"}`)
	}
	return c, c.validate()
}

func (c Credentials) validate() error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no golden exchange has the value %q: the values are %s", name, strings.Join(known, ", "))
		}
		if strings.ContainsAny(c[name], "\r\n\x00") || c[name] == "" {
			return fmt.Errorf("what stands for %q is empty, or has line breaks in it", name)
		}
	}
	return nil
}

// word is a value in a text.
var word = regexp.MustCompile(`[A-Za-z0-9]+(-[A-Za-z0-9]+)*`)

// missing returns the first value of an exchange's requests that the service doesn't have; empty: it has all.
func (c Credentials) missing(e fixtures.Exchange) string {
	if c == nil {
		return ""
	}
	for _, r := range append(slices.Clone(e.Before), e.Request) {
		texts := append([]string{r.Path, r.Content()}, slices.Collect(maps.Values(r.Headers))...)
		for _, text := range texts {
			if keys, ok := basicKeys(text); ok {
				text = keys
			}
			for _, value := range word.FindAllString(text, -1) {
				if _, given := c[value]; !given && slices.Contains(known, value) {
					return value
				}
			}
		}
	}
	return ""
}

// basicKeys returns the keys of Basic credentials, joined by a colon.
func basicKeys(header string) (string, bool) {
	encoded, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return "", false
	}
	keys, err := base64.StdEncoding.DecodeString(encoded)
	return string(keys), err == nil
}

// substitution is what stands in one replay in the place of an exchange's values.
type substitution struct {
	values map[string]string
	names  map[string]string // of groups that are created
	ids    map[string]string // of request ids: the same one for the same one
}

// requestIDs are the headers that identify a request: each replay has ids of its own.
var requestIDs = []string{"transactionid", "correlationid"}

func (c *checker) newSubstitution(e fixtures.Exchange) *substitution {
	s := &substitution{maps.Clone(c.Credentials), map[string]string{}, map[string]string{"own": newID()}}
	if s.values == nil {
		s.values = map[string]string{}
	}
	for _, r := range append(slices.Clone(e.Before), e.Request) {
		for name, value := range r.Headers {
			if slices.Contains(requestIDs, strings.ToLower(name)) && value != "" && s.ids[value] == "" {
				s.ids[value] = newID()
			}
		}
	}
	return s
}

// newID returns a random UUID (RFC 9562 5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

// in returns a text with its values replaced, each escaped for its place.
func (s *substitution) in(text string, escape func(string) string) string {
	return word.ReplaceAllStringFunc(text, func(value string) string {
		if other, ok := s.values[value]; ok {
			return escape(other)
		}
		return value
	})
}

// request returns a request with its values replaced.
func (s *substitution) request(r fixtures.Request) fixtures.Request {
	r.Path = s.in(r.Path, escapeQuery)
	headers := make(map[string]string, len(r.Headers))
	for name, value := range r.Headers {
		keys, basic := basicKeys(value)
		switch {
		case basic:
			keys = s.in(keys, func(other string) string { return other })
			headers[name] = "Basic " + base64.StdEncoding.EncodeToString([]byte(keys))
		case slices.Contains(requestIDs, strings.ToLower(name)) && value != "":
			headers[name] = s.ids[value]
		default:
			headers[name] = s.in(value, func(other string) string { return other })
		}
	}
	r.Headers = headers
	r.JSON = s.renamed(s.json(r.JSON))
	r.Body = s.in(r.Body, escapeQuery)
	return r
}

// json returns a JSON text with its values replaced.
func (s *substitution) json(text jsontext.Value) jsontext.Value {
	if text == nil {
		return nil
	}
	return jsontext.Value(s.in(string(text), func(other string) string {
		quoted, _ := jsontext.AppendQuote(nil, other) // its only error, invalid UTF-8, it has mended
		return string(quoted[1 : len(quoted)-1])
	}))
}

// renamed returns the body of a group that is created with a name of its own.
func (s *substitution) renamed(body jsontext.Value) jsontext.Value {
	var all map[string]any
	if len(s.names) == 0 || json.Unmarshal(body, &all) != nil {
		return body
	}
	name, _ := all["groupName"].(string)
	if other, ok := s.names[name]; ok {
		all["groupName"] = other
		body, _ = json.Marshal(all, json.Deterministic(true)) // what was unmarshalled marshals
	}
	return body
}

func escapeQuery(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

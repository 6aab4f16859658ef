package conformance

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// substitution maps what stands in an exchange to what one replay sends in its place.
type substitution struct {
	values     map[string]string // of a bank, and tokens
	names      map[string]string // as JSON strings, quotes included
	requestIDs map[string]string
	keeps      bool // whether the ids of requests stay as they are: the exchange is about them
	token      bool // whether requests that may have an access token get one: services may ask for it
}

func newSubstitution(e fixtures.Exchange, c Credentials) *substitution {
	s := &substitution{values: map[string]string{}, names: map[string]string{}, requestIDs: map[string]string{}}
	s.keeps, s.token = isAboutRequestID(e), !e.Replay.NoToken && c.has(fixtures.DemoToken)
	maps.Copy(s.values, c)
	all := slices.Clone(e.Replay.OwnNames)
	for _, r := range requests(e) {
		for _, match := range ofGroup().FindAllStringSubmatch(r.Content(), -1) {
			if strings.TrimSpace(match[1]) != "" {
				all = append(all, match[1])
			}
		}
	}
	for _, name := range all {
		if s.names[quoted(name)] == "" {
			s.names[quoted(name)] = quoted(uniqueName(name))
		}
	}
	return s
}

// isAboutRequestID reports whether an exchange shows the refusal of a request id.
func isAboutRequestID(e fixtures.Exchange) bool {
	op := contract.In(e.InDialect()).Operation(e.Operation())
	return op != nil && e.Answer.Status >= 400 && slices.Contains(op.Refuses, contract.RequestIDMalformed) &&
		op.Family.Refusal(contract.RequestIDMalformed).Entry == entryOfAnswer(e)
}

// ofGroup matches names and ids of groups in JSON that have no escapes. A replay draws new ones, whatever is expected
// of the request: so a group that it creates can be told from all others.
var ofGroup = lazy.Regexp(`"group(?:Name|Id)"\s*:\s*"([^"\\]*)"`)

// randomPart is how many characters at the end of a unique name are random.
const randomPart = 13

// uniqueName returns a name of the same length that ends with a random part. A short name becomes longer.
func uniqueName(name string) string {
	random := newID()[:randomPart]
	runes := []rune(name)
	if len(runes) <= randomPart {
		return name + " " + random
	}
	return string(runes[:len(runes)-randomPart]) + random
}

// newID returns a random UUID (RFC 9562 5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// id returns the request id in the place of one of the exchange: always the same for the same one.
func (s *substitution) id(value string) string {
	if value != "" && s.requestIDs[value] == "" {
		s.requestIDs[value] = value
		if !s.keeps {
			s.requestIDs[value] = newID()
		}
	}
	return s.requestIDs[value]
}

// in returns a text with its values replaced, each escaped for its place.
func (s *substitution) in(text string, escape func(string) string) string {
	return match.ReplaceWords(text, func(value string) string {
		if other, ok := s.values[value]; ok {
			return escape(other)
		}
		return value
	})
}

// isOfBank reports whether a value belongs to the bank, and the credentials have it.
func (s *substitution) isOfBank(value string) bool {
	return slices.ContainsFunc(fixtures.OwnValues, func(golden string) bool { return s.in(golden, asIs) == value })
}

// request returns a request with everything replaced.
func (s *substitution) request(r fixtures.Request) fixtures.Request {
	headers := make(map[string]string, len(r.Headers))
	for name, value := range r.Headers {
		if keys, ok := basicKeys(value); ok {
			headers[name] = basic(s.in(keys, asIs))
		} else if isRequestID(name) {
			headers[name] = s.id(value)
		} else {
			headers[name] = s.in(value, asIs)
		}
	}
	if s.token && header(r, "Authorization") == "" && takesToken(r) {
		headers["Authorization"] = "Bearer " + s.in(fixtures.DemoToken, asIs)
	}
	r.Headers = headers
	r.Path = s.in(r.Path, inURL)
	r.Body = s.renamed(s.in(r.Body, inURL))
	r.JSON = s.json(r.JSON)
	r.Leaves = s.renamed(r.Leaves)
	return r
}

// takesToken reports whether an access token is optional in a request of the document's dialect.
func takesToken(r fixtures.Request) bool {
	family, known := contract.NearestFamily(r.Path)
	return known && family.Security == contract.OptionalBearer && contract.DialectOf(r.Path) == sim.DialectDocument &&
		r.Method != http.MethodOptions
}

// withIDs returns a request with everything replaced, and with the ids that answers gave.
func (s *substitution) withIDs(r fixtures.Request, ids fixtures.IDs) fixtures.Request {
	escaped := fixtures.IDs{}
	for name, id := range ids {
		escaped[name] = url.PathEscape(id)
	}
	sent := s.request(r)
	sent.Path, _ = escaped.In(sent.Path)
	return sent
}

// json returns a JSON text with everything replaced; nil stays nil.
func (s *substitution) json(text json.RawMessage) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(s.renamed(s.in(string(text), inJSON)))
}

// renamed returns a text with the names in it replaced that must be unique.
func (s *substitution) renamed(text string) string {
	for name, unique := range s.names {
		text = strings.ReplaceAll(text, name, unique)
	}
	return text
}

func asIs(value string) string { return value }

func inURL(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

func inJSON(value string) string { text := quoted(value); return text[1 : len(text)-1] }

func quoted(value string) string { return string(strictjson.MustEncode(value)) }

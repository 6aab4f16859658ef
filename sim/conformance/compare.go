package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// newDrift returns a drift of an exchange that concerns an entry of the ledger.
func newDrift(e fixtures.Exchange, p *sim.Policy, entry *contract.Entry, place, message string) Drift {
	return Drift{
		Exchange: e.Name,
		Entry:    entry.ID,
		Basis:    entry.BasisUnder(p),
		Source:   entry.SourceIn(p.Dialect),
		Place:    place,
		Message:  message,
	}
}

// entryOfAnswer returns the entry that decided the answer.
func entryOfAnswer(e fixtures.Exchange) *contract.Entry {
	id := slices.Concat(e.Entries, e.Shows)[0]
	entry, ok := contract.FindEntry(id)
	if !ok {
		panic("conformance: " + e.Name + " names " + id + ", which the ledger doesn't have")
	}
	return entry
}

// expected is what the contract says about an exchange's answer.
type expected struct {
	fixtures.Exchange
	success *contract.Entry  // decides the answer to a request that is accepted
	body    *contract.Object // nil: none
	members *contract.Entry  // says what is in the body
}

func expect(e fixtures.Exchange, p *sim.Policy) expected {
	x := expected{Exchange: e, success: entryOfAnswer(e), members: entryOfAnswer(e)}
	op := contract.In(e.InDialect()).Operation(e.Operation())
	if e.Answer.Status >= 300 {
		nearest, _ := contract.NearestFamily(e.Request.Path)
		family := cmp.Or(contract.In(e.InDialect()).FamilyOfError(e.Entries), nearest)
		if op != nil {
			family = op.Family
		}
		x.body, x.members = family.ErrorBody, family.ErrorRests[0]
		return x
	}
	if op == nil {
		return x
	}
	x.success = op.Uses[0]
	if a := op.Answer(p); a.Status == e.Answer.Status && a.Body != nil {
		x.body, x.members = a.Body, a.Members
	}
	return x
}

// compare returns how the service's answer differs from the simulator's: in status, headers, and the shape of the body.
// Values count only where they are the same at every service.
func compare(e fixtures.Exchange, p *sim.Policy, s *substitution, got answer) []Drift {
	x := expect(e, p)
	if got.status != e.Answer.Status {
		entry := entryOfAnswer(e)
		if got.accepted() {
			entry = x.success
		}
		return []Drift{newDrift(e, p, entry, fmt.Sprintf("status %d", got.status),
			fmt.Sprintf("expected status %d (basis %s), got %d", e.Answer.Status, entry.BasisUnder(p), got.status))}
	}
	var drifts []Drift
	differs := func(place string, entry *contract.Entry, want, got string) {
		message := fmt.Sprintf("%s: expected %s (basis %s), got %s", place, want, entry.BasisUnder(p), got)
		drifts = append(drifts, newDrift(e, p, entry, place, message))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Answer.Headers)) {
		if want := e.Answer.Headers[name]; !sameHeader(name, want, s, got.header) {
			differs(name, entryOfHeader(e, name), want, cmp.Or(strings.Join(got.header.Values(name), ", "), "none"))
		}
	}
	for _, d := range x.differences(s, got.body) {
		differs(d.path, x.entryOf(d.member), d.want, d.got)
	}
	return drifts
}

// sameHeader compares a header as far as it is the same at every service: a challenge by its scheme, a media type
// without parameters.
func sameHeader(name, want string, s *substitution, header http.Header) bool {
	got := strings.Join(header.Values(name), ", ")
	if isRequestID(name) {
		return got == s.ids[want]
	}
	switch strings.ToLower(name) {
	case "www-authenticate":
		scheme := func(challenge string) string { word, _, _ := strings.Cut(challenge, " "); return strings.ToLower(word) }
		return scheme(got) == scheme(want)
	case "content-type":
		media, _, err := mime.ParseMediaType(got)
		return err == nil && media == want
	case "allow":
		return slices.Equal(sortedList(got), sortedList(want))
	case "cache-control", "pragma":
		return slices.Contains(sortedList(strings.ToLower(got)), want)
	}
	return got == want
}

func sortedList(text string) []string {
	var all []string
	for item := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimSpace(item))
	}
	slices.Sort(all)
	return all
}

func entryOfHeader(e fixtures.Exchange, name string) *contract.Entry {
	if isRequestID(name) {
		return contract.RequestIDHeader.Entry
	}
	for _, h := range []contract.Header{contract.ChallengeHeader, contract.ContentType, contract.CacheControl, contract.Pragma} {
		if strings.EqualFold(h.Name, name) {
			return h.Entry
		}
	}
	return entryOfAnswer(e)
}

// isRequestID reports whether a header identifies a request: each replay sends ids of its own.
func isRequestID(header string) bool {
	return slices.ContainsFunc(contract.Document().Families, func(f *contract.Family) bool {
		return strings.EqualFold(f.RequestID, header)
	})
}

// difference is a place in a body where two answers differ.
type difference struct {
	path      string
	member    contract.Member // without a name: none that the contract has
	want, got string
}

// entryOf returns the entry that a member of the body rests on.
func (x expected) entryOf(m contract.Member) *contract.Entry {
	switch {
	case m.Value != nil:
		return m.Value
	case m.From == contract.FromCode:
		return entryOfAnswer(x.Exchange)
	}
	return x.members
}

// differences compares the shape of the service's body with that of the golden one.
func (x expected) differences(s *substitution, body []byte) []difference {
	body = bytes.TrimSpace(body)
	whole := place{path: "", object: x.body}
	var want, got any
	switch {
	case x.Answer.JSON == nil && len(body) == 0:
		return nil
	case x.Answer.JSON == nil:
		return whole.differ("no body", "one")
	case len(body) == 0:
		return whole.differ("a body", "none")
	case json.Unmarshal(body, &got) != nil:
		return whole.differ("JSON", "something else")
	}
	if json.Unmarshal(s.json(x.Answer.JSON), &want) != nil {
		panic("conformance: the golden answer " + x.Name + " is not JSON")
	}
	return slices.DeleteFunc(whole.compare(want, got), func(d difference) bool { return slices.Contains(x.Replay.Ignores, d.path) })
}

// place is where in a body a value stands, with what the contract says about it.
type place struct {
	path   string
	member contract.Member
	object *contract.Object
}

func (p place) differ(want, got string) []difference {
	return []difference{{cmp.Or(p.path, "."), p.member, want, got}}
}

// compare compares two JSON values.
func (p place) compare(want, got any) []difference {
	if typeName(want) != typeName(got) {
		return p.differ(typeName(want), typeName(got))
	}
	switch want := want.(type) {
	case map[string]any:
		return p.compareObjects(want, got.(map[string]any))
	case []any:
		got := got.([]any)
		if len(want) == 0 && len(got) > 0 {
			return p.differ("an empty array", fmt.Sprintf("one with %d elements", len(got)))
		}
		for _, element := range got {
			if found := p.compare(want[0], element); found != nil {
				return found // those of one element are enough
			}
		}
	case string:
		if p.member.Value != nil && !p.member.Type.Matches(got.(string)) {
			return p.differ("a value such as "+want, fmt.Sprintf("%q", got))
		}
	}
	return nil
}

func (p place) compareObjects(want, got map[string]any) []difference {
	if p.object.IsFree() {
		return nil
	}
	var all []difference
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := p.at(name)
		value, there := got[name]
		switch {
		case !there:
			all = append(all, at.differ("this member", "none")...)
		case at.isSame(want[name]) && want[name] != value && typeName(want[name]) == typeName(value):
			all = append(all, at.differ(fmt.Sprint(want[name]), fmt.Sprint(value))...)
		default:
			all = append(all, at.compare(want[name], value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[name]; !there {
			all = append(all, p.at(name).differ("no such member", "one")...)
		}
	}
	return all
}

// at returns the place of a member.
func (p place) at(name string) place {
	m, _ := p.object.Member(name)
	return place{p.path + "." + name, m, m.Type.Object}
}

// isSame reports whether the value of the place is the same at every service. A code that no source has is the simulator's.
func (p place) isSame(value any) bool {
	code, _ := value.(string)
	return p.member.Same && !(p.member.From == contract.FromCode && contract.OwnCode(code))
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// frozenRetail is the bank of the golden exchanges.
const frozenRetail = "name: expected\nextends: retail\nseed: 7\nclock: {run: false}\n"

// simulator is a simulator in this process, which says what to expect of a service with certain switches.
type simulator struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

func newSimulator(policies *sim.Policies) (*simulator, error) {
	retail, err := scenario.Parse("expected.yaml", []byte(frozenRetail))
	if err != nil {
		return nil, fmt.Errorf("loading the bank of the golden exchanges: %w", err)
	}
	retail.World = retail.World.Fork()
	retail.World.SetPolicies(policies)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: retail})
	handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	return &simulator{sandboxes, handler}, nil
}

// expecting returns an exchange with the answer that the simulator gives under the switches in force, and the entries that
// this answer rests on. Its requests are sent with the request ids and the names of a replay.
func (r *replayer) expecting(e fixtures.Exchange, sent *substitution) (fixtures.Exchange, error) {
	own := &substitution{names: sent.names, ids: sent.ids, keeps: sent.keeps, token: sent.token}
	sb := r.simulator.sandboxes.Default()
	if err := sb.Reset(context.Background(), ""); err != nil {
		return e, err
	}
	ids := fixtures.IDs{}
	for _, request := range e.Before {
		got := r.simulator.answer(own.withIDs(request, ids))
		if got.status >= 300 {
			return e, skipped("needs a preceding request that is refused under the switches of the service")
		}
		ids.Learn(got.body)
	}
	before := sb.Known().Journal.Last()
	got := r.simulator.answer(own.withIDs(e.Request, ids))
	e.Answer = fixtures.Answer{Status: got.status, Headers: map[string]string{}}
	for name, values := range got.header {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Date", "Content-Length", "Banksim-Exchange", contract.ScenarioHeader.Name:
			continue
		}
		e.Answer.Headers[name] = strings.Join(values, ", ")
		for golden, id := range sent.ids {
			if id == e.Answer.Headers[name] {
				e.Answer.Headers[name] = golden
			}
		}
	}
	if len(got.body) > 0 && e.Request.Method != http.MethodHead {
		e.Answer.JSON = bytes.TrimSpace(got.body)
	}
	if number := sb.Known().Journal.Last(); number > before {
		if x, ok := sb.Known().Journal.Get(strconv.FormatUint(number, 10)); ok {
			e.Entries = x.Decision.Entries
		}
	}
	return e, nil
}

// answer returns the simulator's answer to a request.
func (s *simulator) answer(r fixtures.Request) answer {
	req := httptest.NewRequest(r.Method, r.Path, strings.NewReader(r.Content()))
	if r.Chunked {
		req.ContentLength = -1
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}

package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
)

// mismatch is a header, or a place in a body, where two answers differ.
type mismatch struct {
	place     string
	entry     *contract.Entry // or nil for the entry about the members of the body
	want, got string
}

// maxMismatches is how many mismatches of a body are kept and reported (choice).
const maxMismatches = 20

// mismatches are where two bodies differ: the first ones, and how many others there are.
type mismatches struct {
	ignores []string // paths whose mismatches don't count
	first   []mismatch
	more    int
	isAny   bool // whether there was one, also an ignored one
}

func (d *mismatches) add(found ...mismatch) {
	for _, one := range found {
		d.isAny = true
		switch {
		case slices.Contains(d.ignores, one.place):
		case len(d.first) == maxMismatches:
			d.more++
		default:
			d.first = append(d.first, one)
		}
	}
}

// compareBody compares the service's body with the simulator's.
func (x comparison) compareBody(body []byte) *mismatches {
	body = bytes.TrimSpace(body)
	found := &mismatches{ignores: x.Replay.Ignores}
	whole := place{comparison: &x, found: found, object: x.object, isRow: x.ofBank}
	var want, got any
	switch {
	case x.onlyRows:
		x.compareRows(x.sub.json(x.Answer.JSON), body, found)
		return found
	case x.Answer.JSON == nil && len(body) == 0:
		return found
	case x.Answer.JSON == nil:
		whole.mismatch("no body", "one")
		return found
	case len(body) == 0:
		whole.mismatch("a body", "none")
		return found
	case decode(body, &got) != nil:
		whole.mismatch("JSON", "something else")
		return found
	}
	wanted := x.sub.json(x.Answer.JSON)
	if decode(wanted, &want) != nil {
		panic("conformance: the simulator's answer to " + x.Name + " is not JSON")
	}
	whole.compare(want, got)
	if !found.isAny {
		found.add(x.compareList(wanted, body)...)
		x.compareRows(wanted, body, found)
	}
	return found
}

// decode decodes JSON. Numbers keep their digits.
func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

// place is where in a body a value stands, with what the contract says about it.
type place struct {
	*comparison
	found  *mismatches
	path   string
	member contract.Member
	object *contract.Object
	others []any // the simulator's values at this place in the other elements of a list
	isRow  bool  // whether it is in a list of what the bank has
	// isElement says that it is an element of the array that member is about.
	isElement bool
}

func (p place) mismatch(want, got string) {
	if p.member.Secret {
		want, got = "its value", "another"
	}
	p.found.add(mismatch{cmp.Or(p.path, "."), p.entry(), want, got})
}

// entry returns the entry that says what stands at the place, or nil.
func (p place) entry() *contract.Entry {
	switch {
	case p.member.Value != nil:
		return p.member.Value
	case p.member.From == contract.FromCode:
		return entryOfAnswer(p.Exchange)
	case lifetimes[p.member.Name] != nil:
		return lifetimes[p.member.Name]
	}
	return p.member.Type.EnumCites
}

// compare compares two JSON values.
func (p place) compare(want, got any) {
	if match.Kind(want) != match.Kind(got) {
		p.mismatch(match.Kind(want), match.Kind(got))
		return
	}
	switch want := want.(type) {
	case nil:
	case map[string]any:
		p.compareObjects(want, got.(map[string]any))
	case []any:
		p.compareArrays(want, got.([]any))
	default:
		p.compareValues(fmt.Sprint(want), fmt.Sprint(got))
	}
}

func (p place) compareArrays(want, got []any) {
	switch {
	case len(want) == 0 && (p.ofBank || slices.Contains(ofInstitution, p.Operation())): // another bank may have some
		p.conforms(got)
		return
	case len(want) == 0 && len(got) > 0:
		p.mismatch("an empty array", fmt.Sprintf("one with %d elements", len(got)))
		return
	case len(want) > 0 && len(got) == 0 && p.isOfAccount():
		p.mismatch("elements", "an empty array")
		return
	case len(want) == 0:
		return
	}
	for _, other := range p.others {
		if elements, ok := other.([]any); ok {
			want = append(slices.Clone(want), elements...)
		}
	}
	p.others, p.isRow = want[1:], !p.isOfAccount()
	all := p.found
	for _, element := range got {
		p.found = &mismatches{ignores: all.ignores}
		p.compare(want[0], element)
		if p.found.isAny { // the mismatches of one element are enough
			all.add(p.found.first...)
			all.more, all.isAny = all.more+p.found.more, true
			return
		}
	}
}

// ofInstitution are the operations that list what an institution has. No request of a check makes their lists empty.
var ofInstitution = []string{
	contract.AlertsListInstitutionTypes.Name, contract.AlertsListInstitutionPreferences.Name,
	contract.DisclosuresListInstitution.Name,
}

// jsonTypes are what the types of the contract are called in reports.
var jsonTypes = map[string]string{
	"string": "a string", "integer": "a number", "boolean": "a boolean", "object": "an object", "array": "an array",
}

// conforms compares a value that the simulator doesn't have with the contract alone: its members and their types.
func (p place) conforms(got any) {
	of := p.member.Type
	if want := jsonTypes[of.JSON]; !p.isElement && want != "" && want != match.Kind(got) {
		p.mismatch(want, match.Kind(got))
		return
	}
	switch got := got.(type) {
	case map[string]any:
		for _, m := range p.object.Members {
			at := p.at(m.Name)
			if value, there := got[m.Name]; there {
				at.conforms(value)
			} else if m.Required {
				at.mismatch("this member", "none")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if !p.object.Has(name) && !p.object.IsFree() {
				p.at(name).mismatch("no such member", "one")
			}
		}
	case []any:
		for _, element := range got[:min(len(got), 1)] { // the first one is enough
			p.isElement = true
			p.conforms(element)
		}
	default:
		if text := fmt.Sprint(got); !p.isElement && !isOfType(of, text) {
			p.mismatch("a value of the contract", strconv.Quote(text))
		}
	}
}

func (p place) compareObjects(want, got map[string]any) {
	if p.object.IsFree() {
		return
	}
	names := map[string]any{}
	for _, other := range slices.Concat(p.others, []any{want}) {
		maps.Copy(names, other.(map[string]any))
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		at := p.at(name)
		if value, there := got[name]; there {
			at.compare(names[name], value)
		} else if !at.isOptional() {
			at.mismatch("this member", "none")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		at := p.at(name)
		if _, expected := names[name]; !expected && !at.isOptional() {
			at.mismatch("no such member", "one")
		}
	}
}

// at returns the place of a member.
func (p place) at(name string) place {
	m, _ := p.object.Member(name)
	at := place{comparison: p.comparison, found: p.found, path: p.path + "." + name, member: m, object: m.Type.Object,
		isRow: p.isRow}
	for _, other := range p.others {
		if value, ok := other.(map[string]any)[name]; ok {
			at.others = append(at.others, value)
		}
	}
	return at
}

// isOptional reports whether it depends on the data of the bank that the member is there.
func (p place) isOptional() bool { return p.isRow && p.member.Name != "" && !p.member.Required }

// compareValues compares two texts, numbers or booleans. A value counts if every service has it, or if the answer
// repeats it from a request.
func (p place) compareValues(want, got string) {
	echo, repeats := p.echoes.of(p.member.Name, want)
	switch {
	case !isOfType(p.member.Type, got), isLongAgo(got) && !isLongAgo(want):
		p.mismatch("a value such as "+want, strconv.Quote(got))
	case p.policy.Dialect == sim.DialectPublic && contract.UUID.MatchString(want) && !contract.UUID.MatchString(got):
		p.mismatch("a UUID", strconv.Quote(got))
	case slices.ContainsFunc(p.others, func(other any) bool { return fmt.Sprint(other) != want }):
	case repeats:
		if got != echo {
			p.mismatch(echo, got)
		}
	case p.isSame(want):
		if got != want {
			p.mismatch(want, got)
		}
	case lifetimes[p.member.Name] != nil:
		if !isLifetime(want, got) {
			p.mismatch(want, got)
		}
	case p.echoes.sends(p.member.Name, got) && !p.echoes.sends(p.member.Name, want):
		p.mismatch("another value than the one that was sent", got)
	}
}

// isLongAgo reports whether a value is a time before 2000, as a clock gives that was never set.
func isLongAgo(value string) bool {
	at, err := time.Parse("2006-01-02T15:04:05.999Z07:00", value)
	return err == nil && at.Year() < 2000
}

// isOfType reports whether a value has the pattern of a type, and is one of its values.
func isOfType(t contract.Type, value string) bool {
	if t.JSON == "integer" {
		number, err := strconv.Atoi(value)
		return err == nil && (t.Least == nil || number >= *t.Least)
	}
	if t.Pattern != "" && !t.Matches(value) {
		return false
	}
	return t.Enum == nil || t.JSON != "string" || slices.Contains(t.Enum, value)
}

// isSame reports whether every service has the value. Only the simulator has the codes of its own. Credentials name
// accounts by the status of their disclosures. In a list, there is only one value, or it is one of the credentials.
func (p place) isSame(value string) bool {
	switch {
	case p.isOfAccount() && p.member.Type.Enum != nil:
		return true
	case p.isRow && len(p.member.Type.Enum) != 1 && !p.sub.isOfBank(value):
		return false
	}
	return p.member.Same && !(p.member.From == contract.FromCode && contract.OwnCode(value))
}

// isOfAccount reports whether the request asks for an account that the credentials name.
func (x comparison) isOfAccount() bool { return strings.Contains(x.Request.Path, "/acc-") }

// lifetimes are the entries about how long tokens work, by the members of an answer that say it.
var lifetimes = map[string]*contract.Entry{
	"expires_in":               contract.TokensIssueAccessLifetime,
	"refresh_token_expires_in": contract.TokensIssueRefreshLifetime,
}

// isLifetime reports whether a lifetime in seconds is the simulator's. Some seconds may have passed at the service.
func isLifetime(want, got string) bool {
	w, _ := strconv.Atoi(want)
	g, err := strconv.Atoi(got)
	return err == nil && g <= w && g >= w-5
}

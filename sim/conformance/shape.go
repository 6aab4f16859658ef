package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

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
	path := p.path
	if path == "" {
		path = "."
	}
	return []difference{{path, p.member, want, got}}
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
		if pattern := p.member.Type.Pattern; p.member.Value != nil && pattern != nil && !pattern.MatchString(got.(string)) {
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

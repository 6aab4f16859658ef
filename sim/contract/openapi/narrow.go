package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// What the contract has under the behaviour that is described; without one, under any.

func (d describer) security() contract.Security {
	if d.of.Behavior == nil {
		return d.Security
	}
	return d.SecurityUnder(d.of.Behavior)
}

func (d describer) requires(p contract.Parameter) bool {
	if d.of.Behavior == nil {
		return p.Required
	}
	return d.RequiredUnder(d.of.Behavior, p)
}

// parameter describes the value of a parameter.
func (d describer) parameter(p contract.Parameter) *schema {
	s := d.schema(p.Type)
	if d.of.Behavior != nil && p.Name == d.Family.RequestID && slices.Contains(d.Refuses, contract.RequestIDMalformed) &&
		d.Family.Refusal(contract.RequestIDMalformed).AppliesUnder(d.of.Behavior) {
		s.Format = "uuid"
	}
	return s
}

func (d describer) answers() []contract.Answer {
	if d.of.Behavior == nil {
		return d.Answers
	}
	return slices.DeleteFunc(slices.Clone(d.Answers), func(a contract.Answer) bool {
		return a.Switched != nil && a.Switched.Switch.Value(d.of.Behavior) != a.Value
	})
}

func (d describer) refusals() []contract.Refusal {
	all := slices.Concat(d.Refusals(), d.Conditions())
	if d.of.Behavior == nil {
		return all
	}
	return slices.DeleteFunc(all, func(r contract.Refusal) bool { return !r.AppliesUnder(d.of.Behavior) })
}

func (d describer) statuses(r contract.Refusal) []int {
	if d.of.Behavior == nil {
		return d.Family.Statuses(r)
	}
	return []int{d.Family.Status(r, d.of.Behavior)}
}

// enum returns the values of a type that an entry limits. Where a switch selects another answer, any value is taken.
func (d describer) enum(t contract.Type) []string {
	if s := t.EnumRests.Switch; d.of.Behavior != nil && s != nil && s.Value(d.of.Behavior) != s.Default {
		return nil
	}
	return t.Enum
}

// longest returns the limit of a text that entries limit, by a number in a switch if there is one.
func (d describer) longest(t contract.Type) int {
	for _, e := range t.LimitsRests {
		if s := e.Switch; d.of.Behavior != nil && s != nil && s.Kind == contract.Number {
			longest, _ := strconv.Atoi(s.Value(d.of.Behavior)) // it is a number's text
			return longest
		}
	}
	return t.Longest
}

// body describes the object in a request, with the members that a switch requires.
func (d describer) body() *schema {
	s := d.object(d.Request)
	for _, e := range d.Uses {
		if sw := e.Switch; d.of.Behavior != nil && sw != nil && sw.Kind == contract.Members {
			for _, path := range strings.Split(sw.Value(d.of.Behavior), ", ") {
				s.require(strings.Split(path, "."))
			}
		}
	}
	return s
}

// require makes a member required, and those that it is in.
func (s *schema) require(path []string) {
	for _, name := range path {
		if s == nil || s.Properties[name] == nil {
			return
		}
		if !slices.Contains(s.Required, name) {
			s.Required = append(s.Required, name)
		}
		s = s.Properties[name]
	}
}

// examplesUnder returns the golden exchanges at paths of a dialect that are answered in one, and hold under a behaviour: the
// switches that their answers depend on are as in it. All of these hold where there is none.
func examplesUnder(b *sim.Behavior, at, in sim.Dialect) []fixtures.Exchange {
	standard := sim.DefaultBehavior()
	standard = *contract.SpokenIn(&standard, in)
	switches := contract.Switches()
	var all []fixtures.Exchange
	for _, e := range golden()[[2]sim.Dialect{at, in}] {
		if b == nil {
			all = append(all, e.Exchange)
			continue
		}
		holds := e.hasTextOfError(b)
		for _, s := range switches {
			if s.Kind == contract.Texts || s == contract.EverywhereDialect.Switch {
				continue // see hasTextOfError; the path and the answer's dialect say the other
			}
			value, isSet := e.switches[s.Key]
			if !isSet {
				value = s.Value(&standard)
			}
			if holds = holds && (value == s.Value(b) || !isSet && !dependsOn(e.Exchange, s)); !holds {
				break
			}
		}
		if holds {
			all = append(all, e.Exchange)
		}
	}
	return all
}

// goldenExchange is a golden exchange with what it sets and answers.
type goldenExchange struct {
	fixtures.Exchange
	switches  map[string]string
	errorCode string // in the body of its answer; empty: there is none
}

// hasTextOfError reports whether the exchange has the text for its error code that a behaviour has.
func (e goldenExchange) hasTextOfError(b *sim.Behavior) bool {
	return e.errorCode == "" || e.switches[contract.EverywhereMessages.Switch.Key+"."+e.errorCode] == b.Messages[e.errorCode]
}

// dependsOn reports whether a golden exchange depends on a switch: its answer rests on the entry, or the entry limits
// what the operation takes.
func dependsOn(e fixtures.Exchange, s *contract.Switch) bool {
	has := func(entry *contract.Entry) bool { return entry != nil && entry.Switch == s }
	depends := slices.ContainsFunc(e.Entries, func(id string) bool {
		entry, _ := contract.FindEntry(id)
		return has(entry)
	})
	if op, known := contract.Find(e.Operation()); known && op.Request != nil {
		op.Request.Walk(func(m contract.Member) {
			depends = depends || has(m.Type.EnumRests) || slices.ContainsFunc(m.Type.LimitsRests, has)
		})
	}
	return depends
}

// switchesOf returns the switches that a golden exchange sets, as texts by their keys such as groups.createStatus. A switch
// of texts has a key for each of them, such as messages.2004.
func switchesOf(e fixtures.Exchange) map[string]string {
	var behavior any
	if e.Behavior != nil && json.Unmarshal(e.Behavior, &behavior) != nil {
		panic("openapi: the behavior of the golden exchange " + e.Name + " is no JSON")
	}
	all := map[string]string{}
	var add func(key string, value any)
	add = func(key string, value any) {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			for name, member := range value {
				add(strings.TrimPrefix(key+"."+name, "."), member)
			}
		case []any:
			names := make([]string, len(value))
			for i, name := range value {
				names[i] = fmt.Sprint(name)
			}
			all[key] = strings.Join(names, ", ")
		default:
			all[key] = fmt.Sprint(value)
		}
	}
	add("", behavior)
	return all
}

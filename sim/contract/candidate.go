package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Candidate is a setting that may explain why a service answers otherwise: a value of a switch, or an entry whose
// refusals are accepted.
type Candidate struct {
	Entry *Entry
	Path  []string // below behavior in a scenario
	Value any      // an int, a text, a boolean, a length of time or a list of texts
}

// Candidates returns the settings that concern an operation. Switches that take any number have the given ones, and
// lists of members have each member alone. Settings of the simulator itself are left out, such as its dialect.
func Candidates(operation string, numbers []int) (all []Candidate) {
	for _, e := range declared {
		if e.Switch == nil || !e.Concerns(operation) || e.Part() == "everywhere" {
			continue
		}
		for _, value := range e.Switch.values(numbers) {
			all = append(all, Candidate{e, strings.Split(e.Switch.Key, "."), value})
		}
	}
	for _, a := range acceptances {
		if a.entry.Concerns(operation) {
			all = append(all, Candidate{a.entry, []string{refusals, a.entry.ID}, Accept})
		}
	}
	return all
}

// values returns the values that a switch can have, as far as they can be listed.
func (s *Switch) values(numbers []int) (all []any) {
	switch s.Kind {
	case Status:
		for _, name := range s.Names {
			status, _ := strconv.Atoi(name) // each name is a status
			all = append(all, status)
		}
	case Word:
		for _, name := range s.Names {
			all = append(all, name)
		}
	case Flag:
		all = []any{true, false}
	case Number:
		for _, n := range numbers {
			if n >= s.Least && n <= s.Most {
				all = append(all, n)
			}
		}
	case Lifetime:
		all = []any{time.Millisecond, 24 * time.Hour}
	case Members:
		for _, name := range s.Names {
			all = append(all, []string{name})
		}
	}
	return all
}

// Set returns a behaviour with the setting.
func (c Candidate) Set(b sim.Behavior) (sim.Behavior, error) {
	if c.Path[0] == refusals {
		b.Refusals = maps.Clone(b.Refusals)
		if b.Refusals == nil {
			b.Refusals = map[string]string{}
		}
		b.Refusals[c.Entry.ID] = Accept
		return b, nil
	}
	err := c.Entry.Switch.Set(&b, func(into any) error {
		text, err := json.Marshal(c.Value)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		return err
	})
	return b, err
}

// String returns the setting as one line of a scenario.
func (c Candidate) String() string {
	value := fmt.Sprint(c.Value)
	if names, isList := c.Value.([]string); isList {
		value = "[" + joined(slices.Clone(names)) + "]"
	}
	return "behavior." + strings.Join(c.Path, ".") + ": " + value
}

package contract

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Switch is a key of a scenario's behavior block. Its value selects an answer of an entry.
type Switch struct {
	Key     string // such as groups.createStatus
	Default string // as text
	About   string // for people who edit scenarios
	Kind    Kind
	// Names are the values of a Status or a Word with the default first, what a Members switch may list, or the keys of
	// Texts.
	Names []string
	Form  *Form // of a List
	// Choices are what a text of Texts can be, or nil if it can be any.
	Choices []string
	// FromZero says that a Lifetime can be 0.
	FromZero bool
	Least    int // of a Number
	Most     int

	alternatives []Alternative         // with the placeholders of [Entry] in their answers
	refuses      map[sim.Code][]string // maps a rule to the values under which it refuses; other rules always refuse

	get   func(*sim.Behavior) string
	set   func(b *sim.Behavior, decode func(into any) error) error
	texts func(*sim.Behavior) map[string]string // of Texts, or nil
}

// Form is what each text in a list must look like.
type Form struct {
	Pattern  string // a regular expression, anchored
	Title    string // what the text is, in words
	Examples []string
}

// Alternative is another answer than the default one.
type Alternative struct {
	Value  string `json:"value"` // of the switch; <duration> and the like stand for many values
	Answer string `json:"answer"`
	Basis  Basis  `json:"basis"`
}

// Kind says what values a switch takes.
type Kind int

// The kinds, each with the Go type of its values.
const (
	Status   Kind = iota // int: one of a few HTTP statuses
	Word                 // string: one of a few words
	Number               // int: a number from Least to Most
	Lifetime             // time.Duration: longer than 0
	Flag                 // bool
	Members              // []string: members of a body
	Texts                // map[string]string: texts by name
	List                 // []string: texts of a form
)

// maxNumber is the largest value of a switch that takes a number (choice).
const maxNumber = 100_000

// maxRows is the largest limit of the rows of a world (choice).
const maxRows = 100_000_000

// field returns the field of a behaviour that a switch sets.
type field[T any] func(*sim.Behavior) *T

// switchOf returns a switch. text writes a value of its field. The default is the value of the domain.
func switchOf[T any](
	kind Kind, key, about string, at field[T], text func(T) string, alternatives []Alternative,
) *Switch {
	s := &Switch{Key: key, About: about, Kind: kind, alternatives: alternatives, refuses: map[sim.Code][]string{}}
	s.get = func(b *sim.Behavior) string { return text(*at(b)) }
	s.set = func(b *sim.Behavior, decode func(into any) error) error {
		var value, zero T
		if err := decode(&value); err != nil {
			return err
		}
		if text(value) == "" { // an empty list is the same as none
			value = zero
		}
		*at(b) = value
		return nil
	}
	b := sim.DefaultBehavior()
	s.Default = s.get(&b)
	return s
}

// statusSwitch returns a switch between HTTP statuses. A behaviour has 0 for the standard status, because the domain
// knows no statuses.
func statusSwitch(key, about string, at field[int], standard int, alternatives ...Alternative) *Switch {
	text := func(status int) string { return strconv.Itoa(cmp.Or(status, standard)) }
	s := switchOf(Status, key, about, at, text, alternatives)
	set := s.set
	s.set = func(b *sim.Behavior, decode func(into any) error) error {
		err := set(b, decode)
		if *at(b) == standard {
			*at(b) = 0
		}
		return err
	}
	return enumerated(s)
}

// wordSwitch returns a switch between words.
func wordSwitch[T ~string](key, about string, at field[T], alternatives ...Alternative) *Switch {
	return enumerated(switchOf(Word, key, about, at, func(word T) string { return string(word) }, alternatives))
}

// numberSwitch returns a switch that takes a number from 1 to most. With a number, the answer is another one.
func numberSwitch(key, about string, at field[int], most int, answer string) *Switch {
	return numberFrom(1, key, about, at, most, answer)
}

// numberFrom returns a switch that takes a number from least to most.
func numberFrom(least int, key, about string, at field[int], most int, answer string) *Switch {
	s := switchOf(Number, key, about, at, strconv.Itoa, []Alternative{{"<number>", answer, Choice}})
	s.Least, s.Most = least, most
	return s
}

// lowestZero lets a length be 0, too.
func lowestZero(s *Switch) *Switch {
	s.FromZero = true
	return s
}

// lifetimeSwitch returns a switch that takes a length of virtual time.
func lifetimeSwitch(key, about string, at field[time.Duration]) *Switch {
	return switchOf(Lifetime, key, about, at, time.Duration.String, []Alternative{{"<duration>", "That long.", Choice}})
}

// flagSwitch returns a switch that is on or off.
func flagSwitch(key, about string, at field[bool], alternatives ...Alternative) *Switch {
	return switchOf(Flag, key, about, at, strconv.FormatBool, alternatives)
}

// listSwitch returns a switch that takes a list of texts of a form.
func listSwitch(key, about string, at field[[]string], form Form, alternatives ...Alternative) *Switch {
	s := switchOf(List, key, about, at, joined, alternatives)
	s.Form = &form
	return s
}

// namesSwitch returns a switch that takes a list of known names.
func namesSwitch(key, about string, at field[[]string], known []string, alternatives ...Alternative) *Switch {
	s := switchOf(Members, key, about, at, joined, alternatives)
	s.Names = known
	return s
}

func joined(texts []string) string { return strings.Join(texts, ", ") }

// textsSwitch returns a switch that takes a map from known names to texts.
func textsSwitch(
	key, about string, at field[map[string]string], known []string, alternatives ...Alternative,
) *Switch {
	text := func(byName map[string]string) string {
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			lines = append(lines, name+": "+byName[name])
		}
		return joined(lines)
	}
	s := switchOf(Texts, key, about, at, text, alternatives)
	s.Names = known
	s.texts = func(b *sim.Behavior) map[string]string { return *at(b) }
	return s
}

// choicesSwitch returns a switch that takes a map from known names to one of a few words.
func choicesSwitch(
	key, about string, at field[map[string]string], known, choices []string, alternatives ...Alternative,
) *Switch {
	s := textsSwitch(key, about, at, known, alternatives...)
	s.Choices = choices
	return s
}

// enumerated returns the switch with its default and its alternatives as Names.
func enumerated(s *Switch) *Switch {
	s.Names = []string{s.Default}
	for _, a := range s.alternatives {
		s.Names = append(s.Names, a.Value)
	}
	return s
}

// Switches returns the switches of all entries, in the order of the ledger.
func Switches() []*Switch {
	var all []*Switch
	for _, e := range ledger() {
		if e.Switch != nil {
			all = append(all, e.Switch)
		}
	}
	return all
}

// SwitchBlocks describes the blocks of switches by name. The block of groups.createStatus is groups.
var SwitchBlocks = map[string]string{
	"tokens":      "Switches of issuing and revoking tokens.",
	"estatements": "Switches of the e-statement operations.",
	"groups":      "Switches of the group and job operations.",
	"jobs":        "Switches of the jobs that import participants.",
	"alerts":      "Switches of the alert preference operation.",
	"cors":        "Which pages in browsers may read the answers: cross-origin resource sharing.",
	"headers":     "Switches of the headers that are the simulator's own.",
	"limits":      "Limits of what callers can add to the bank.",
}

// Value returns the value of the switch in a behaviour, as text.
func (s *Switch) Value(b *sim.Behavior) string { return s.get(b) }

// Set sets the switch in a behaviour to the value that decode writes. decode gets a pointer to the Go type of the kind.
func (s *Switch) Set(b *sim.Behavior, decode func(into any) error) error {
	if err := s.set(b, decode); err != nil {
		return err
	}
	if !s.isExplicit(b) {
		b.Explicit = append(slices.Clip(b.Explicit), s.Key) // another behaviour may have the same list
	}
	return nil
}

// isExplicit reports whether the switch was set in a behaviour.
func (s *Switch) isExplicit(b *sim.Behavior) bool { return slices.Contains(b.Explicit, s.Key) }

// TextsOf returns the value of a switch of the kind [Texts]. Callers must not change it.
func (s *Switch) TextsOf(b *sim.Behavior) map[string]string { return s.texts(b) }

// under declares that rules refuse requests only under a value. A rule with several values needs several calls.
func (s *Switch) under(value string, rules ...sim.Code) *Switch {
	for _, rule := range rules {
		s.refuses[rule] = append(s.refuses[rule], value)
	}
	return s
}

// decides reports whether the switch decides if a rule refuses requests.
func (s *Switch) decides(rule sim.Code) bool { return len(s.refuses[rule]) > 0 }

// refusesUnder reports whether a rule refuses requests under a behaviour. The switch must decide the rule.
func (s *Switch) refusesUnder(rule sim.Code, b *sim.Behavior) bool {
	value := s.get(b)
	if a := s.alternative(value); a != nil {
		value = a.Value
	}
	return slices.Contains(s.refuses[rule], value)
}

// alternative returns the alternative that a value selects, or nil for the default.
func (s *Switch) alternative(value string) *Alternative {
	i := slices.IndexFunc(s.alternatives, func(a Alternative) bool { return a.Value == value || a.isAnyOf() })
	if value == s.Default || i < 0 {
		return nil
	}
	return &s.alternatives[i]
}

// isAnyOf reports whether the alternative stands for many values.
func (a Alternative) isAnyOf() bool { return strings.HasPrefix(a.Value, "<") }

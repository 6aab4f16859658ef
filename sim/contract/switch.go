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

// Switch is a key of a scenario's behavior block, which selects another answer than the default one.
type Switch struct {
	Key     string // such as groups.createStatus
	Default string // as text
	About   string // what it switches, for those who edit a scenario
	Kind    Kind
	// Names are the values of a Status or a Word, the default first; of a Members switch, what may be listed; of Texts, the
	// keys that there may be.
	Names []string
	Form  *Form // of a List
	Least int   // of a Number
	Most  int

	alternatives []Alternative         // their answers as they are declared, see [Entry]
	refuses      map[sim.Code][]string // the values under which a rule refuses, of each rule that doesn't under all

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
	Value  string `json:"value"` // of the switch; in angle brackets: one of many, such as <duration>
	Answer string `json:"answer"`
	Basis  Basis  `json:"basis"`
}

// Kind says what values a switch takes.
type Kind int

// The kinds, with the Go type of their values.
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

// switchOf returns a switch of a member of a behaviour, whose values it has as text. Its default is that of the domain.
func switchOf[T any](kind Kind, key, about string, at func(*sim.Behavior) *T, text func(T) string, others []Alternative) *Switch {
	s := &Switch{
		Key: key, About: about, Kind: kind, alternatives: others, refuses: map[sim.Code][]string{},
		get: func(b *sim.Behavior) string { return text(*at(b)) },
		set: func(b *sim.Behavior, decode func(into any) error) error {
			var value, none T
			err := decode(&value)
			if text(value) == "" { // an empty list is none
				value = none
			}
			if err == nil {
				*at(b) = value
			}
			return err
		},
	}
	b := sim.DefaultBehavior()
	s.Default = s.get(&b)
	return s
}

// status returns a switch between HTTP statuses. The domain knows no statuses: in a behaviour, 0 stands for the default.
func status(key, about string, at func(*sim.Behavior) *int, standard int, others ...Alternative) *Switch {
	s := switchOf(Status, key, about, at, func(status int) string { return strconv.Itoa(cmp.Or(status, standard)) }, others)
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

// word returns a switch between words.
func word[T ~string](key, about string, at func(*sim.Behavior) *T, others ...Alternative) *Switch {
	return enumerated(switchOf(Word, key, about, at, func(word T) string { return string(word) }, others))
}

// number returns a switch that takes a number from 1 on, up to a largest one.
func number(key, about string, at func(*sim.Behavior) *int, most int, answer string) *Switch {
	s := switchOf(Number, key, about, at, strconv.Itoa, []Alternative{{"<number>", answer, Choice}})
	s.Least, s.Most = 1, most
	return s
}

// lifetime returns a switch that takes a length of virtual time.
func lifetime(key, about string, at func(*sim.Behavior) *time.Duration) *Switch {
	return switchOf(Lifetime, key, about, at, time.Duration.String, []Alternative{{"<duration>", "That long.", Choice}})
}

// flag returns a switch that is on or off.
func flag(key, about string, at func(*sim.Behavior) *bool, others ...Alternative) *Switch {
	return switchOf(Flag, key, about, at, strconv.FormatBool, others)
}

// list returns a switch that takes texts of a form.
func list(key, about string, at func(*sim.Behavior) *[]string, form Form, others ...Alternative) *Switch {
	s := names(key, about, at, nil, others...)
	s.Kind, s.Form = List, &form
	return s
}

// names returns a switch that takes some of the names given.
func names(key, about string, at func(*sim.Behavior) *[]string, known []string, others ...Alternative) *Switch {
	s := switchOf(Members, key, about, at, func(names []string) string { return strings.Join(names, ", ") }, others)
	s.Names = known
	return s
}

// texts returns a switch that takes texts for some of the names given.
func texts(key, about string, at func(*sim.Behavior) *map[string]string, known []string, others ...Alternative) *Switch {
	s := switchOf(Texts, key, about, at, func(texts map[string]string) string {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			all = append(all, name+": "+texts[name])
		}
		return strings.Join(all, ", ")
	}, others)
	s.Names, s.texts = known, func(b *sim.Behavior) map[string]string { return *at(b) }
	return s
}

// enumerated sets the values of a switch to its default and its alternatives.
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

// SwitchBlocks describes the blocks that the keys of switches begin with, such as groups in groups.createStatus.
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

// Set sets the switch in a behaviour to what decode decodes: into a pointer to the Go type of the switch's kind.
func (s *Switch) Set(b *sim.Behavior, decode func(into any) error) error { return s.set(b, decode) }

// TextsOf returns the texts of a switch of the kind [Texts] in a behaviour. They must not be written to.
func (s *Switch) TextsOf(b *sim.Behavior) map[string]string { return s.texts(b) }

// under declares that rules refuse requests under a value alone. Several values of a rule are declared one by one.
func (s *Switch) under(value string, rules ...sim.Code) *Switch {
	for _, rule := range rules {
		s.refuses[rule] = append(s.refuses[rule], value)
	}
	return s
}

// decides reports whether the value of the switch decides if a rule refuses requests.
func (s *Switch) decides(rule sim.Code) bool { return len(s.refuses[rule]) > 0 }

// refusesUnder reports whether a rule refuses requests under a behaviour. A value in angle brackets is the one of the
// alternative.
func (s *Switch) refusesUnder(rule sim.Code, b *sim.Behavior) bool {
	value := s.Default
	if a := s.chosen(b); a != nil {
		value = a.Value
	}
	return slices.Contains(s.refuses[rule], value)
}

// chosen returns the alternative that a behaviour selects, or nil for the default.
func (s *Switch) chosen(b *sim.Behavior) *Alternative { return s.alternative(s.get(b)) }

// alternative returns the alternative that a value selects, or nil for the default.
func (s *Switch) alternative(value string) *Alternative {
	i := slices.IndexFunc(s.alternatives, func(a Alternative) bool { return a.Value == value || a.AnyOf() })
	if value == s.Default || i < 0 {
		return nil
	}
	return &s.alternatives[i]
}

// AnyOf reports whether the alternative stands for many values of its switch.
func (a Alternative) AnyOf() bool { return strings.HasPrefix(a.Value, "<") }

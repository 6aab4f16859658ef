package fault

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// MaxRules is how many rules a set holds at most (choice).
const MaxRules = 1000

// Refusals of a set.
var (
	ErrNameTaken = errors.New("a fault of this name exists: remove it first, or choose another name")
	ErrTooMany   = fmt.Errorf("a sandbox holds at most %d faults: remove some", MaxRules)
)

// Set is the rules of one sandbox, in order, with their counts. All methods are safe for use by many goroutines.
type Set struct {
	seed  uint64
	rules atomic.Pointer[[]*counter] // replaced, never changed

	changing sync.Mutex  // held while rules are replaced
	removed  atomic.Bool // whether any was removed
}

// NewSet returns a set of rules. They have passed Check, and nobody changes them afterwards. Draws come from the seed.
func NewSet(rules []Rule, seed uint64) *Set {
	s := &Set{seed: seed}
	s.rules.Store(new([]*counter))
	if _, err := s.Add(rules...); err != nil {
		panic("fault: rules that were not checked: " + err.Error())
	}
	return s
}

// Empty reports whether there are no rules.
func (s *Set) Empty() bool { return len(*s.rules.Load()) == 0 }

// Add adds rules that have passed Check behind the others, all or none, and returns them with their names. A rule without
// one is called fault-N, by its place. Add fails with ErrNameTaken or ErrTooMany.
func (s *Set) Add(rules ...Rule) ([]Counted, error) { return s.put(slices.Clone, rules) }

// Replace replaces all rules as Add adds some. One that was there keeps its counts, whether it is or was switched off.
func (s *Set) Replace(rules ...Rule) ([]Counted, error) {
	s.removed.Store(s.removed.Load() || !s.Empty())
	return s.put(func([]*counter) []*counter { return nil }, rules)
}

// put puts rules behind those that stay.
func (s *Set) put(stay func([]*counter) []*counter, rules []Rule) ([]Counted, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	old := *s.rules.Load()
	next := stay(old)
	if len(next)+len(rules) > MaxRules {
		return nil, ErrTooMany
	}
	taken := make(map[string]bool, len(next)+len(rules))
	for _, c := range next {
		taken[c.rule.Name] = true
	}
	for _, r := range rules {
		if r.Name != "" && taken[r.Name] {
			return nil, ErrNameTaken
		}
		taken[r.Name] = true
	}
	for _, r := range rules {
		for n := len(next) + 1; r.Name == ""; n++ {
			if name := fmt.Sprintf("fault-%d", n); !taken[name] {
				r.Name, taken[name] = name, true
			}
		}
		c := newCounter(r)
		for _, was := range old {
			same := was.rule
			if same.Off = r.Off; reflect.DeepEqual(same, r) {
				c.tally = was.tally
			}
		}
		next = append(next, c)
	}
	s.rules.Store(&next)
	return s.Counts()[len(next)-len(rules):], nil
}

// Remove removes a rule by its name, and reports whether there was one.
func (s *Set) Remove(name string) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	rules := *s.rules.Load()
	left := slices.DeleteFunc(slices.Clone(rules), func(c *counter) bool { return c.rule.Name == name })
	s.rules.Store(&left)
	s.removed.Store(s.removed.Load() || len(left) < len(rules))
	return len(left) < len(rules)
}

// Gives reports whether a rule of the set can give an operation's request an answer with a status, or may have before it was removed.
func (s *Set) Gives(operation string, status int) bool {
	return s.removed.Load() || slices.ContainsFunc(*s.rules.Load(), func(c *counter) bool {
		return c.rule.Then.Status == status && c.rule.concerns(&Query{Operation: operation})
	})
}

// Counted is a rule with how many requests matched it, and for how many of them it fired.
type Counted struct {
	Rule
	Matched uint64 `json:"matched"`
	Fired   uint64 `json:"fired"`
}

// Counts returns the rules in their order, never nil.
func (s *Set) Counts() []Counted {
	now := s.Past()
	counted := make([]Counted, len(now.rules))
	for i, c := range now.rules {
		counted[i] = Counted{c.rule, now.counts[i].matched, now.counts[i].fired}
	}
	return counted
}

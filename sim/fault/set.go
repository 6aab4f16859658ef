package fault

import (
	"errors"
	"fmt"
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
	rules atomic.Pointer[[]*counter] // replaced, never changed; nil: none

	changing sync.Mutex // held while rules are replaced
	given    statuses   // by all rules that were ever added
}

// counter is a rule with its counts.
type counter struct {
	*matcher

	mu      sync.Mutex
	matched uint64
	fired   uint64
}

// NewSet returns a set of rules. They have passed Check, and nobody changes them afterwards. Draws come from the seed.
func NewSet(rules []Rule, seed uint64) *Set {
	s := &Set{seed: seed, given: statuses{}}
	if _, err := s.Add(rules...); err != nil {
		panic("fault: rules that were not checked: " + err.Error())
	}
	return s
}

// Empty reports whether there are no rules.
func (s *Set) Empty() bool { return s.rules.Load() == nil }

func (s *Set) all() []*counter {
	if rules := s.rules.Load(); rules != nil {
		return *rules
	}
	return nil
}

// Add adds rules that have passed Check behind the others, all or none, and returns them with their names. A rule without
// one is called fault-N, by its place. Add fails with ErrNameTaken or ErrTooMany.
func (s *Set) Add(rules ...Rule) ([]Counted, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	next := slices.Clone(s.all())
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
	added := make([]Counted, len(rules))
	for i, r := range rules {
		for n := len(next) + 1; r.Name == ""; n++ {
			if name := fmt.Sprintf("fault-%d", n); !taken[name] {
				r.Name, taken[name] = name, true
			}
		}
		next = append(next, &counter{matcher: newMatcher(r)})
		s.given.add(&r)
		added[i] = Counted{Rule: r}
	}
	s.replace(next)
	return added, nil
}

// Remove removes a rule by its name, and reports whether there was one.
func (s *Set) Remove(name string) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	rules := s.all()
	i := slices.IndexFunc(rules, func(c *counter) bool { return c.rule.Name == name })
	if i < 0 {
		return false
	}
	s.replace(slices.Concat(rules[:i], rules[i+1:]))
	return true
}

// Clear removes all rules.
func (s *Set) Clear() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.replace(nil)
}

func (s *Set) replace(rules []*counter) {
	if len(rules) == 0 {
		s.rules.Store(nil)
		return
	}
	s.rules.Store(&rules)
}

// Counted is a rule with how many requests matched it, and for how many of them it fired.
type Counted struct {
	Rule
	Matched uint64 `json:"matched"`
	Fired   uint64 `json:"fired"`
}

// Counts returns the rules in their order, never nil.
func (s *Set) Counts() []Counted {
	rules := s.all()
	counts := make([]Counted, len(rules))
	for i, c := range rules {
		c.mu.Lock()
		counts[i] = Counted{c.rule, c.matched, c.fired}
		c.mu.Unlock()
	}
	return counts
}

package fault

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxRules is the most rules that a set holds (choice).
const MaxRules = 1000

// Add and Replace refuse rules with these errors.
var (
	ErrNameTaken = errors.New("a fault of this name exists: remove it first, or choose another name")
	ErrTooMany   = fmt.Errorf("a sandbox holds at most %d faults: remove some", MaxRules)
)

// Set is the fault rules of a sandbox in their order, with how often each has matched and fired. It never changes:
// a method that changes something returns another Set.
type Set struct {
	seed    uint64
	rules   []*compiledRule // shared by all sets that have the rule; never changed
	counts  []count         // of the rule at the same index
	removed bool            // whether a rule was removed since the sandbox's generation began
	last    int             // the largest N of the names fault-N that the process knows, also of removed rules
}

// count is how many requests matched a rule, and for how many of them it fired.
type count struct{ matched, fired uint64 }

// NewSet returns a set of rules whose draws come from the seed. It panics if the rules do not pass Check. The caller
// must not change the rules afterwards.
func NewSet(rules []Rule, seed uint64) *Set {
	s, _, err := (&Set{seed: seed}).Add(rules...)
	if err != nil {
		panic("fault: rules that were not checked: " + err.Error())
	}
	return s
}

// Empty reports whether the set has no rules.
func (s *Set) Empty() bool { return len(s.rules) == 0 }

// Add returns a set with more rules behind its own, and these rules with their names. They must have passed Check. A
// rule without a name is called fault-N after its place, or after the largest N so far: a name leads to one rule, as
// long as the process runs. Add returns ErrNameTaken or ErrTooMany, and adds no rule if it cannot add all.
func (s *Set) Add(rules ...Rule) (next *Set, added []Counted, err error) { return s.put(rules, s) }

// Replace returns a set with other rules in place of all, and these rules with their names. A rule that the set has
// already keeps its counts, even if it is switched on or off. Otherwise Replace works like Add.
func (s *Set) Replace(rules ...Rule) (next *Set, put []Counted, err error) {
	cleared := &Set{seed: s.seed, removed: s.removed || !s.Empty()}
	next, put, err = cleared.put(rules, s)
	if err == nil {
		next.last = max(next.last, s.last)
	}
	return next, put, err
}

// put returns the set with more rules behind its own. A rule keeps its counts if old has an equal one. Off may differ.
func (s *Set) put(rules []Rule, old *Set) (*Set, []Counted, error) {
	if len(s.rules)+len(rules) > MaxRules {
		return nil, nil, ErrTooMany
	}
	named, err := s.named(rules)
	if err != nil {
		return nil, nil, err
	}
	next := &Set{
		seed: s.seed, rules: slices.Clone(s.rules), counts: slices.Clone(s.counts), removed: s.removed, last: s.last,
	}
	places := old.places()
	for _, r := range named {
		var was *compiledRule
		place, found := places[r.Name]
		if found {
			was = old.rules[place]
		}
		c, same := compile(r, was)
		var counted count
		if same {
			counted = old.counts[place]
		}
		next.rules, next.counts = append(next.rules, c), append(next.counts, counted)
		next.last = max(next.last, numberOf(r.Name))
	}
	return next, next.Counts()[len(s.rules):], nil
}

// named returns the rules with a name for each. It returns ErrNameTaken if two rules would have the same name.
func (s *Set) named(rules []Rule) ([]Rule, error) {
	taken := make(map[string]bool, len(s.rules)+len(rules))
	for _, c := range s.rules {
		taken[c.rule.Name] = true
	}
	for _, r := range rules {
		if r.Name != "" && taken[r.Name] {
			return nil, ErrNameTaken
		}
		taken[r.Name] = true
	}
	named, n := slices.Clone(rules), s.last
	for i := range named {
		for r := &named[i]; r.Name == ""; {
			n = max(n, len(s.rules)+i) + 1 // the names from its place to n are taken
			if name := fmt.Sprintf("fault-%d", n); !taken[name] {
				r.Name = name
			}
		}
	}
	return named, nil
}

// numberOf returns the N of a name fault-N, or 0.
func numberOf(name string) int {
	digits, _ := strings.CutPrefix(name, "fault-")
	n, err := strconv.Atoi(digits)
	if err != nil || fmt.Sprintf("fault-%d", n) != name || n > maxNumber {
		return 0
	}
	return n
}

// maxNumber bounds the numbers that are counted on. A rule may be given any name.
const maxNumber = 1 << 30

// places returns the index of each rule by its name.
func (s *Set) places() map[string]int {
	places := make(map[string]int, len(s.rules))
	for i, c := range s.rules {
		places[c.rule.Name] = i
	}
	return places
}

// Remove returns a set without the rule of this name, and whether there was one. It returns s itself if there was not.
func (s *Set) Remove(name string) (next *Set, found bool) {
	i := slices.IndexFunc(s.rules, func(c *compiledRule) bool { return c.rule.Name == name })
	if i < 0 {
		return s, false
	}
	rules, counts := slices.Concat(s.rules[:i], s.rules[i+1:]), slices.Concat(s.counts[:i], s.counts[i+1:])
	return &Set{seed: s.seed, rules: rules, counts: counts, removed: true, last: s.last}, true
}

// WithSeed returns the rules with their counts as another sandbox begins with them. Its draws come from the seed, and
// no rule of it was removed yet.
func (s *Set) WithSeed(seed uint64) *Set {
	return &Set{seed: seed, rules: s.rules, counts: s.counts, last: s.last}
}

// Gives reports whether a rule can answer a request to the operation with the status. It also returns true if a rule
// was removed, because that rule may have given the answer before.
func (s *Set) Gives(operation string, status int) bool {
	return s.removed || slices.ContainsFunc(s.rules, func(c *compiledRule) bool {
		return c.rule.Then.Status == status && c.rule.concerns(&Query{Operation: operation})
	})
}

// Counted is a rule with how many requests matched it, and for how many of them it fired.
type Counted struct {
	Rule
	Matched uint64 `json:"matched"`
	Fired   uint64 `json:"fired"`
	Summary string `json:"summary" doc:"Which requests the rule fires for, in a few words."`
}

// Counts returns the rules in their order. The slice is never nil.
func (s *Set) Counts() []Counted {
	counted := make([]Counted, len(s.rules))
	for i, c := range s.rules {
		counted[i] = Counted{c.rule, s.counts[i].matched, s.counts[i].fired, c.rule.Summary()}
	}
	return counted
}

// Bytes returns about how much memory the set takes without its rules. Sets of the same sandbox share the rules.
func (s *Set) Bytes() int { return 64 + 16*len(s.counts) }

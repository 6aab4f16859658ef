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

	removedFindings []Finding // of rules that were removed
}

// count is how many requests matched a rule, for how many of them it fired, and how often that had no effect.
type count struct {
	matched, fired, idle uint64
	rival                string   // the rule that kept it from an effect the last time, or ""
	windows              *windows // of its rate, or nil
}

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
// rule without a name is called fault-N after its place, or after the largest N so far. Add returns ErrNameTaken or
// ErrTooMany, and adds no rule if it cannot add all.
func (s *Set) Add(rules ...Rule) (next *Set, added []Counted, err error) { return s.put(rules, s) }

// Replace returns a set with other rules in place of all, and these rules with their names. A rule that the set has
// already keeps its counts, even if it is switched on or off. The others leave their findings. Otherwise Replace works
// like Add: a rule without a name may get the name of another one that it replaces.
func (s *Set) Replace(rules ...Rule) (next *Set, put []Counted, err error) {
	cleared := &Set{seed: s.seed, removed: s.removed || !s.Empty()}
	next, put, err = cleared.put(rules, s)
	if err != nil {
		return nil, nil, err
	}
	next.last = max(next.last, s.last)
	places := next.places()
	next.removedFindings = s.leave(func(c *compiledRule) bool {
		place, found := places[c.rule.Name]
		return !found || !next.rules[place].rule.isSame(c.rule)
	})
	return next, put, nil
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
		seed: s.seed, rules: slices.Clone(s.rules), counts: slices.Clone(s.counts),
		removed: s.removed, removedFindings: s.removedFindings, last: s.last,
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

// Remove returns a set without the rules of these names. It ignores a name that no rule has. A rule that is required
// and had no effect leaves a finding.
func (s *Set) Remove(names ...string) *Set {
	gone := func(c *compiledRule) bool { return slices.Contains(names, c.rule.Name) }
	next := &Set{seed: s.seed, removed: s.removed, removedFindings: s.leave(gone), last: s.last}
	for i, c := range s.rules {
		if !gone(c) {
			next.rules, next.counts = append(next.rules, c), append(next.counts, s.counts[i])
		}
	}
	next.removed = next.removed || len(next.rules) < len(s.rules)
	return next
}

// Has reports whether a rule has the name.
func (s *Set) Has(name string) bool {
	return slices.ContainsFunc(s.rules, func(c *compiledRule) bool { return c.rule.Name == name })
}

// WithSeed returns the rules with their counts as another sandbox begins with them. Its draws come from the seed, no
// rule of it was removed yet, and no test of it requires one.
func (s *Set) WithSeed(seed uint64) *Set {
	next := &Set{seed: seed, rules: slices.Clone(s.rules), counts: s.counts, last: s.last}
	for i, c := range s.rules {
		if c.rule.Required {
			optional := *c
			optional.rule.Required = false
			next.rules[i] = &optional
		}
	}
	return next
}

// Gives reports whether a rule can answer a request to the operation with the status. It also returns true if a rule
// was removed, because that rule may have given the answer before.
func (s *Set) Gives(operation string, status int) bool {
	return s.removed || slices.ContainsFunc(s.rules, func(c *compiledRule) bool {
		return c.rule.Then.Status == status && c.rule.concerns(&Query{Operation: operation})
	})
}

// Counted is a rule with how many requests matched it, for how many of them it fired, and how often that had an effect.
type Counted struct {
	Rule
	Matched   uint64 `json:"matched"`
	Fired     uint64 `json:"fired"`
	Effective uint64 `json:"effective" doc:"How often the rule changed an answer, its time or the bank when it fired."`
	Summary   string `json:"summary" doc:"Which requests the rule fires for, in a few words."`
}

// Counts returns the rules in their order. The slice is never nil.
func (s *Set) Counts() []Counted {
	counted := make([]Counted, len(s.rules))
	for i, c := range s.rules {
		n := s.counts[i]
		counted[i] = Counted{c.rule, n.matched, n.fired, n.fired - n.idle, c.rule.Summary()}
	}
	return counted
}

// Bytes returns about how much memory the set takes without its rules. Sets of the same sandbox share the rules.
func (s *Set) Bytes() int {
	callers := 0
	for _, c := range s.counts {
		if c.windows != nil {
			callers += len(*c.windows)
		}
	}
	return 64 + 40*len(s.counts) + 100*callers
}

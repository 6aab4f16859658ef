package fault

import "slices"

// Past is the rules of a set with their counts at one moment.
type Past struct {
	rules  []*counter
	counts []count
}

// count is how many requests matched a rule, and for how many of them it fired.
type count struct{ matched, fired uint64 }

// Past returns the rules with their counts as they are now.
func (s *Set) Past() *Past {
	p := &Past{rules: *s.rules.Load()}
	p.counts = make([]count, len(p.rules))
	for i, c := range p.rules {
		c.mu.Lock()
		p.counts[i] = c.count
		c.mu.Unlock()
	}
	return p
}

// Bytes returns about how much memory the counts take. The rules are those of the set.
func (p *Past) Bytes() int { return 64 + 16*len(p.counts) }

// Equal reports whether the counts of another moment of the same rules are the same.
func (p *Past) Equal(other *Past) bool { return slices.Equal(p.counts, other.counts) }

// NewSet returns a set of the rules, which go on counting from then. Draws come from the seed.
func (p *Past) NewSet(seed uint64) *Set {
	s := &Set{seed: seed}
	rules := make([]*counter, len(p.rules))
	for i, c := range p.rules {
		rules[i] = &counter{c.rule, c.request, &tally{count: p.counts[i]}}
	}
	s.rules.Store(&rules)
	return s
}

// Return returns the set to rules with their counts at a moment.
func (s *Set) Return(to *Past) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.rules.Store(to.NewSet(s.seed).rules.Load())
}

// Stored is the rules of a set with their counts, as a store keeps them.
type Stored struct {
	Rules   []StoredRule `json:"rules,omitzero"`
	Removed bool         `json:"removed,omitzero"` // whether any was removed
}

// Restore returns the set to rules with their counts that a store has kept.
func (s *Set) Restore(k Stored) {
	s.Return(k.Past())
	s.removed.Store(k.Removed)
}

// StoredRule is a rule with its counts.
type StoredRule struct {
	Rule    Rule   `json:"rule"`
	Matched uint64 `json:"matched"`
	Fired   uint64 `json:"fired"`
}

// Stored returns the rules with their counts as they are now.
func (s *Set) Stored() Stored {
	stored := Stored{Removed: s.removed.Load()}
	for _, c := range s.Counts() {
		stored.Rules = append(stored.Rules, StoredRule{c.Rule, c.Matched, c.Fired})
	}
	return stored
}

// Past returns the rules with their counts that a store has kept.
func (k Stored) Past() *Past {
	p := &Past{}
	for _, r := range k.Rules {
		p.rules = append(p.rules, newCounter(r.Rule))
		p.counts = append(p.counts, count{r.Matched, r.Fired})
	}
	return p
}

package fault

// Past is the rules of a set with their counts at one moment.
type Past struct {
	rules  []*counter
	counts []count
}

// count is how many requests matched a rule, and for how many it fired.
type count struct{ matched, fired uint64 }

// Past returns the rules with their counts as they are now.
func (s *Set) Past() *Past {
	p := &Past{rules: *s.rules.Load()}
	p.counts = make([]count, len(p.rules))
	for i, c := range p.rules {
		c.mu.Lock()
		p.counts[i] = count{c.matched, c.fired}
		c.mu.Unlock()
	}
	return p
}

// Bytes returns about how much memory the counts take. The rules are those of the set.
func (p *Past) Bytes() int { return 64 + 16*len(p.counts) }

// NewSet returns a set of the rules, which go on counting from then. Draws come from the seed.
func (p *Past) NewSet(seed uint64) *Set {
	s := &Set{seed: seed}
	rules := make([]*counter, len(p.rules))
	for i, c := range p.rules {
		rules[i] = &counter{c.rule, c.request, &tally{matched: p.counts[i].matched, fired: p.counts[i].fired}}
	}
	s.rules.Store(&rules)
	return s
}

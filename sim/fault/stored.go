package fault

import (
	"cmp"
	"slices"
)

// StoredRule is a rule as a store keeps it.
type StoredRule struct {
	Place   int    `json:"place"` // in the order of the rules, from 0, without gaps in a set
	Rule    Rule   `json:"rule"`
	Matched uint64 `json:"matched,omitzero"`
	Fired   uint64 `json:"fired,omitzero"`
	Idle    uint64 `json:"idle,omitzero"`  // how often it fired without effect
	Rival   string `json:"rival,omitzero"` // the rule that kept it from an effect the last time

	Windows *windows `json:"windows,omitzero"` // of its rate, by caller
}

// Stored returns all rules in their order, as a store keeps them.
func (s *Set) Stored() []StoredRule {
	all := make([]StoredRule, len(s.rules))
	for i := range s.rules {
		all[i] = s.storedAt(i)
	}
	return all
}

// StoredSince returns the rules that a store must put, and the names of the rules that it must remove, if it has the
// rules of old. It leaves out a rule whose compiled rule, counts and place are the same in old.
func (s *Set) StoredSince(old *Set) (put []StoredRule, removed []string) {
	for i, c := range s.rules {
		if i >= len(old.rules) || c != old.rules[i] || s.counts[i] != old.counts[i] {
			put = append(put, s.storedAt(i))
		}
	}
	if slices.Equal(s.rules, old.rules) {
		return put, nil
	}
	places := s.places()
	for _, c := range old.rules {
		if _, found := places[c.rule.Name]; !found {
			removed = append(removed, c.rule.Name)
		}
	}
	return put, removed
}

func (s *Set) storedAt(i int) StoredRule {
	n := s.counts[i]
	return StoredRule{i, s.rules[i].rule, n.matched, n.fired, n.idle, n.rival, n.windows}
}

// Removed reports whether a rule was removed since the sandbox's generation began.
func (s *Set) Removed() bool { return s.removed }

// RestoreSet returns the set that a store has kept. The rules may come in any order. RemovedFindings has
// returned the findings.
func RestoreSet(rules []StoredRule, removed bool, findings []Finding, seed uint64) *Set {
	return (&Set{seed: seed}).Apply(rules, nil, removed, findings)
}

// Apply returns the set with the changes that StoredSince returned at another process for an equal set: it puts rules
// and removes the rules whose names are in gone. A rule that was there with equal content keeps its compiled rule.
func (s *Set) Apply(put []StoredRule, gone []string, removed bool, findings []Finding) *Set {
	changed := make(map[string]*compiledRule, len(put)+len(gone)) // by name, or nil for a rule that s doesn't have
	for _, name := range gone {
		changed[name] = nil
	}
	for i := range put {
		changed[put[i].Rule.Name] = nil
	}
	type placed struct {
		place int
		rule  *compiledRule
		count count
	}
	all := make([]placed, 0, len(s.rules)+len(put))
	for i, c := range s.rules {
		if _, found := changed[c.rule.Name]; found {
			changed[c.rule.Name] = c
		} else {
			all = append(all, placed{i, c, s.counts[i]})
		}
	}
	for i := range put {
		r := &put[i]
		c, _ := compile(r.Rule, changed[r.Rule.Name])
		all = append(all, placed{r.Place, c, count{r.Matched, r.Fired, r.Idle, r.Rival, r.Windows}})
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	next := &Set{seed: s.seed, removed: removed, removedFindings: findings, last: s.last,
		rules: make([]*compiledRule, len(all)), counts: make([]count, len(all))}
	for i, p := range all {
		next.rules[i], next.counts[i] = p.rule, p.count
		next.last = max(next.last, numberOf(p.rule.rule.Name))
	}
	return next
}

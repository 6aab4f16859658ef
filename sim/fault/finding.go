package fault

import (
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Finding is something that the verdict of a sandbox says.
type Finding struct {
	Kind    string `json:"kind"`
	Name    string `json:"name,omitzero" doc:"The name of the fault, or the code of the lint."`
	From    string `json:"from,omitzero" doc:"Where the fault comes from, as its rule says."`
	Summary string `json:"summary,omitzero" doc:"Which requests the fault fires for."`
	Text    string `json:"text" doc:"A sentence for a test to fail with."`
}

// The kinds of findings about a rule. All but the last are about one that is required.
const (
	NeverFired    = "fault-never-fired"
	WithoutEffect = "fault-without-effect"
	Rivalled      = "fault-rivalled"  // another rule kept it from its effect
	Removed       = "fault-removed"   // before it fired
	Forgotten     = "fault-forgotten" // a rule that no test requires never fired
)

// maxRemoved is how many findings removed rules leave (choice).
const maxRemoved = MaxRules

// Findings returns the findings about the rules of these names, also about removed ones, or about all rules.
func (s *Set) Findings(names ...string) (all []Finding) {
	isAsked := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	for _, f := range s.removedFindings {
		if isAsked(f.Name) {
			all = append(all, f)
		}
	}
	for i, c := range s.rules {
		if found := c.rule.finding(s.counts[i]); found != nil && isAsked(c.rule.Name) {
			all = append(all, *found)
		}
	}
	return all
}

// Unused returns a finding for each rule that never fired, though no test requires it. It leaves out stubs, and rules
// that say who added them (From). A rule that fires by chance may rightly not. The list is never nil.
func (s *Set) Unused() []Finding {
	all := []Finding{}
	for i, c := range s.rules {
		r := &c.rule
		if n := s.counts[i]; !r.Required && r.From == "" && !r.Off && !r.IsStub() && r.When.Probability == 0 &&
			n.fired == 0 {
			text := fmt.Sprintf("the fault %s (%s) never fired: %s", r.Name, r.Summary(), matched(n))
			all = append(all, Finding{Kind: Forgotten, Name: r.Name, Summary: r.Summary(), Text: text})
		}
	}
	return all
}

// ForgetFindings returns a set that has forgotten the findings of the removed rules of these names, or of all.
func (s *Set) ForgetFindings(names ...string) *Set {
	next := *s
	next.removedFindings = slices.DeleteFunc(slices.Clone(s.removedFindings), func(f Finding) bool {
		return len(names) == 0 || slices.Contains(names, f.Name)
	})
	return &next
}

// RemovedFindings returns the findings of removed rules.
func (s *Set) RemovedFindings() []Finding { return s.removedFindings }

// After returns a set that begins in the place of another one, with the findings that its rules leave.
func (s *Set) After(old *Set) *Set {
	next := *s
	next.removedFindings = old.leave(func(*compiledRule) bool { return true })
	return &next
}

// leave returns the findings of the rules that were removed before, and of those that are gone now.
func (s *Set) leave(gone func(*compiledRule) bool) []Finding {
	left := slices.Clip(s.removedFindings)
	for i, c := range s.rules {
		found := c.rule.finding(s.counts[i])
		if found == nil || len(left) == maxRemoved || !gone(c) {
			continue
		}
		if found.Kind == NeverFired {
			found.Kind, found.Text = Removed, c.rule.sentence("was removed before it fired: "+matched(s.counts[i]))
		}
		left = append(left, *found)
	}
	return left
}

// finding returns the finding about a rule that is required and had no effect, or nil.
func (r *Rule) finding(n count) *Finding {
	if !r.Required || r.Off || n.fired > n.idle {
		return nil
	}
	kind, text := WithoutEffect, "fired without effect: "+r.missing()
	switch {
	case n.fired == 0:
		kind, text = NeverFired, "never fired: "+matched(n)
	case n.rival != "":
		kind, text = Rivalled, "fired without effect: the fault "+n.rival+" took its place"
	}
	return &Finding{Kind: kind, Name: r.Name, From: r.From, Summary: r.Summary(), Text: r.sentence(text)}
}

// sentence returns what a test fails with.
func (r *Rule) sentence(text string) string {
	from := ""
	if r.From != "" {
		from = r.From + ": "
	}
	return fmt.Sprintf("%sthe fault %s (%s) %s; if that is right, make the fault optional",
		from, r.Name, r.Summary(), text)
}

func matched(n count) string { return wording.Count(int(n.matched), "request") + " matched it" }

// missing says what the rule found nothing to have an effect on.
func (r *Rule) missing() string {
	switch {
	case r.Then.ExpireToken:
		return "no request had a valid access token"
	case r.Then.Connection != nil:
		return "no answer had a body that " + r.Then.Connection.Name() + " changes"
	}
	return "nothing of it reached the client"
}

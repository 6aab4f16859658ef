package scenario

import (
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// doubts returns what is valid in the author's files and probably not meant: an id that looks like another one, a user whom no
// token or login reaches, and a fault whose window has ended at the start.
func (r *report) doubts(tree *yaml.Node, d document, s *Scenario) Problems {
	v := doubter{report: newReport(r.file), start: s.Start}
	v.report.files = r.files
	for n, i := range d.Institutions {
		v.institution(lookup(tree, "institutions").Content[n], i)
	}
	for n, rule := range s.Faults {
		v.fault(lookup(tree, "faults").Content[n], rule)
	}
	problems, _ := v.report.err().(Problems)
	return problems
}

// doubter collects doubts as problems of a report.
type doubter struct {
	report *report
	start  time.Time // the clock's
}

// add adds a doubt, unless it is about a built-in scenario.
func (v doubter) add(at *yaml.Node, format string, args ...any) {
	if !v.report.originOf(at).builtIn {
		v.report.add(at, format, args...)
	}
}

func (v doubter) institution(at *yaml.Node, i institution) {
	v.alike(at, "clients", "sharedKey")
	v.alike(at, "users", "hostUserId")
	v.alike(at, "groups", "groupName")
	bound, forAll := map[string]bool{}, false
	for _, t := range i.Tokens {
		bound[t.HostUserID] = true
		forAll = forAll || t.HostUserID == ""
	}
	for n, u := range i.Users {
		here := lookup(at, "users").Content[n]
		v.alike(here, "accounts", "accountId")
		if len(i.Tokens) > 0 && !forAll && !bound[u.HostUserID] && (u.Username == "" || u.Password == "") {
			v.add(lookup(here, "hostUserId"),
				"no token or login reaches user %s: add a token with this hostUserId, or with none for all users, or username and password",
				phrase.Quote(u.HostUserID))
		}
	}
}

// alike adds the ids in a list that look like an earlier one.
func (v doubter) alike(in *yaml.Node, list, key string) {
	at := lookup(in, list)
	if at == in {
		return
	}
	first := map[string]*yaml.Node{}
	for n := range at.Content {
		id := lookup(at.Content[n], key)
		look := appearance(id.Value)
		other, taken := first[look]
		switch {
		case !taken:
			first[look] = id
		case other.Value != id.Value:
			if v.report.originOf(id).builtIn {
				id, other = other, id
			}
			v.add(id, "%s %s looks like %s in %s, line %d, and is another one",
				key, phrase.Quote(id.Value), phrase.Quote(other.Value), v.report.originOf(other).file, other.Line)
		}
	}
}

// appearance returns a text that is equal for ids that look equal: without blanks, and with one character for those alike.
func appearance(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == 'O' || r == 'o':
			return '0'
		case r == 'l' || r == 'I':
			return '1'
		}
		return r
	}, plainly(id))
}

// fault adds a rule that never fires: its window has ended when the clock starts.
func (v doubter) fault(at *yaml.Node, rule fault.Rule) {
	d := rule.When.During
	if d == nil || d.Until.At.IsZero() || d.Until.At.After(v.start) {
		return
	}
	v.add(lookup(at, "when", "during"), "this fault never fires: its window ends at %s, and the clock starts at %s",
		moment(d.Until.At), moment(v.start))
}

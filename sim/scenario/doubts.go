package scenario

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// A doubt is about something legal that is hardly what its author meant: an id that differs from another one by what nobody sees, a
// user whom nobody can be, a fault that never fires. Doubts are few, and no mistakes: whoever wants it so leaves it so.

// doubter collects the doubts about a scenario.
type doubter struct {
	report *report // knows the file of each node
	start  time.Time
	moving bool // whether the clock runs
	doubts Problems
}

// doubts returns the doubts about a checked document, at most as many as problems are reported.
func (r *report) doubts(root *yaml.Node, d document, s *Scenario) Problems {
	c := doubter{report: r, start: s.Start, moving: s.Running}
	at := place{root}
	for n, i := range d.Institutions {
		here := at.key("institutions").item(n)
		c.nearIDs(here.key("users"), "hostUserId")
		c.nearIDs(here.key("groups"), "groupName")
		holders := map[string]bool{} // of tokens; the empty one stands for all
		for _, t := range i.Tokens {
			holders[t.HostUserID] = true
		}
		for k, u := range i.Users {
			c.nearIDs(here.key("users").item(k).key("accounts"), "accountId")
			if len(holders) > 0 && !holders[""] && !holders[u.HostUserID] && (u.Username == "" || u.Password == "") {
				c.add(here.key("users").item(k).key("hostUserId"), "no token of the scenario reaches user "+phrase.Quote(u.HostUserID)+
					", who can't log in either: add a token with this hostUserId or with none, or username and password")
			}
		}
	}
	for n, rule := range ruleList(d.Faults) {
		if during := rule.When.During; during != nil {
			c.window(at.key("faults").item(n).key("when").key("during"), during)
		}
	}
	return c.doubts
}

func (c *doubter) add(at place, message string) {
	if from := c.report.originOf(at.node); !from.builtIn && len(c.doubts) < maxProblems {
		c.doubts = append(c.doubts, Problem{from.file, max(at.node.Line, 1), max(at.node.Column, 1), message})
	}
}

// nearIDs doubts ids in a list that differ from an earlier one only by blanks, case or characters that look alike.
func (c *doubter) nearIDs(list place, key string) {
	if list.node.Kind != yaml.SequenceNode {
		return
	}
	first := map[string]string{}
	for n := range list.node.Content {
		at := list.item(n).key(key)
		folded := strings.ToLower(strings.Join(strings.Fields(latin(plainly(at.node.Value))), ""))
		if other, near := first[folded]; near && other != at.node.Value {
			c.add(at, key+" "+phrase.Quote(at.node.Value)+" looks like "+phrase.Quote(other)+" above, and is another one")
			continue
		}
		first[folded] = at.node.Value
	}
}

// window doubts a window that the clock doesn't reach.
func (c *doubter) window(at place, d *fault.During) {
	moment := func(m fault.Moment) time.Time {
		if m.At.IsZero() {
			return c.start.Add(time.Duration(m.Offset))
		}
		return m.At
	}
	from, until := moment(d.From), moment(d.Until)
	if d.For != 0 {
		until = from.Add(time.Duration(d.For))
	}
	switch start := c.start.Format(time.RFC3339); {
	case (d.For != 0 || !d.Until.IsZero()) && !until.After(c.start):
		c.add(at, "this fault never fires: its window is over at "+until.UTC().Format(time.RFC3339)+", and the clock starts at "+start)
	case !c.moving && from.After(c.start):
		c.add(at, "this fault never fires unless a test moves the clock, which stands still at "+start)
	}
}

// lookalikes are letters of other alphabets that look like Latin ones, each beside that.
var lookalikes = strings.NewReplacer("а", "a", "в", "b", "е", "e", "к", "k", "м", "m", "о", "o", "р", "p", "с", "c", "т", "t", "у", "y", "х", "x",
	"і", "i", "ѕ", "s", "ј", "j", "А", "A", "В", "B", "Е", "E", "К", "K", "М", "M", "Н", "H", "О", "O", "Р", "P", "С", "C", "Т", "T", "Х", "X",
	"α", "a", "ο", "o", "ν", "v", "Α", "A", "Β", "B", "Ε", "E", "Ι", "I", "Κ", "K", "Μ", "M", "Ν", "N", "Ο", "O", "Ρ", "P", "Τ", "T", "Χ", "X")

// latin returns a text with Latin letters in place of those that look like them.
func latin(text string) string { return lookalikes.Replace(text) }

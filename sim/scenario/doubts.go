package scenario

import (
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// doubt adds what is valid in the author's files and probably not meant: it is about no built-in scenario.
func (c *checker) doubt(at *yaml.Node, format string, args ...any) {
	if !c.originOf(at).builtIn {
		c.doubts.add(at, format, args...)
	}
}

// doubtful adds ids of an institution that look like others, and users whom no token or login reaches.
func (c *checker) doubtful(at *yaml.Node, i institution) {
	c.alike(at, "clients", "sharedKey")
	c.alike(at, "users", "hostUserId")
	c.alike(at, "groups", "groupName")
	bound := map[string]bool{} // by hostUserId; by "": to no user
	for _, t := range i.Tokens {
		bound[t.HostUserID] = true
	}
	for n, u := range i.Users {
		here := lookup(at, "users").Content[n]
		c.alike(here, "accounts", "accountId")
		if len(i.Tokens) > 0 && !bound[""] && !bound[u.HostUserID] && (u.Username == "" || u.Password == "") {
			c.doubt(lookup(here, "hostUserId"),
				"no token or login reaches user %s: add a token with this hostUserId, or with none for all users, or username and password",
				phrase.Quote(u.HostUserID))
		}
	}
}

// alike adds the ids in a list that look like an earlier one.
func (c *checker) alike(in *yaml.Node, list, key string) {
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
			if c.originOf(id).builtIn {
				id, other = other, id
			}
			c.doubt(id, "%s %s looks like %s in %s, line %d, and is another one",
				key, phrase.Quote(id.Value), phrase.Quote(other.Value), c.originOf(other).file, other.Line)
		}
	}
}

// appearance returns a text that is equal for ids that look equal: without blanks, and with one character for those
// alike.
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

// needsStart adds a time of the clock in a scenario that doesn't say where the clock starts. Under serve, such a clock
// starts at the real time, and the time may be over by then.
func (c *checker) needsStart(at *yaml.Node, key string, t time.Time) {
	if !c.givesStart && t.After(DefaultStart) {
		c.doubt(lookup(at, key), "%s is a time of the clock, and the scenario doesn't say where its clock starts: "+
			"add clock: {start: %s}", key, moment(DefaultStart))
	}
}

// neverFires adds a fault whose window has ended when the clock starts.
func (c *checker) neverFires(at *yaml.Node, rule fault.Rule, start time.Time) {
	d := rule.When.During
	if d == nil {
		return
	}
	c.needsStart(lookup(at, "when", "during"), "from", d.From.At)
	c.needsStart(lookup(at, "when", "during"), "until", d.Until.At)
	if !d.Until.At.IsZero() && !d.Until.At.After(start) {
		c.doubt(lookup(at, "when", "during"), "this fault never fires: its window ends at %s, and the clock starts at %s",
			moment(d.Until.At), moment(start))
	}
}

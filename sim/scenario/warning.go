package scenario

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// warner collects warnings: what is valid, but probably a mistake.
type warner struct {
	findings
	files   []source
	invalid nodeSet // the values that don't fit the schema
	partial bool    // whether something that is extended is missing
	clock   clock
	lines   map[int][]string // of the files, by their numbers
}

// warnings returns what is valid in a document and probably not meant. Texts are judged by the tree.
func warnings(f family, m merged, d Document, invalid nodeSet) findings {
	w := warner{files: f.files, invalid: invalid, partial: f.partial, clock: d.Clock, lines: map[int][]string{}}
	w.checkAlike(m.tree, "institutions", "institutionId")
	w.checkTexts(m.tree, "")
	for n, i := range d.Institutions {
		at := lookup(m.tree, "institutions").Content[n]
		w.checkInstitution(at, i)
		w.checkTimes(at, i)
		w.checkRows(at, i)
	}
	behavior := behaviorOf(&d.Behavior)
	w.checkSwitches(m.tree, behavior)
	for n, rule := range ruleList(d.Faults) {
		at := lookup(m.tree, "faults").Content[n]
		w.checkWindow(at, rule)
		w.checkDialect(at, rule, behavior.ForcedDialect)
		w.checkPath(at, rule)
		if body := valueOf(valueOf(at, "then"), "body"); body != nil {
			w.checkBody(body, rule.Path, true)
		}
		if rule.Off && rule.Required {
			w.warn(lookup(at, "required"), "this fault is off and required: it can't fire before it is switched on")
		}
	}
	return w.findings
}

// warn adds a warning. What an embedded scenario has is meant.
func (w *warner) warn(at *yaml.Node, format string, args ...any) {
	if !w.files[fileOf(at)].builtIn {
		w.add(at, format, args...)
	}
}

// checkInstitution warns of ids that look like others, and of users whom no token and no login reaches.
func (w *warner) checkInstitution(at *yaml.Node, i institution) {
	w.checkAlike(at, "clients", "sharedKey")
	w.checkAlike(at, "users", "hostUserId")
	w.checkAlike(at, "groups", "groupName")
	bound := map[string]bool{} // the users that a token is bound to, or "" for a token of all users
	for _, t := range i.Tokens {
		bound[t.HostUserID] = true
	}
	for n, u := range i.Users {
		user := lookup(at, "users").Content[n]
		w.checkAlike(user, "accounts", "accountId")
		hasLogin := u.Username != "" && u.Password != ""
		isReached := bound[""] || bound[u.HostUserID] || hasLogin || len(i.Tokens) == 0 && len(i.Clients) > 0
		if !isReached && u.HostUserID != "" && !w.partial {
			w.warn(lookup(user, "hostUserId"), "no token or login reaches user %s: add a token with this hostUserId, "+
				"or with none for all users, or username and password", wording.Quote(u.HostUserID))
		}
	}
}

// checkSwitches warns of values that the public API description rules out at the public paths.
func (w *warner) checkSwitches(tree *yaml.Node, b sim.Behavior) {
	if b.CORS.Credentials && len(b.CORS.Origins) == 0 {
		w.warn(lookup(tree, "behavior", "cors", "credentials"), "credentials have no effect without origins: list them")
	}
	if b.ForcedDialect == sim.DialectDocument {
		return
	}
	for _, e := range contract.Ledger() {
		if e.Switch == nil || !slices.Contains(b.Explicit, e.Switch.Key) {
			continue
		}
		if value := e.Switch.Value(&b); e.RulesOut(value) {
			at := lookup(tree, append([]string{"behavior"}, strings.Split(e.Switch.Key, ".")...)...)
			w.warn(at, "%s counts at the public paths, too, where the public API description has %s (%s)",
				value, e.Public.Default, e.ID)
		}
	}
}

// checkTimes warns of times of tokens and jobs.
func (w *warner) checkTimes(at *yaml.Node, i institution) {
	for n, t := range i.Tokens {
		token := lookup(at, "tokens").Content[n]
		w.checkTime(token, "expiresAt", t.ExpiresAt.or(DefaultStart))
		w.checkTime(token, "refreshExpiresAt", t.RefreshExpiresAt.or(DefaultStart))
	}
	for n, g := range i.Groups {
		for k, j := range g.Jobs {
			job := lookup(lookup(at, "groups").Content[n], "jobs").Content[k]
			w.checkTime(job, "endsAt", j.EndsAt.or(DefaultStart))
			start := w.clock.startTime()
			if w.clock.Start == startNow && j.EndsAt != "" && !j.EndsAt.or(start).After(start) {
				// An error would refuse a scenario that was valid yesterday.
				w.warn(lookup(job, "endsAt"),
					"endsAt is over, and the clock starts now, at %s: the job ends at once", moment(start))
			}
		}
	}
}

// checkAlike warns of an id in a list that looks like an earlier one.
func (w *warner) checkAlike(in *yaml.Node, list, key string) {
	items := valueOf(in, list)
	if !isKind(items, yaml.SequenceNode) {
		return
	}
	first := map[string]*yaml.Node{}
	for _, item := range items.Content {
		id := lookup(item, key)
		if status := valueOf(item, "groupStatus"); status != nil && status.Value == sim.GroupStatusDeleted {
			continue
		}
		look := appearance(id.Value)
		if key == "institutionId" {
			look = strings.TrimLeft(look, "0")
		}
		other, seen := first[look]
		switch {
		case !isKind(id, yaml.ScalarNode):
		case !seen:
			first[look] = id
		case other.Value != id.Value:
			if w.files[fileOf(id)].builtIn {
				id, other = other, id
			}
			w.warn(id, "%s %s looks like %s in %s, line %d, and is another one", key, wording.Quote(id.Value),
				wording.Quote(other.Value), w.files[fileOf(other)].file, lineOf(other))
		}
	}
}

// appearance returns a text that is equal for ids that look equal: without blanks, in lower case, and with one
// character for similar ones.
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
		return unicode.ToLower(r)
	}, plainly(id))
}

// checkTexts warns of texts that YAML reads otherwise than they look. The value n belongs to the key.
func (w *warner) checkTexts(n *yaml.Node, key string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i].Value; !slices.Contains(freeForms, key) {
				w.checkTexts(n.Content[i+1], key)
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			w.checkTexts(item, key)
		}
	case yaml.ScalarNode:
		switch {
		case w.invalid[n]:
		case n.Tag == "!!str":
			w.checkText(n, key)
		case wholeThousands().MatchString(n.Value) && !fractions[key]:
			w.warn(n, "%s is %s in YAML: write it without the point and what follows, or %s",
				n.Value, strings.TrimSuffix(n.Value, ".000"), strings.ReplaceAll(n.Value, ".", ""))
		}
	}
}

// wholeThousands matches a number that is a thousand times larger where a point separates thousands.
var wholeThousands = lazy.Regexp(`^[1-9][0-9]{0,2}\.000$`)

// fractions are the keys whose values are no whole numbers.
var fractions = map[string]bool{"probability": true, "sigma": true, "inactiveUsers": true, "electronicStatements": true,
	"accepted": true, "notAccepted": true, "none": true}

// freeTexts are the keys whose values may well contain a #.
var freeTexts = map[string]bool{
	"description":      true,
	"groupName":        true,
	"groupDescription": true,
	"experienceName":   true,
	"username":         true,
	"password":         true,
	"secretKey":        true,
	"message":          true,
	"reason":           true,
}

// placeholder matches a text that a program was to fill in.
var placeholder = lazy.Regexp(`\$\{\w+\}|\{\{.*\}\}`)

// prose are the keys whose values people read and no program compares.
var prose = map[string]bool{"description": true, "message": true}

// quoted matches a text in typographic quotes.
var quoted = lazy.Regexp("^[“”„‟«»‘’‚‛][^“”„‟«»‘’‚‛]*[“”„‟«»‘’‚‛]$")

// inQuotes matches a text that has quotes of its own.
var inQuotes = lazy.Regexp(`^(".*"|'.*')$`)

// checkText warns of one text that YAML reads otherwise than it looks.
func (w *warner) checkText(n *yaml.Node, key string) {
	text := n.Value
	trimmed := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) })
	isPlain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	isBlock := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case strings.HasSuffix(key, "Id") && inQuotes().MatchString(text):
		w.warn(n, "the quotes are a part of %s: remove one pair", key)
	case quoted().MatchString(text):
		w.warn(n, "the typographic quotes are a part of %s: write quotes of the keyboard, or none", key)
	case isPlain && strings.HasPrefix(n.LineComment, "#") && w.cutsText(n, key):
		w.warn(n, "%s ends before the #, because a comment begins there: "+
			"put the value in quotes, or write # after two spaces", key)
	case placeholder().MatchString(text) && key != "path":
		w.warn(n, "a scenario fills in no placeholders: %s keeps the one it has", key)
	case prose[key] || trimmed == text:
	case isBlock && strings.TrimRight(text, "\n") == trimmed:
		w.warn(n, `a line break is a part of %s: write "|-" in place of "|", or the value on one line`, key)
	default:
		w.warn(n, "a blank at the beginning or the end is a part of %s: remove it", key)
	}
}

// cutsText reports whether a comment may rather be the rest of a text: there is a single space before the #, and no
// space after it.
func (w *warner) cutsText(n *yaml.Node, key string) bool {
	number := fileOf(n)
	if w.lines[number] == nil {
		w.lines[number] = strings.Split(string(w.files[number].text), "\n")
	}
	line := w.lines[number][min(lineOf(n), len(w.lines[number]))-1]
	before, _, _ := strings.Cut(line, n.LineComment)
	comment := strings.TrimPrefix(n.LineComment, "#")
	isClose := strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "  ")
	if !isClose || comment == "" || unicode.IsSpace(rune(comment[0])) {
		return false
	}
	return freeTexts[key] || strings.HasSuffix(key, "Id") && unicode.IsDigit(rune(comment[0]))
}

// checkTime warns of a time of the clock in a scenario that doesn't say where the clock starts. Under serve, such a
// clock starts at the real time, and the time may be over by then.
func (w *warner) checkTime(at *yaml.Node, key string, t time.Time) {
	add := "clock: {start: %s}"
	if w.clock.Run != nil {
		add = "start: %s to clock"
	}
	if w.clock.Start == "" && t.After(DefaultStart) {
		w.warn(lookup(at, key), "%s is a time of the clock, and the scenario doesn't say where its clock starts "+
			"(under serve: now): to start it at this time, add "+add, key, moment(t))
	}
}

// checkWindow warns of a fault whose window has ended when the clock starts.
func (w *warner) checkWindow(at *yaml.Node, rule fault.Rule) {
	d := rule.When.During
	if d == nil {
		return
	}
	during := lookup(at, "when", "during")
	if w.checkTime(during, "from", d.From.At); d.From.At.IsZero() {
		w.checkTime(during, "until", d.Until.At)
	}
	if start := w.clock.startTime(); !d.Until.At.IsZero() && !d.Until.At.After(start) {
		w.warn(during, "this fault never fires: its window ends at %s, and the clock starts at %s",
			moment(d.Until.At), moment(start))
	}
}

// checkDialect warns of a fault for requests in another dialect than the one that the bank answers all requests in.
func (w *warner) checkDialect(at *yaml.Node, rule fault.Rule, forced sim.Dialect) {
	r := rule.When.Request
	if r != nil && r.Dialect != "" && forced != sim.DialectByPath && r.Dialect != string(forced) {
		w.warn(lookup(at, "when", "request", "dialect"), "this fault never fires: behavior.dialect is %s", forced)
	}
}

// variable matches a segment of a path in the notation that other tools have for a variable.
var variable = lazy.Regexp(`/(:[A-Za-z_]\w*|\*)(/|$)`)

// checkPath warns of a stub whose path has a variable in the notation of another tool.
func (w *warner) checkPath(at *yaml.Node, rule fault.Rule) {
	if match := variable().FindStringSubmatch(rule.Path); match != nil {
		name := strings.Trim(match[1], ":*")
		if name == "" {
			name = "name"
		}
		w.warn(lookup(at, "path"),
			"%s in path stands for itself: write {%s} for any segment", wording.Quote(match[1]), name)
	}
}

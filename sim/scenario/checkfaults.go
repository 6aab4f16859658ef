package scenario

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// faults checks the rules by themselves. It skips those that don't fit the schema.
func (c *checker) faults(at *yaml.Node, rules []fault.Rule) {
	problems := fault.Check(rules)
	if c.files[0].storedVersion == "" {
		problems = append(problems, fault.CheckCodes(rules)...)
	}
	for _, problem := range problems {
		if i, _ := strconv.Atoi(problem.Path[0]); !c.invalid[at.Content[i]] {
			c.add(lookup(at, problem.Path...), "%s", problem.Message)
		}
	}
}

// faultReferences checks the institutions and users that rules refer to.
func (c *checker) faultReferences(d Document) {
	byID, everyUser := map[string]institution{}, map[string]bool{}
	var institutions, users []string
	for _, i := range d.Institutions {
		byID[i.InstitutionID] = i
		institutions = append(institutions, i.InstitutionID)
		users = append(users, c.userIDs[i.InstitutionID].names...)
		maps.Copy(everyUser, c.userIDs[i.InstitutionID].has)
	}
	rules := ruleList(d.Faults[:min(len(d.Faults), fault.MaxRules)])
	for at, rule := range items(c.tree, "faults", rules) {
		r := rule.When.Request
		if r == nil || c.invalid[at] || c.partial || c.full() {
			continue
		}
		request, id := lookup(at, "when", "request"), r.HostUserID
		asked, known := byID[r.InstitutionID]
		switch {
		case isLiteral(r.InstitutionID) && !known:
			c.add(lookup(request, "institutionId"), "no institution of the scenario has institutionId %s%s",
				wording.Quote(r.InstitutionID), c.didYouMean(r.InstitutionID, institutions, "there are"))
		case !isLiteral(id):
		case len(institutions) == 1 || known:
			asked = byID[cmp.Or(asked.InstitutionID, institutions[0])]
			if all := c.userIDs[asked.InstitutionID]; !all.has[id] && !asked.Generate.generatesUser(id) {
				c.refersToUser(lookup(request, "hostUserId"), asked, id, all)
			}
		case !everyUser[id] && !c.isGenerated(d, id):
			c.add(lookup(request, "hostUserId"),
				"no user has hostUserId %s%s", wording.Quote(id), c.didYouMean(id, users, "there are"))
		}
	}
}

// refersToUser reports a condition for a user who isn't there. It may have been meant as a pattern.
func (c *checker) refersToUser(at *yaml.Node, i institution, id string, all knownIDs) {
	if pattern := strings.Trim(id, "/"); pattern != id || strings.ContainsAny(id, "*^$[]()|\\") {
		c.add(at, "no user has hostUserId %s: for a regular expression, write %s", wording.Quote(id),
			wording.Quote("~"+pattern))
		return
	}
	c.refersToNothing(at, i, "users", id, all)
}

// isGenerated reports whether an institution generates a user with a hostUserId.
func (c *checker) isGenerated(d Document, hostUserID string) bool {
	return slices.ContainsFunc(d.Institutions, func(i institution) bool { return i.Generate.generatesUser(hostUserID) })
}

// isLiteral reports whether a condition is a single value.
func isLiteral(condition string) bool { return condition != "" && !strings.HasPrefix(condition, "~") }

// fault warns of a fault that never fires, or that answers otherwise than it looks.
func (c *checker) fault(at *yaml.Node, rule fault.Rule) {
	c.window(at, rule)
	r, forced := rule.When.Request, c.behavior.ForcedDialect
	if r != nil && r.Dialect != "" && forced != sim.DialectByPath && r.Dialect != string(forced) {
		c.warn(lookup(at, "when", "request", "dialect"), "this fault never fires: behavior.dialect is %s", forced)
	}
	c.path(at, rule)
	if body := valueOf(valueOf(at, "then"), "body"); body != nil {
		c.body(body, rule.Path, true)
	}
	if rule.Off && rule.Required {
		c.warn(lookup(at, "required"), "this fault is off and required: it can't fire before it is switched on")
	}
}

// window warns of a fault whose window has ended when the clock starts.
func (c *checker) window(at *yaml.Node, rule fault.Rule) {
	d := rule.When.During
	if d == nil {
		return
	}
	during := lookup(at, "when", "during")
	if c.afterStart(during, "from", d.From.At); d.From.At.IsZero() {
		c.afterStart(during, "until", d.Until.At)
	}
	if !d.Until.At.IsZero() && !d.Until.At.After(c.start) {
		c.warn(during, "this fault never fires: its window ends at %s, and the clock starts at %s",
			moment(d.Until.At), moment(c.start))
	}
}

// variable matches a segment of a path in the notation that other tools have for a variable.
var variable = lazy.Regexp(`/(:[A-Za-z_]\w*|\*)(/|$)`)

// path warns of a stub whose path has a variable in the notation of another tool.
func (c *checker) path(at *yaml.Node, rule fault.Rule) {
	if match := variable().FindStringSubmatch(rule.Path); match != nil {
		name := strings.Trim(match[1], ":*")
		if name == "" {
			name = "name"
		}
		c.warn(lookup(at, "path"),
			"%s in path stands for itself: write {%s} for any segment", wording.Quote(match[1]), name)
	}
}

// wholeVariable returns the name in a mapping of a body that was meant as a text, {id}, or nothing.
func wholeVariable(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 && isLeftOut(n.Content[1]) {
		return n.Content[0].Value
	}
	return ""
}

// body warns of variables in the body of a stub that are sent as they are: without quotes, in a body that is a
// text, or in the notation of another tool.
func (c *checker) body(n *yaml.Node, path string, isWhole bool) {
	isVariable := func(name string) bool { return strings.Contains(path, "{"+name+"}") }
	if name := wholeVariable(n); name != "" && isVariable(name) {
		c.warn(n, `{%s} is a mapping here: write "{%s}" for the variable`, name, name)
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if match := placeholder().FindString(n.Value); match != "" {
			c.warn(n, "%s stays as it is: write {name} for a variable of the path", wording.Quote(match))
		} else if isWhole && slices.ContainsFunc(variablesOf(path), func(name string) bool {
			return strings.Contains(n.Value, "{"+name+"}")
		}) {
			c.warn(n, "a body that is a text has no variables, so it is sent as it is: write the body as JSON")
		}
	}
	for i, inner := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			c.body(inner, path, false)
		}
	}
}

// variablesOf returns the names of the variables in a path.
func variablesOf(path string) (names []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

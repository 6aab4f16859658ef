package scenario

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// faultRule is a fault rule of a document.
type faultRule fault.Rule

// UnmarshalYAML decodes the rule as JSON, the notation that [fault.Rule] knows.
func (f *faultRule) UnmarshalYAML(n *yaml.Node) error {
	var value any
	if err := n.Decode(&value); err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, (*fault.Rule)(f))
}

// dropFaults marks a fault rule with anything wrong or missing in it as wrong altogether: half a delay or half a
// connection, for example, means nothing.
func (r *report) dropFaults(list *yaml.Node) {
	if !isKind(list, yaml.SequenceNode) {
		return
	}
	for _, item := range list.Content {
		r.wrong[item] = r.wrong[item] || valueOf(item, "then") == nil || r.isWrong(item)
	}
}

// isWrong reports whether a node, or one within it, is wrong.
func (r *report) isWrong(n *yaml.Node) bool {
	return r.wrong[n] || slices.ContainsFunc(n.Content, r.isWrong)
}

// ruleList returns the rules of a document. A dropped one is empty, so that the others keep their index.
func ruleList(of []faultRule) (rules []fault.Rule) {
	for _, f := range of {
		rules = append(rules, fault.Rule(f))
	}
	return rules
}

// ParseFaults loads fault rules from YAML, or from JSON, which is YAML too: one rule, a list of rules, or a mapping with
// a list under faults, as in a scenario. The file is its name in messages. The error for bad rules is [Problems].
func ParseFaults(file string, source []byte) ([]fault.Rule, error) {
	r := newReport(origin{file: file})
	tree := r.readTree(r.origin, source, "a fault has at least then")
	if tree == nil {
		return nil, r.err()
	}
	if valueOf(tree, "faults") == nil || len(tree.Content) != 2 {
		tree = asFaults(tree)
	}
	var given struct {
		Faults []faultRule `yaml:"faults"`
	}
	r.decode(tree, true, &given)
	rules := ruleList(given.Faults)
	c := checker{report: r}
	c.faults(lookup(tree, "faults"), rules)
	return rules, r.err()
}

// asFaults wraps a list of rules, or a single rule, in a mapping with faults.
func asFaults(rules *yaml.Node) *yaml.Node {
	like := func(kind yaml.Kind, tag, value string, content ...*yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: rules.Line, Column: rules.Column, Content: content}
	}
	if rules.Kind == yaml.MappingNode {
		rules = like(yaml.SequenceNode, "!!seq", "", rules)
	}
	return like(yaml.MappingNode, "!!map", "", like(yaml.ScalarNode, "!!str", "faults"), rules)
}

// faults checks the rules by themselves. It skips those that are wrong, which is already reported.
func (c *checker) faults(at *yaml.Node, rules []fault.Rule) {
	for _, problem := range fault.Check(rules) {
		if i, _ := strconv.Atoi(problem.Path[0]); !c.wrong[at.Content[i]] {
			c.add(lookup(at, problem.Path...), "%s", problem.Message)
		}
	}
}

// faultsOf checks the institutions and users that rules refer to, and whether rules can fire.
func (c *checker) faultsOf(at *yaml.Node, d document) {
	var institutions, users []string
	for _, i := range d.Institutions {
		institutions = append(institutions, i.InstitutionID)
		users = append(users, c.users[i.InstitutionID].names...)
	}
	start := c.start
	if d.Clock.Start == startNow {
		start = time.Now().Truncate(time.Second)
	}
	for n, rule := range ruleList(d.Faults[:min(len(d.Faults), fault.MaxRules)]) {
		c.neverFires(at.Content[n], rule, start)
		r := rule.When.Request
		if r == nil || c.wrong[at.Content[n]] || c.full() {
			continue
		}
		here, asked := lookup(at.Content[n], "when", "request"), d.Institutions
		if id := r.InstitutionID; isPlain(id) {
			at := slices.Index(institutions, id)
			if at < 0 {
				c.add(lookup(here, "institutionId"), "no institution of the scenario has institutionId %s%s",
					phrase.Quote(id), c.didYouMean(id, institutions, "there are"))
				continue
			}
			asked = asked[at : at+1]
		}
		id := r.HostUserID
		exists := slices.ContainsFunc(asked, func(i institution) bool { return c.users[i.InstitutionID].has[id] || i.Generate.gives(id) })
		switch here := lookup(here, "hostUserId"); {
		case !isPlain(id), exists:
		case len(asked) == 1:
			c.refersToNothing(here, asked[0], "users", id, c.users[asked[0].InstitutionID])
		default:
			c.add(here, "no user has hostUserId %s%s", phrase.Quote(id), c.didYouMean(id, users, "there are"))
		}
	}
}

// isPlain reports whether a condition is a single value.
func isPlain(condition string) bool { return condition != "" && !strings.HasPrefix(condition, "~") }

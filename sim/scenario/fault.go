package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wording"
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

// withFaults adds the rules that have an invalid value to the invalid values: half a delay, for example, means nothing.
func withFaults(invalid nodeSet, rules *yaml.Node) nodeSet {
	all := maps.Clone(invalid)
	if isKind(rules, yaml.SequenceNode) {
		for _, rule := range rules.Content {
			if valueOf(rule, "then") == nil || hasInvalid(rule, invalid) {
				all[rule] = true
			}
		}
	}
	return all
}

// hasInvalid reports whether a value, or one within it, is invalid.
func hasInvalid(n *yaml.Node, invalid nodeSet) bool {
	return invalid[n] ||
		slices.ContainsFunc(n.Content, func(inner *yaml.Node) bool { return hasInvalid(inner, invalid) })
}

// ruleList returns the rules of a document. A dropped one is empty, so that the others keep their index.
func ruleList(of []faultRule) (rules []fault.Rule) {
	for _, f := range of {
		rules = append(rules, fault.Rule(f))
	}
	return rules
}

// ParseFaults loads fault rules from YAML or JSON: one rule, a list of rules, or a mapping with a list under faults,
// as in a scenario. The file is its name in messages. The error for bad rules is [Problems].
func ParseFaults(file string, text []byte) ([]fault.Rule, error) {
	of := family{files: []source{{file: file}}}
	tree, invalid, found := parse(text, 0, "a fault has at least then")
	if tree == nil {
		return nil, found.problems(of.files)
	}
	if valueOf(tree, "faults") == nil || len(tree.Content) != 2 {
		tree = asFaults(tree)
	}
	list := valueOf(tree, "faults")
	mistakes, invalid := validate(
		of, value{node: list, name: "faults"}, definition("scenario").Properties["faults"], invalid,
	)
	invalid = withFaults(invalid, list)
	if found = append(found, mistakes...); found.full() {
		return nil, found.problems(of.files)
	}
	var given struct {
		Faults []faultRule `yaml:"faults"`
	}
	if err := pruneInvalid(tree, invalid).Decode(&given); err != nil {
		return nil, fmt.Errorf("decoding the faults: %w", err) // a mistake in our code
	}
	rules := ruleList(given.Faults)
	c := checker{files: of.files, invalid: invalid}
	c.faults(list, rules)
	if found = append(found, c.findings...); len(found) > 0 {
		return nil, found.problems(of.files)
	}
	return rules, nil
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

// faults checks the rules by themselves. It skips those that don't fit the schema.
func (c *checker) faults(at *yaml.Node, rules []fault.Rule) {
	problems := fault.Check(rules)
	if !c.files[0].isStored {
		problems = append(problems, fault.CheckCodes(rules)...)
	}
	for _, problem := range problems {
		if i, _ := strconv.Atoi(problem.Path[0]); !c.invalid[at.Content[i]] {
			c.add(lookup(at, problem.Path...), "%s", problem.Message)
		}
	}
}

// faultReferences checks the institutions and users that rules refer to.
func (c *checker) faultReferences(at *yaml.Node, d Document) {
	byID, everyUser := map[string]institution{}, map[string]bool{}
	var institutions, users []string
	for _, i := range d.Institutions {
		byID[i.InstitutionID] = i
		institutions = append(institutions, i.InstitutionID)
		users = append(users, c.users[i.InstitutionID].names...)
		maps.Copy(everyUser, c.users[i.InstitutionID].has)
	}
	for n, rule := range ruleList(d.Faults[:min(len(d.Faults), fault.MaxRules)]) {
		r := rule.When.Request
		if r == nil || c.invalid[at.Content[n]] || c.partial || c.full() {
			continue
		}
		request, id := lookup(at.Content[n], "when", "request"), r.HostUserID
		asked, known := byID[r.InstitutionID]
		switch {
		case isLiteral(r.InstitutionID) && !known:
			c.add(lookup(request, "institutionId"), "no institution of the scenario has institutionId %s%s",
				wording.Quote(r.InstitutionID), c.didYouMean(r.InstitutionID, institutions, "there are"))
		case !isLiteral(id):
		case len(institutions) == 1 || known:
			asked = byID[cmp.Or(asked.InstitutionID, institutions[0])]
			if all := c.users[asked.InstitutionID]; !all.has[id] && !asked.Generate.generatesUser(id) {
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

package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
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
		of, namedNode{node: list, name: "faults"}, definition("scenario").Properties["faults"], invalid,
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
	of.invalid = invalid
	c := checker{family: of}
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

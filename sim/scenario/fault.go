package scenario

import (
	"encoding"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
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
		r.times(item)
		if valueOf(item, "then") == nil || r.isWrong(item) {
			r.wrong[item] = true
		}
	}
}

// timesOf are the paths of the durations and moments in a rule.
var timesOf = [][]string{
	{"when", "during", "from"}, {"when", "during", "until"}, {"when", "during", "for"},
	{"then", "delay"}, {"then", "delay", "uniform"}, {"then", "delay", "lognormal", "median"}, {"then", "delay", "p50"}, {"then", "delay", "p95"},
	{"then", "connection", "hang"}, {"then", "connection", "dribble", "every"},
}

// times reports the durations and moments of a rule that are written like one, and are none: a day that no month has, or
// more hours than a duration can hold.
func (r *report) times(rule *yaml.Node) {
	for _, path := range timesOf {
		value := valueAt(rule, path)
		name := path[len(path)-1]
		switch {
		case value == nil:
		case name == "uniform" && isKind(value, yaml.SequenceNode):
			for _, item := range value.Content {
				r.time(item, name, new(fault.Duration))
			}
		case name == "from" || name == "until":
			r.time(value, name, new(fault.Moment))
		default:
			r.time(value, name, new(fault.Duration))
		}
	}
}

// valueAt returns the value at a path of keys; nil: there is none.
func valueAt(n *yaml.Node, path []string) *yaml.Node {
	for _, key := range path {
		n = valueOf(n, key)
	}
	return n
}

// time reports a value that is no time of a kind.
func (r *report) time(at *yaml.Node, name string, into encoding.TextUnmarshaler) {
	if at.Kind != yaml.ScalarNode || r.wrong[at] || into.UnmarshalText([]byte(at.Value)) == nil {
		return
	}
	if _, isMoment := into.(*fault.Moment); isMoment {
		r.add(at, `%s must be a duration of at most 292 years, such as "1m", or an RFC 3339 timestamp such as "2026-01-15T09:00:00Z", not %s`, name, written(at))
	} else {
		r.add(at, `%s must be a duration of at most 292 years, such as "1m", not %s`, name, written(at))
	}
	r.wrong[at] = true
}

// ruleList returns the rules of a document. A dropped one is empty, so that the others keep their index.
func ruleList(of []*faultRule) []fault.Rule {
	var rules []fault.Rule
	for _, f := range of {
		if f == nil {
			f = new(faultRule)
		}
		rules = append(rules, fault.Rule(*f))
	}
	return rules
}

// ParseFaults loads fault rules from YAML, or from JSON, which is YAML too: one rule, a list of rules, or a mapping with
// a list under faults, as in a scenario. The file is its name in messages. The error for bad rules is [Problems].
func ParseFaults(file string, source []byte) ([]fault.Rule, error) {
	r := newReport(file)
	root := r.readTree(file, source, "a fault has at least then")
	if root == nil {
		return nil, r.err()
	}
	document := root
	if valueOf(root, "faults") == nil || len(root.Content) != 2 {
		document = asFaults(root)
	}
	var given struct {
		Faults []*faultRule `yaml:"faults"`
	}
	if err := r.decode(document, faultsAlone, "faults", &given); err != nil {
		return nil, err
	}
	rules := ruleList(given.Faults)
	c := checker{report: r}
	c.faults(place{document}.key("faults"), rules)
	return rules, r.err()
}

// asFaults wraps a list of rules, or a single rule, in a mapping with faults.
func asFaults(root *yaml.Node) *yaml.Node {
	like := func(kind yaml.Kind, tag string, content ...*yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: kind, Tag: tag, Line: root.Line, Column: root.Column, Content: content}
	}
	list := root
	if root.Kind == yaml.MappingNode {
		list = like(yaml.SequenceNode, "!!seq", root)
	}
	key := like(yaml.ScalarNode, "!!str")
	key.Value = "faults"
	return like(yaml.MappingNode, "!!map", key, list)
}

// faultsAlone is the part of the schema for a mapping of nothing but faults.
var faultsAlone = sync.OnceValue(func() *jsonschema.Schema {
	part := *compiled().Schema
	part.Required = nil
	part.Properties = map[string]*jsonschema.Schema{"faults": part.Properties["faults"]}
	return &part
})

// faults checks the rules by themselves. It skips a rule of invalid structure, which is already reported.
func (c *checker) faults(at place, rules []fault.Rule) {
	for i := range rules {
		if here := at.item(i); !c.report.wrong[here.node] {
			c.durations(here)
		}
	}
	for _, problem := range fault.Check(rules) {
		i, _ := strconv.Atoi(problem.Path[0])
		if c.report.wrong[at.item(i).node] {
			continue
		}
		here := at.item(i)
		for _, step := range problem.Path[1:] {
			here = here.step(step)
		}
		message := problem.Message
		if wrong := timestampFault(here.node.Value); wrong != "" {
			message += ": " + wrong
		}
		c.add(here, "%s", message)
	}
}

// durations are the paths of the durations in a rule whose zero value means that they are left out: a 0 that is written
// is a mistake.
var durations = [][]string{{"when", "during", "until"}, {"when", "during", "for"}, {"then", "connection", "hang"}, {"then", "connection", "dribble", "every"}}

// durations checks the durations of the rule at a place.
func (c *checker) durations(at place) {
	for _, path := range durations {
		value := valueAt(at.node, path)
		if !isKind(value, yaml.ScalarNode) || isTimestamp(value.Value) {
			continue
		}
		if _, err := duration(value.Value).parse(); err != nil {
			c.add(place{value}, "%s %s", path[len(path)-1], err)
		}
	}
}

func isTimestamp(text string) bool {
	_, err := timestamp(text).parse()
	return err == nil
}

// faultsOf checks the institutions and users that rules refer to.
func (c *checker) faultsOf(at place, d document) {
	for n, rule := range ruleList(d.Faults) {
		r := rule.When.Request
		if r == nil || c.report.wrong[at.item(n).node] {
			continue
		}
		here := at.item(n).key("when").key("request")
		institutions := d.Institutions
		if id := r.InstitutionID; isPlain(id) {
			named := slices.IndexFunc(institutions, func(i institution) bool { return i.InstitutionID == id })
			if named < 0 {
				c.add(here.key("institutionId"), "no institution of the scenario has institutionId %s%s",
					phrase.Quote(id), c.report.didYouMean(id, institutionIDs(institutions), "there are"))
				continue
			}
			institutions = institutions[named : named+1]
		}
		if isPlain(r.HostUserID) {
			c.faultOfUser(here.key("hostUserId"), rule, institutions)
		}
	}
}

// faultOfUser checks a rule for requests about one user.
func (c *checker) faultOfUser(at place, rule fault.Rule, institutions []institution) {
	id := rule.When.Request.HostUserID
	found, accounts := false, 0
	for _, i := range institutions {
		written, isWritten := c.accountsOf(i)[id]
		switch {
		case isWritten:
			found, accounts = true, accounts+written
		case i.Generate.gives(id):
			found, accounts = true, accounts+i.Generate.accountsPerUser()
		}
	}
	switch {
	case !found && c.report.full():
	case !found:
		var known []string
		for _, i := range institutions {
			for _, u := range i.Users {
				known = append(known, u.HostUserID)
			}
		}
		c.add(at, "no user has hostUserId %s%s", phrase.Quote(id), c.report.didYouMean(id, known, "there are"))
	case accounts == 0 && rule.InPhase() == fault.After && needsAccounts(rule.Operation):
		c.add(at, "user %s has no accounts, so %v can change nothing, and a fault after the change never fires: give the user an account",
			phrase.Quote(id), rule.Operation)
	}
}

// accountsOf returns how many accounts each user has whom an institution writes, by hostUserId.
func (c *checker) accountsOf(i institution) map[string]int {
	if all, counted := c.accounts[i.InstitutionID]; counted {
		return all
	}
	all := make(map[string]int, len(i.Users))
	for _, u := range i.Users {
		all[u.HostUserID] += len(u.Accounts)
	}
	c.accounts[i.InstitutionID] = all
	return all
}

// needsAccounts reports whether each of the operations changes something only if its user has an account.
func needsAccounts(operations fault.Operations) bool {
	all := operations.All()
	return len(all) > 0 && !slices.ContainsFunc(all, func(op *contract.Operation) bool {
		return !op.Changes || !slices.Contains(op.Refuses, sim.NoAccounts) && !slices.Contains(op.Refuses, sim.AccountUnknown)
	})
}

func institutionIDs(institutions []institution) []string {
	ids := make([]string, len(institutions))
	for n, i := range institutions {
		ids[n] = i.InstitutionID
	}
	return ids
}

// isPlain reports whether a condition is a single value.
func isPlain(condition string) bool { return condition != "" && !strings.HasPrefix(condition, "~") }

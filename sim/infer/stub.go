package infer

import (
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// stubsOf returns rules that answer requests to other paths as the service did last. After them come rules for paths
// that differ from two of these in one segment with a digit: they get the last answer of those that accepted a request.
// Answers that no rule can give are left out.
func stubsOf(all []exchange) (stubs []any) {
	var own, general []fault.Rule
	values := map[string][]string{} // of a segment, by the method and the path with {id} for it
	for _, x := range all {
		if x.op != nil || !slices.Contains(stubMethods, x.method) {
			continue
		}
		rule := x.stub()
		own = withRule(own, rule)
		for path, value := range x.generalPaths() {
			key := x.method + " " + path
			if !slices.Contains(values[key], value) {
				values[key] = append(values[key], value)
			}
			if rule.Path = path; len(values[key]) > 1 && x.accepted() {
				general = withRule(general, rule)
			}
		}
	}
	rules := append(own, general...)
	for i, rule := range rules[:min(len(rules), fault.MaxRules)] {
		rule.Name = "stub-" + strconv.Itoa(i+1)
		var stub any
		if json.Unmarshal(wire.MustEncode(rule), &stub) == nil { // as it was written just now
			stubs = append(stubs, stub)
		}
	}
	return stubs
}

// withRule returns rules with another one in place of the one for the same requests. A rule with a mistake is left out.
func withRule(rules []fault.Rule, rule fault.Rule) []fault.Rule {
	if len(fault.Check([]fault.Rule{rule})) > 0 {
		return rules
	}
	at := slices.IndexFunc(rules, func(other fault.Rule) bool {
		return other.Method == rule.Method && other.Path == rule.Path
	})
	if at < 0 {
		return append(rules, rule)
	}
	rules[at] = rule
	return rules
}

var stubMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// maxStubPath is how long a path of a stub is at most, as the schema of scenarios says.
const maxStubPath = 1000

// stub returns the rule that answers a request as the service did. A redirection leads to the same place, without its
// query: that may have a secret.
func (x exchange) stub() fault.Rule {
	rule := fault.Rule{Method: x.method, Then: fault.Then{Status: x.status, Headers: map[string]fault.HeaderValues{}}}
	if len(x.path) <= maxStubPath && utf8.Valid(x.answer) && x.status > 0 { // otherwise it has no path, and is no rule
		rule.Path = fault.PathPattern(x.path)
	}
	target, _, _ := strings.Cut(x.target, "?")
	for name, value := range map[string]string{"Content-Type": x.media, "Location": target} {
		if value != "" {
			rule.Then.Headers[name] = fault.HeaderValues{value}
		}
	}
	if x.status != http.StatusNoContent && x.status != http.StatusNotModified {
		rule.Then.Body = &fault.Body{Text: string(x.answer)}
	}
	return rule
}

// generalPaths yields the paths with {id} in place of a segment with a digit, and what stood there.
func (x exchange) generalPaths() iter.Seq2[string, string] {
	return func(yield func(path, value string) bool) {
		segments := strings.Split(x.path, "/")
		if len(x.path) > maxStubPath {
			return
		}
		for i, value := range segments {
			if !strings.ContainsFunc(value, unicode.IsDigit) {
				continue
			}
			segments[i] = "{id}"
			if !yield(strings.Join(segments, "/"), value) {
				return
			}
			segments[i] = value
		}
	}
}

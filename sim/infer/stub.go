package infer

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// stubsOf returns rules that answer requests to other paths as the service did last. After them come rules for paths
// that differ from two of these in one segment with a digit: they get the last answer of those that accepted a request.
// Answers that no rule can give are left out.
func stubsOf(ctx context.Context, all []exchange) (stubs []any) {
	own, general := ruleList{places: map[string]int{}}, ruleList{places: map[string]int{}}
	values := map[string]string{} // the first one of a segment, by the method and the path with {id} for it
	differ := map[string]bool{}   // whether there is another one
	for x := range until(ctx, all) {
		if x.op != nil || !slices.Contains(stubMethods, x.method) {
			continue
		}
		rule := x.stub()
		own.put(rule)
		if len(own.rules) == fault.MaxRules { // no general one finds a place after them
			continue
		}
		for path, value := range x.generalPaths() {
			key := x.method + " " + path
			if values[key] == "" {
				values[key] = value
			}
			differ[key] = differ[key] || values[key] != value
			if rule.Path = path; differ[key] && x.accepted() {
				general.put(rule)
			}
		}
	}
	rules := append(own.rules, general.rules...)
	for i, rule := range rules[:min(len(rules), fault.MaxRules)] {
		rule.Name = "stub-" + strconv.Itoa(i+1)
		var stub any
		if json.Unmarshal(strictjson.MustEncode(rule), &stub) == nil { // as it was written just now
			stubs = append(stubs, stub)
		}
	}
	return stubs
}

// ruleList has one rule for the requests with a method and a path.
type ruleList struct {
	rules  []fault.Rule
	places map[string]int
}

// put adds a rule, in place of the one for the same requests. A rule with a mistake is left out.
func (l *ruleList) put(rule fault.Rule) {
	key := rule.Method + " " + rule.Path
	place, known := l.places[key]
	switch {
	case !known && len(l.rules) == fault.MaxRules, len(fault.Check([]fault.Rule{rule})) > 0:
		return
	case known:
		l.rules[place] = rule
		return
	}
	l.places[key] = len(l.rules)
	l.rules = append(l.rules, rule)
}

var stubMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

const (
	maxStubPath     = 1000 // bytes of the path of a stub, as the schema of scenarios says
	maxStubSegments = 32   // of the path (choice)
)

// hasStubPath reports whether the path may be one of a stub.
func (x exchange) hasStubPath() bool {
	return len(x.path) <= maxStubPath && strings.Count(x.path, "/") <= maxStubSegments
}

// stub returns the rule that answers a request as the service did. A redirection leads to the same place, but without
// what may be secret: its user, its query and its fragment.
func (x exchange) stub() fault.Rule {
	rule := fault.Rule{Method: x.method, Then: fault.Then{Status: x.status, Headers: map[string]fault.HeaderValues{}}}
	isWhole := !x.isLarge && !x.cut && utf8.Valid(x.answer)
	if x.hasStubPath() && isWhole && x.status > 0 { // else it has no path, and is no rule
		rule.Path = fault.PathPattern(x.path)
	}
	target := ""
	if to, err := url.Parse(x.target); err == nil {
		target = (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
	}
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
		if !x.hasStubPath() {
			return
		}
		segments := strings.Split(x.path, "/")
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

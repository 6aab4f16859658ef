package infer

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// The limits of stubs (choice).
const (
	maxStubPath     = 1000 // bytes of the path, as the schema of scenarios says
	maxStubSegments = 32   // of the path
	maxStubAnswers  = 20   // to the same request
	maxStubBytes    = 600 << 10
)

var stubMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// stubsOf returns rules that answer requests to other paths as the service did. Different answers to the same request
// come one after the other. told says which answers have no rule.
func stubsOf(ctx context.Context, c recording, hosts []string, m masks) (stubs []fault.Rule, told []string) {
	b := stubBuilder{masks: m, shown: m.replacer(), skipped: map[string]int{}, paths: map[string]*stubPath{}}
	own := slices.Clone(hosts)
	for _, x := range c.all {
		own = append(own, x.host)
	}
	if len(c.all) == 0 {
		own = append(own, c.others[0].host)
	}
	otherHosts := map[string]int{}
	for x := range until(ctx, c.others) {
		switch {
		case x.isPreflight:
		case !slices.Contains(own, x.host):
			otherHosts[x.host]++
		default:
			b.add(x)
		}
	}
	stubs = b.stubs(ctx)
	for _, host := range slices.Sorted(maps.Keys(otherHosts)) {
		told = append(told, fmt.Sprintf("no stubs for %s, which is another host than the service's: %s",
			wording.Quote(host), wording.Count(otherHosts[host], "request")))
	}
	for _, reason := range slices.Sorted(maps.Keys(b.skipped)) {
		told = append(told, fmt.Sprintf("no stubs for %s: %s", wording.Count(b.skipped[reason], "answer"), reason))
	}
	return stubs, told
}

// stubBuilder collects the answers to requests with the same method and path.
type stubBuilder struct {
	masks   masks
	shown   *strings.Replacer // of secrets and persons
	order   []*stubPath
	paths   map[string]*stubPath // by method and path
	skipped map[string]int       // answers without a rule, by why
	bytes   int                  // of bodies
}

// stubPath has the answers to requests with a method and a path, by their queries.
type stubPath struct {
	host    string
	queries []string // in the order of the capture
	values  map[string]url.Values
	answers map[string][]stubAnswer // by query
}

// stubAnswer is a rule that gives an answer, with a digest of the answer.
type stubAnswer struct {
	fault.Rule
	sum uint64
}

func isSameAnswer(a, b stubAnswer) bool { return a.sum == b.sum }

// add adds an answer. One that no rule can give is counted.
func (b *stubBuilder) add(x exchange) {
	x = b.masked(x)
	rule := x.stub()
	size := 4 * len(x.answer) / 3
	key := x.method + " " + rule.Path
	p := b.paths[key]
	switch {
	case !slices.Contains(stubMethods, x.method), !hasRoom(rule.Path), len(fault.Check([]fault.Rule{rule})) > 0:
		b.skipped["no rule can give them"]++
		return
	case p != nil && p.host != x.host:
		b.skipped["another host has the same path"]++
		return
	case p == nil && len(b.order) == fault.MaxRules, b.bytes+size > maxStubBytes:
		b.skipped[fmt.Sprintf("a scenario has room for %d rules, and these for %d KiB of bodies",
			fault.MaxRules, maxStubBytes>>10)]++
		return
	case p == nil:
		p = &stubPath{host: x.host, values: map[string]url.Values{}, answers: map[string][]stubAnswer{}}
		b.paths[key], b.order = p, append(b.order, p)
	}
	shown := withoutSecrets(x.query)
	query := shown.Encode()
	if _, known := p.values[query]; !known {
		p.queries, p.values[query] = append(p.queries, query), shown
	}
	said := slices.Concat(x.answer, []byte(x.media+x.target))
	answer := stubAnswer{rule, maphash.Bytes(sums, said) ^ uint64(x.status)}
	switch answers := p.answers[query]; {
	case len(answers) > 0 && answers[len(answers)-1].sum == answer.sum: // it comes again without a rule of its own
	case len(answers) == maxStubAnswers:
		b.skipped[fmt.Sprintf("they come after the first %d to a request", maxStubAnswers)]++
	default:
		b.bytes += size
		p.answers[query] = append(answers, answer)
	}
}

// maxShownValue is how long the value of a parameter may be to count (choice): a longer one may be a secret.
const maxShownValue = 40

// withoutSecrets returns a query without parameters that have secrets.
func withoutSecrets(query url.Values) url.Values {
	shown := url.Values{}
	for name, values := range query {
		if redact.Parameter(name, "x") == "x" && len(values[0]) <= maxShownValue {
			shown[name] = values[:1]
		}
	}
	return shown
}

// stubs returns the rules of all paths. A path with a variable comes after those without.
func (b *stubBuilder) stubs(ctx context.Context) (all []fault.Rule) {
	var hidden []fault.Rule
	for _, p := range b.order {
		if ctx.Err() != nil {
			break
		}
		if own := p.rules(); strings.Contains(own[0].Path, hiddenSegment) {
			hidden = append(hidden, own...)
		} else {
			all = append(all, own...)
		}
	}
	all = append(all, hidden...)
	for i := range all {
		all[i].Name = "stub-" + strconv.Itoa(i+1)
	}
	return all
}

// rules returns the rules of a path. They have conditions for the query if the answers depend on it.
func (p *stubPath) rules() (all []fault.Rule) {
	names, depends := p.varying()
	if !depends {
		answers := []stubAnswer{}
		for _, query := range p.queries {
			answers = append(answers, p.answers[query]...)
		}
		return inTurn(answers, nil)
	}
	for _, query := range p.queries {
		conditions := &fault.Request{Query: map[string]*string{}}
		for _, name := range names {
			conditions.Query[name] = nil
			if values := p.values[query][name]; len(values) > 0 {
				conditions.Query[name] = &values[0]
			}
		}
		all = append(all, inTurn(p.answers[query], conditions)...)
	}
	return all
}

// inTurn returns rules that give answers one after the other, and then the last one, to requests that are like this.
func inTurn(answers []stubAnswer, like *fault.Request) (rules []fault.Rule) {
	answers = slices.CompactFunc(slices.Clone(answers), isSameAnswer)
	answers = answers[:min(len(answers), maxStubAnswers)]
	last := len(answers) - 1
	for i, answer := range answers {
		answer.When.Request = like
		switch {
		case i < last:
			answer.When.Nth = i + 1
		case last > 0:
			answer.When.After = last
		}
		rules = append(rules, answer.Rule)
	}
	return rules
}

// maxVarying is how many parameters of a path are looked at (choice).
const maxVarying = 10

// varying returns the names of parameters that tell queries with different answers apart, as few as possible, and
// whether answers depend on them. Short values come before long ones, because a long one may only keep caches out.
func (p *stubPath) varying() (names []string, depends bool) {
	if p.distinguishes(nil) {
		return nil, false
	}
	count, length := map[string]int{}, map[string]int{}
	for _, values := range p.values {
		for name := range values {
			count[name]++
			length[name] += len(values.Get(name))
		}
	}
	names = slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), maxVarying)]
	if !p.distinguishes(names) {
		return nil, false
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(length[b], length[a]) })
	for _, name := range slices.Clone(names) {
		fewer := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
		if p.distinguishes(fewer) {
			names = fewer
		}
	}
	return names, true
}

// distinguishes reports whether queries with the same values of some parameters have the same answers.
func (p *stubPath) distinguishes(names []string) bool {
	answers := map[string][]stubAnswer{}
	for _, query := range p.queries {
		key := url.Values{}
		for _, name := range names {
			key[name] = p.values[query][name]
		}
		other, known := answers[key.Encode()]
		if known && !slices.EqualFunc(other, p.answers[query], isSameAnswer) {
			return false
		}
		answers[key.Encode()] = p.answers[query]
	}
	return true
}

// hasRoom reports whether a stub may have a path as long as this one.
func hasRoom(path string) bool {
	return len(path) <= maxStubPath && strings.Count(path, "/") <= maxStubSegments
}

// masked returns an exchange of another service without e-mail addresses, and without the secrets and persons that are
// known from the interface's.
func (b *stubBuilder) masked(x exchange) exchange {
	hide := func(text string) string { return b.masks.emails(b.shown.Replace(text)) }
	x.path, x.target = b.shown.Replace(x.path), hide(x.target)
	if x.answer = b.masks.answerOfOther(x.answer, x.status); utf8.Valid(x.answer) {
		x.answer = []byte(hide(string(x.answer)))
	}
	for _, values := range x.query {
		for i := range values {
			values[i] = hide(values[i])
		}
	}
	return x
}

// hideSegments returns a path with something else in place of the segments that may be secret: e-mail addresses, and
// long ones. instead returns what stands in place of one, by its place in the path.
func hideSegments(path string, instead func(place int) string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if len(segment) > capture.MaxShownSegment || strings.Contains(segment, "@") {
			segments[i] = instead(i)
		}
	}
	return strings.Join(segments, "/")
}

// hiddenSegment begins the variable in place of a segment that may be secret.
const hiddenSegment = "{hidden"

// stub returns the rule that answers a request as the service did. A redirection leads to the same place, but without
// what may be secret: its user, its query and its fragment. A variable stands for a segment that may be secret.
func (x exchange) stub() fault.Rule {
	variable := func(place int) string { return fmt.Sprintf("%s%d}", hiddenSegment, place) }
	rule := fault.Rule{
		Method: x.method, Path: hideSegments(fault.PathPattern(x.path), variable),
		From: fmt.Sprintf("exchange %d of the capture", x.number),
		Then: fault.Then{Status: x.status, Headers: map[string]fault.HeaderValues{}},
	}
	target := ""
	if to, err := url.Parse(x.target); err == nil {
		path := hideSegments(to.Path, func(int) string { return "hidden" })
		target = (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: path}).String()
	}
	for name, value := range map[string]string{"Content-Type": x.media, "Location": target} {
		if value != "" {
			rule.Then.Headers[name] = fault.HeaderValues{value}
		}
	}
	switch {
	case x.status == http.StatusNoContent, x.status == http.StatusNotModified:
	case utf8.Valid(x.answer):
		rule.Then.Body = &fault.Body{Text: string(x.answer)}
	default:
		rule.Then.BodyBase64 = base64.StdEncoding.EncodeToString(x.answer)
	}
	return rule
}

// asYAML returns rules as a scenario has them. Without rules it returns nothing.
func asYAML(rules []fault.Rule) []byte {
	if len(rules) == 0 {
		return nil
	}
	var faults any
	if err := json.Unmarshal(strictjson.MustEncode(rules), &faults); err != nil {
		panic("infer: a rule can't be read again: " + err.Error()) // it was written just now
	}
	return encode(map[string]any{"faults": faults})
}

package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// bad is a rule with one thing wrong, and what Check reports.
type bad struct {
	rule    fault.Rule
	path    string // after the rule's place, separated by dots
	message string // its beginning
}

func checkEach(t *testing.T, rules map[string]bad) {
	t.Helper()
	for name, test := range rules {
		problems := fault.Check([]fault.Rule{test.rule})
		if !assert.Len(t, problems, 1, name) {
			continue
		}
		assert.Equal(t, strings.Trim("0."+test.path, "."), strings.Join(problems[0].Path, "."), name)
		assert.True(t, strings.HasPrefix(problems[0].Message, test.message), "%s: %s", name, problems[0].Message)
	}
}

// does is a rule for groups.list.
func does(then fault.Then) fault.Rule {
	return fault.Rule{Operation: fault.On("groups.list"), Then: then}
}

func delayed(d *fault.Delay) fault.Rule { return does(fault.Then{Delay: d}) }

func broken(c fault.Connection) fault.Rule { return does(fault.Then{Connection: &c}) }

func headed(name, value string) fault.Rule {
	return does(fault.Then{Headers: map[string]string{name: value}})
}

func uniform(least, most time.Duration) *fault.Delay {
	return &fault.Delay{Uniform: &[2]fault.Duration{fault.Duration(least), fault.Duration(most)}}
}

func longTailed(median time.Duration, sigma float64) *fault.Delay {
	return &fault.Delay{Lognormal: &fault.Lognormal{Median: fault.Duration(median), Sigma: sigma}}
}

func byPercentiles(p50, p95 time.Duration) *fault.Delay {
	return &fault.Delay{Percentiles: &fault.Percentiles{P50: fault.Duration(p50), P95: fault.Duration(p95)}}
}

func afterStart(d time.Duration) fault.Moment { return fault.Moment{Offset: fault.Duration(d)} }

func ptr[T any](v T) *T { return &v }

func TestCheckOperations(t *testing.T) {
	long := strings.Repeat("groups", 30)
	known := ": there are " + phrase.Names(contract.Patterns())
	rules := map[string]bad{}
	for operation, shown := range map[string]string{
		"groups.lst": `"groups.lst": did you mean "groups.list"?`, "group.*": `"group.*": did you mean "groups.*"?`,
		"gr*": `"gr*"` + known, "Groups.list": `"Groups.list": did you mean "groups.list"?`,
		"groups.*.*": `"groups.*.*": did you mean "groups.*"?`, "groups": `"groups": did you mean "groups.*"?`,
		"*.list": `"*.list"` + known, long: `"` + long[:80] + `…"` + known,
	} {
		rules[operation] = bad{fault.Rule{Operation: fault.On(operation), Then: always}, "operation", "unknown operation " + shown}
	}
	listed := func(patterns ...string) fault.Rule {
		return fault.Rule{Operation: fault.OnAny(patterns...), Then: always}
	}
	rules["nothing is listed"] = bad{listed(), "operation", "operation is an empty list: list at least one, or leave it out for all"}
	rules["one is unknown"] = bad{listed("groups.list", "tokens.issu"), "operation.1", `unknown operation "tokens.issu": did you mean`}
	rules["one is empty"] = bad{listed("", "tokens.issue"), "operation.0", `unknown operation ""` + known}
	rules["one is listed twice"] = bad{listed("groups.*", "tokens.issue", "groups.*"), "operation.2", `operation "groups.*" is listed`}
	checkEach(t, rules)

	assert.Empty(t, fault.Check([]fault.Rule{listed("groups.list", "tokens.*", "*")}))
	for _, operation := range []string{"", "*", "estatements.*", "groups.create"} {
		rule := fault.Rule{Operation: fault.On(operation), Then: fault.Then{Delay: fault.Fixed(time.Second)}}
		assert.Empty(t, fault.Check([]fault.Rule{rule}), operation)
	}
}

func TestCheckAnswers(t *testing.T) {
	message := &fault.Error{Message: "m"}
	alerts := fault.Rule{Operation: fault.On("alerts.*"), Then: fault.Then{Error: &fault.Error{Code: "CMN_90001"}}}
	checkEach(t, map[string]bad{
		"nothing":    {does(fault.Then{}), "then", "then says nothing: add status, headers, delay or connection"},
		"no headers": {does(fault.Then{Headers: map[string]string{}}), "then", "then says nothing"},
		"a success": {does(fault.Then{Status: 200}), "then.status",
			"status 200 is no error, so there is no body that goes with it: add body, or choose a status from 400 to 599"},
		"a redirection":  {does(fault.Then{Status: 399}), "then.status", "status 399 is no error"},
		"no content":     {does(fault.Then{Status: 204}), "then.status", `an answer with status 204 has no body: write body`},
		"error and body": {does(fault.Then{Status: 500, Error: message, Body: ptr("x")}), "then.body", "body is the whole body"},
		"empty error":    {does(fault.Then{Status: 500, Error: &fault.Error{}}), "then.error", "error says nothing: give it"},
		"lines in a message": {does(fault.Then{Status: 500, Error: &fault.Error{Message: "a\nb"}}), "then.error.message",
			"message must have no control characters, such as a line break: write it on one line"},
		"error without status": {does(fault.Then{Error: message}), "then.error", "error needs a status: add status: 500, for example"},
		"code without status": {does(fault.Then{Error: &fault.Error{Code: "CMN_90002"}}), "then.error",
			"error needs a status: add status: 500, which CMN_90002 goes with"},
		"code of two statuses": {alerts, "then.error", "error needs a status: add status: 500, for example"},
		"body without status":  {does(fault.Then{Body: ptr("x")}), "then.body", "body needs a status: add status: 200, for example"},
		"body with 204":        {does(fault.Then{Status: 204, Body: ptr("x")}), "then.body", "an answer with status 204 has no"},
		"error with 304":       {does(fault.Then{Status: 304, Error: message}), "then.error", "an answer with status 304 has no body"},
		"header with space":    {headed("Retry After", "2"), "then.headers", `"Retry After" can't be the name of a header`},
		"header without name":  {headed("", "2"), "then.headers", `"" can't be the name of a header: use letters, digits and dashes`},
		"header of two lines":  {headed("X-A", "1\r\nX-B: 2"), "then.headers", "header X-A must be one line: remove the line breaks"},
		"control in a header":  {headed("X-A", "a\x1b[2J"), "then.headers", "header X-A must have no control characters: remove them"},
		"DEL in a header":      {headed("X-A", "a\x7f"), "then.headers", "header X-A must have no control characters: remove them"},
		"Content-Length":       {headed("content-length", "2"), "then.headers", "the simulator sets header content-length itself"},
		"Transfer-Encoding":    {headed("Transfer-Encoding", "chunked"), "then.headers", "the simulator sets header Transfer-Encoding"},
	})
	for name, rule := range map[string]fault.Rule{
		"documented":             does(fault.Then{Status: 401}),
		"undocumented":           does(fault.Then{Status: 404}),
		"the lowest, for all":    {Operation: fault.On("*"), Then: fault.Then{Status: 400}},
		"the highest, for all":   {Then: fault.Then{Status: 599}},
		"undocumented, error":    does(fault.Then{Status: 404, Error: message}),
		"undocumented, body":     {Then: fault.Then{Status: 502, Body: ptr("<html>")}},
		"an empty body":          does(fault.Then{Status: 503, Body: ptr("")}),
		"no content, it is said": does(fault.Then{Status: 204, Body: ptr("")}),
		"headers alone":          headed("Retry-After", "2"),
		"a tab in a header":      headed("X-A", "a\tb"),
	} {
		assert.Empty(t, fault.Check([]fault.Rule{rule}), name)
	}
}

func TestCheckDelays(t *testing.T) {
	const second = time.Second
	checkEach(t, map[string]bad{
		"zero":              {delayed(fault.Fixed(0)), "then.delay", "delay must be longer than 0, not 0s"},
		"negative":          {delayed(fault.Fixed(-second)), "then.delay", "delay must be longer than 0, not -1s"},
		"too long":          {delayed(fault.Fixed(fault.MaxDelay + 1)), "then.delay", "delay must be at most 5m0s, not 5m0.000000001s"},
		"uniform, reversed": {delayed(uniform(2*second, second)), "then.delay.uniform", "uniform begins after its end: swap the two"},
		"uniform, too long": {delayed(uniform(0, time.Hour)), "then.delay.uniform", "the end of uniform must be at most 5m0s, not 1h0m0s"},
		"uniform, zero":     {delayed(uniform(0, 0)), "then.delay.uniform", "the end of uniform must be longer than 0, not 0s"},
		"median zero":       {delayed(longTailed(0, 1)), "then.delay.lognormal.median", "median must be longer than 0, not 0s"},
		"median too long":   {delayed(longTailed(time.Hour, 1)), "then.delay.lognormal.median", "median must be at most 5m0s, not 1h0m0s"},
		"p50 zero":          {delayed(byPercentiles(0, second)), "then.delay.p50", "p50 must be longer than 0, not 0s"},
		"p95 too long":      {delayed(byPercentiles(time.Minute, time.Hour)), "then.delay.p95", "p95 must be at most 5m0s, not 1h0m0s"},
		"p95 is p50": {delayed(byPercentiles(second, second)), "then.delay.p95",
			"p95 must be longer than p50, as 95 of 100 delays are shorter than it: write more than 1s"},
		"p95 far above p50": {delayed(byPercentiles(time.Millisecond, 140*time.Millisecond)), "then.delay.p95",
			"p95 must be at most 139 times as long as p50: shorten it, or lengthen p50"},
	})
	for _, good := range []*fault.Delay{fault.Fixed(1), fault.Fixed(fault.MaxDelay), uniform(0, 1), uniform(second, second),
		longTailed(1, 3), byPercentiles(1, 2), byPercentiles(time.Millisecond, 139*time.Millisecond)} {
		assert.Empty(t, fault.Check([]fault.Rule{delayed(good)}))
	}
}

func TestCheckConnections(t *testing.T) {
	rules := map[string]bad{
		"hang too long": {broken(fault.Connection{Kind: fault.Hang, Hang: fault.Duration(fault.MaxHang + 1)}), "then.connection.hang",
			"hang must be longer than 0 and at most 5m0s, not 5m0.000000001s"},
		"pauses too long": {broken(fault.Connection{Kind: fault.Trickle, Dribble: fault.Dribble{Every: fault.Duration(time.Hour)}}),
			"then.connection.dribble.every", "every must be longer than 0 and at most 1m0s, not 1h0m0s"},
	}
	for _, kind := range []fault.Kind{fault.Truncate, fault.Malformed, fault.Trickle, fault.Garbage} {
		rule := broken(fault.Connection{Kind: kind})
		assert.Equal(t, fault.After, rule.InPhase(), kind)
		assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		rule.Phase = fault.Before
		rules["nothing to "+string(kind)] = bad{rule, "phase", string(kind) + " needs an answer to deliver, and before the operation"}
		rule.Then.Status = 500
		assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		rule.Phase = ""
		assert.Equal(t, fault.Before, rule.InPhase(), kind)
	}
	for _, kind := range []fault.Kind{fault.Reset, fault.Close, fault.Hang} {
		lost := &fault.Connection{Kind: kind}
		none := string(kind) + " sends no answer that could have "
		status := does(fault.Then{Status: 500, Connection: lost})
		rules["status of a "+string(kind)] = bad{status, "then.status", none + "status: remove one of them"}
		headers := does(fault.Then{Headers: map[string]string{"X-A": "1"}, Connection: lost})
		rules["headers of a "+string(kind)] = bad{headers, "then.headers", none + "headers: remove one of them"}
		rule := does(fault.Then{Delay: fault.Fixed(1), Connection: lost})
		assert.Equal(t, fault.Before, rule.InPhase(), kind)
		for _, phase := range []fault.Phase{"", fault.Before, fault.After} {
			rule.Phase = phase
			assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		}
	}
	checkEach(t, rules)
}

func TestCheckWhen(t *testing.T) {
	when := func(w fault.When) fault.Rule {
		return fault.Rule{Operation: fault.On("groups.list"), When: w, Then: always}
	}
	during := func(d fault.During) fault.Rule { return when(fault.When{During: &d}) }
	request := func(r fault.Request) fault.Rule { return when(fault.When{Request: &r}) }
	one := func(name, text string) map[string]*string { return map[string]*string{name: &text} }
	const mixed = "from and until must both be times, or both count from the start of the sandbox: write until like from, or write for"
	const late = "until must be later than from: write a later one, or swap the two"
	noon := fault.Moment{At: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)}
	hour := afterStart(time.Hour)
	deep := map[string]any{"a": map[string]any{"b": []any{1.0, "~["}}}
	checkEach(t, map[string]bad{
		"first before after":  {when(fault.When{First: 3, After: 10}), "when", "first, nth, every and after all count from"},
		"first at after":      {when(fault.When{First: 3, After: 3}), "when", "first, nth, every and after all count from"},
		"nth beyond first":    {when(fault.When{First: 3, Nth: 4}), "when", "first, nth, every and after all count from"},
		"nth before after":    {when(fault.When{Nth: 3, After: 3}), "when", "first, nth, every and after all count from"},
		"nth of no every":     {when(fault.When{Nth: 3, Every: 2}), "when", "first, nth, every and after all count from"},
		"no every in between": {when(fault.When{First: 14, Every: 5, After: 10}), "when", "first, nth, every and after all count from"},
		"until and for": {during(fault.During{Until: hour, For: 1}), "when.during.for",
			"for and until both say when the window ends: remove one of them"},
		"until at from":         {during(fault.During{From: hour, Until: hour}), "when.during.until", late},
		"until a time, at from": {during(fault.During{From: noon, Until: noon}), "when.during.until", late},
		"from a time":           {during(fault.During{From: noon, Until: hour}), "when.during.until", mixed},
		"until a time":          {during(fault.During{From: hour, Until: noon}), "when.during.until", mixed},
		"during empty":          {during(fault.During{}), "when.during", "during says nothing: add from, until or for"},
		"request empty": {request(fault.Request{}), "when.request",
			"request says nothing: add dialect, institutionId, hostUserId, header, query or body"},
		"institution": {request(fault.Request{InstitutionID: "~["}), "when.request.institutionId",
			`institutionId: missing closing ]: what follows "~" has to be a Go regular expression (RE2)`},
		"user":          {request(fault.Request{HostUserID: "~*"}), "when.request.hostUserId", "hostUserId: missing argument to repe"},
		"header":        {request(fault.Request{Header: one("x-test", "~(")}), "when.request.header", "header.x-test: missing closing ): "},
		"header's name": {request(fault.Request{Header: one("x test", "~")}), "when.request.header", `"x test" can't be the name`},
		"query":         {request(fault.Request{Query: one("size", "~a{2,1}")}), "when.request.query", "query.size: invalid repeat count"},
		"body":          {request(fault.Request{Body: map[string]any{"a": "~(?<"}}), "when.request.body", "body.a: invalid or unsupported"},
		"body, deep":    {request(fault.Request{Body: deep}), "when.request.body", "body.a.b[1]: missing closing ]: "},
	})
}

// Counts that are accepted are fulfilled by some request, and those that are refused by none.
func TestContradictionsAreThose(t *testing.T) {
	const most = 5
	for n := range most * most * most * most {
		when := fault.When{First: n % most, Nth: n / most % most, Every: n / most / most % most, After: n / most / most / most}
		rules := []fault.Rule{{Operation: fault.On("groups.list"), When: when, Then: always}}
		accepted, set, fired := len(fault.Check(rules)) == 0, fault.NewSet(rules, 7), false
		for range most * most {
			fired = fired || set.Decide(list()).Fired != nil
		}
		assert.Equal(t, fired, accepted, "%+v", when)
	}
}

// All problems are reported, each at its place.
func TestCheckReportsAll(t *testing.T) {
	var paths []string
	for _, p := range fault.Check([]fault.Rule{
		{Name: "twin", Operation: fault.On("groups.list"), When: fault.When{Nth: 1}, Then: always},
		{Operation: fault.On("groups.lst"), When: fault.When{During: new(fault.During)},
			Then: fault.Then{Status: 200, Delay: fault.Fixed(-1)}},
		{Name: "twin", Operation: fault.On("groups.list")},
	}) {
		paths = append(paths, strings.Join(p.Path, "."))
	}
	assert.Equal(t, []string{"1.operation", "1.when.during", "1.then.status", "1.then.delay", "2.name", "2.then"}, paths)
}

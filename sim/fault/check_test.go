package fault_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// bad is a rule with one thing wrong, and what Check reports.
type bad struct {
	rule    fault.Rule
	path    string // after the rule's place, separated by dots
	message string
}

func checkEach(t *testing.T, rules map[string]bad) {
	t.Helper()
	for name, test := range rules {
		problems := fault.Check([]fault.Rule{test.rule})
		if !assert.Len(t, problems, 1, name) {
			continue
		}
		assert.Equal(t, strings.Trim("0."+test.path, "."), strings.Join(problems[0].Path, "."), name)
		assert.Equal(t, test.message, problems[0].Message, name)
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

func ptr[T any](v T) *T { return &v }

func TestCheckNamesAndOperations(t *testing.T) {
	const badName = "name must be 1 to 63 letters, digits and . _ -, and begin with a letter or a digit"
	rules := map[string]bad{}
	for _, name := range []string{"two words", "-dash", ".dot", "ü", "a/b", "a\n", strings.Repeat("n", 64)} {
		rules[name] = bad{fault.Rule{Name: name, Operation: fault.On("groups.list"), Then: always}, "name", badName}
	}
	long := strings.Repeat("groups", 30)
	known := ": there are " + phrase.Names(contract.Patterns())
	for operation, shown := range map[string]string{
		"groups.lst": `"groups.lst": did you mean "groups.list"?`, "group.*": `"group.*": did you mean "groups.*"?`,
		"gr*": `"gr*"` + known, "Groups.list": `"Groups.list": did you mean "groups.list"?`,
		"groups.*.*": `"groups.*.*": did you mean "groups.*"?`, "groups": `"groups": did you mean "groups.*"?`,
		"*.list": `"*.list"` + known, long: `"` + long[:80] + `…"` + known,
	} {
		rules[operation] = bad{fault.Rule{Operation: fault.On(operation), Then: always}, "operation", "unknown operation " + shown}
	}
	for name, test := range map[string]struct {
		operations    fault.Operations
		path, message string
	}{
		"nothing is listed":   {fault.OnAny(), "operation", "operation is an empty list: list at least one, or leave it out for all"},
		"one is unknown":      {fault.OnAny("groups.list", "tokens.issu"), "operation.1", `unknown operation "tokens.issu": did you mean "tokens.issue"?`},
		"one is empty":        {fault.OnAny("", "tokens.issue"), "operation.0", `unknown operation ""` + known},
		"one is listed twice": {fault.OnAny("groups.*", "tokens.issue", "groups.*"), "operation.2", `operation "groups.*" is listed twice: remove one of them`},
	} {
		rules[name] = bad{fault.Rule{Operation: test.operations, Then: always}, test.path, test.message}
	}
	checkEach(t, rules)

	for _, operations := range []fault.Operations{fault.OnAny("groups.list"), fault.OnAny("groups.list", "tokens.*", "*")} {
		assert.Empty(t, fault.Check([]fault.Rule{{Operation: operations, Then: always}}))
	}
	for _, name := range []string{"", "a", "0", "a.b_c-d", strings.Repeat("n", 63)} {
		for _, operation := range []string{"groups.list", "groups.create"} {
			assert.Empty(t, fault.Check([]fault.Rule{{Name: name, Operation: fault.On(operation), Then: always}}), name)
		}
	}
	for _, operation := range []string{"", "*", "estatements.*", "tokens.*", "groups.*", "alerts.*"} {
		rule := fault.Rule{Operation: fault.On(operation), Then: fault.Then{Delay: fault.Fixed(time.Second)}}
		assert.Empty(t, fault.Check([]fault.Rule{rule}), operation)
	}
}

func TestCheckAnswers(t *testing.T) {
	message := &fault.Error{Message: "m"}
	checkEach(t, map[string]bad{
		"nothing":         {does(fault.Then{}), "then", "then says nothing: add status, headers, delay or connection"},
		"no headers":      {does(fault.Then{Headers: map[string]string{}}), "then", "then says nothing: add status, headers, delay or connection"},
		"phase":           {fault.Rule{Phase: "during", Operation: fault.On("groups.list"), Then: always}, "phase", `phase must be before or after, not "during"`},
		"status too low":  {does(fault.Then{Status: 199}), "then.status", "status must be from 200 to 599, not 199"},
		"status too high": {does(fault.Then{Status: 600}), "then.status", "status must be from 200 to 599, not 600"},
		"status negative": {does(fault.Then{Status: -1}), "then.status", "status must be from 200 to 599, not -1"},
		"interim status":  {does(fault.Then{Status: 103, Body: ptr("x")}), "then.status", "status must be from 200 to 599, not 103"},
		"a success": {does(fault.Then{Status: 200}), "then.status",
			"status 200 is no error, so there is no body that goes with it: add body, or choose a status from 400 to 599"},
		"a redirection": {does(fault.Then{Status: 399}), "then.status",
			"status 399 is no error, so there is no body that goes with it: add body, or choose a status from 400 to 599"},
		"no content": {fault.Rule{Operation: fault.On("tokens.revoke"), Then: fault.Then{Status: 204}}, "then.status",
			`an answer with status 204 has no body: write body: "" beside it, or change the status`},
		"error and body":       {does(fault.Then{Status: 500, Error: message, Body: ptr("x")}), "then.body", "body is the whole body, and error a part of it: remove one of them"},
		"control in a code":    {does(fault.Then{Status: 500, Error: &fault.Error{Code: "a\x1bb"}}), "then.error.code", "code must have no control characters, such as a line break: write it on one line"},
		"lines in a message":   {does(fault.Then{Status: 500, Error: &fault.Error{Message: "a\nb"}}), "then.error.message", "message must have no control characters, such as a line break: write it on one line"},
		"C1 in a message":      {does(fault.Then{Status: 500, Error: &fault.Error{Message: "a\u0085"}}), "then.error.message", "message must have no control characters, such as a line break: write it on one line"},
		"bytes in a message":   {does(fault.Then{Status: 500, Error: &fault.Error{Message: "a\x80"}}), "then.error.message", "message must be UTF-8: remove the other bytes"},
		"control in a header":  {does(fault.Then{Headers: map[string]string{"X-A": "a\x1b[2J"}}), "then.headers", "header X-A must have no control characters: remove them"},
		"DEL in a header":      {does(fault.Then{Headers: map[string]string{"X-A": "a\x7f"}}), "then.headers", "header X-A must have no control characters: remove them"},
		"NUL in a header":      {does(fault.Then{Headers: map[string]string{"X-A": "\x00"}}), "then.headers", "header X-A must have no control characters: remove them"},
		"bytes in a header":    {does(fault.Then{Headers: map[string]string{"X-A": "a\xff"}}), "then.headers", "header X-A must be UTF-8: remove the other bytes"},
		"empty error":          {does(fault.Then{Status: 500, Error: &fault.Error{}}), "then.error", "error says nothing: give it a code or a message"},
		"error without status": {does(fault.Then{Error: message}), "then.error", "error needs a status: add status: 500, for example"},
		"code without status":  {does(fault.Then{Error: &fault.Error{Code: "CMN_90002"}}), "then.error", "error needs a status: add status: 500, which CMN_90002 goes with"},
		"code of two statuses": {fault.Rule{Operation: fault.On("alerts.*"), Then: fault.Then{Error: &fault.Error{Code: "CMN_90001"}}}, "then.error", "error needs a status: add status: 500, for example"},
		"body without status":  {does(fault.Then{Body: ptr("x")}), "then.body", "body needs a status: add status: 200, for example"},
		"body with 204":        {does(fault.Then{Status: 204, Body: ptr("x")}), "then.body", "an answer with status 204 has no body: remove it, or change the status"},
		"error with 304":       {does(fault.Then{Status: 304, Error: message}), "then.error", "an answer with status 304 has no body: remove error, or change the status"},
		"header with space":    {headed("Retry After", "2"), "then.headers", `"Retry After" can't be the name of a header: use letters, digits and dashes`},
		"header without name":  {headed("", "2"), "then.headers", `"" can't be the name of a header: use letters, digits and dashes`},
		"header of two lines":  {headed("X-A", "1\r\nX-B: 2"), "then.headers", "header X-A must be one line: remove the line breaks"},
		"Content-Length":       {headed("content-length", "2"), "then.headers", "the simulator sets header content-length itself: remove it"},
		"Transfer-Encoding":    {headed("Transfer-Encoding", "chunked"), "then.headers", "the simulator sets header Transfer-Encoding itself: remove it"},
		"Connection":           {headed("Connection", "close"), "then.headers", "the simulator sets header Connection itself: remove it"},
		"Date":                 {headed("DATE", "now"), "then.headers", "the simulator sets header DATE itself: remove it"},
	})
	for name, rule := range map[string]fault.Rule{
		"documented":             does(fault.Then{Status: 401}),
		"undocumented":           does(fault.Then{Status: 404}),
		"the lowest, for all":    {Operation: fault.On("*"), Then: fault.Then{Status: 400}},
		"the highest, for all":   {Then: fault.Then{Status: 599}},
		"documented for all":     {Operation: fault.On("groups.*"), Then: fault.Then{Status: 401}},
		"undocumented, error":    does(fault.Then{Status: 404, Error: message}),
		"undocumented, body":     {Then: fault.Then{Status: 502, Body: ptr("<html>")}},
		"an empty body":          does(fault.Then{Status: 503, Body: ptr("")}),
		"no content, it is said": does(fault.Then{Status: 204, Body: ptr("")}),
		"headers alone":          headed("Retry-After", "2"),
	} {
		assert.Empty(t, fault.Check([]fault.Rule{rule}), name)
	}
}

func TestCheckDelays(t *testing.T) {
	const second = time.Second
	longTailed := func(sigma float64) fault.Rule { return delayed(fault.LongTailed(second, sigma)) }
	checkEach(t, map[string]bad{
		"zero":                {delayed(fault.Fixed(0)), "then.delay", "delay must be longer than 0, not 0s"},
		"negative":            {delayed(fault.Fixed(-second)), "then.delay", "delay must be longer than 0, not -1s"},
		"too long":            {delayed(fault.Fixed(fault.MaxDelay + 1)), "then.delay", "delay must be at most 5m0s, not 5m0.000000001s"},
		"uniform, negative":   {delayed(fault.Uniform(-1, second)), "then.delay.uniform", "uniform must not begin below 0: write 0s, for example"},
		"uniform, reversed":   {delayed(fault.Uniform(2*second, second)), "then.delay.uniform", "uniform begins after its end: swap the two"},
		"uniform, too long":   {delayed(fault.Uniform(0, time.Hour)), "then.delay.uniform", "the end of uniform must be at most 5m0s, not 1h0m0s"},
		"uniform, zero":       {delayed(fault.Uniform(0, 0)), "then.delay.uniform", "the end of uniform must be longer than 0, not 0s"},
		"sigma zero":          {longTailed(0), "then.delay.lognormal.sigma", "sigma must be more than 0 and at most 3, not 0: 0.6 gives a long tail"},
		"sigma negative":      {longTailed(-1), "then.delay.lognormal.sigma", "sigma must be more than 0 and at most 3, not -1: 0.6 gives a long tail"},
		"sigma too large":     {longTailed(3.5), "then.delay.lognormal.sigma", "sigma must be more than 0 and at most 3, not 3.5: 0.6 gives a long tail"},
		"sigma, no number":    {longTailed(math.NaN()), "then.delay.lognormal.sigma", "sigma must be more than 0 and at most 3, not NaN: 0.6 gives a long tail"},
		"median zero":         {delayed(fault.LongTailed(0, 1)), "then.delay.lognormal.median", "median must be longer than 0, not 0s"},
		"median too long":     {delayed(fault.LongTailed(time.Hour, 1)), "then.delay.lognormal.median", "median must be at most 5m0s, not 1h0m0s"},
		"fixed and lognormal": {delayed(&fault.Delay{Fixed: 1, Lognormal: &fault.Lognormal{Median: 1, Sigma: 1}}), "then.delay", "delay is more than one of a fixed time, uniform, lognormal, and p50 with p95: keep one of them"},
		"p50 zero":            {delayed(fault.ByPercentiles(0, second)), "then.delay.p50", "p50 must be longer than 0, not 0s"},
		"p95 too long":        {delayed(fault.ByPercentiles(time.Minute, time.Hour)), "then.delay.p95", "p95 must be at most 5m0s, not 1h0m0s"},
		"p95 is p50":          {delayed(fault.ByPercentiles(second, second)), "then.delay.p95", "p95 must be longer than p50, as 95 of 100 delays are shorter than it: write more than 1s"},
		"p95 below p50":       {delayed(fault.ByPercentiles(second, 1)), "then.delay.p95", "p95 must be longer than p50, as 95 of 100 delays are shorter than it: write more than 1s"},
		"p95 far above p50":   {delayed(fault.ByPercentiles(time.Millisecond, 140*time.Millisecond)), "then.delay.p95", "p95 must be at most 139 times as long as p50: shorten it, or lengthen p50"},
		"fixed and p50":       {delayed(&fault.Delay{Fixed: 1, Percentiles: &fault.Percentiles{P50: 1, P95: 2}}), "then.delay", "delay is more than one of a fixed time, uniform, lognormal, and p50 with p95: keep one of them"},
		"two distributions":   {delayed(&fault.Delay{Uniform: &[2]fault.Duration{1, 2}, Lognormal: &fault.Lognormal{Median: 1, Sigma: 1}}), "then.delay", "delay is more than one of a fixed time, uniform, lognormal, and p50 with p95: keep one of them"},
	})
	for _, good := range []*fault.Delay{fault.Fixed(1), fault.Fixed(fault.MaxDelay), fault.Uniform(0, 1), fault.Uniform(second, second), fault.LongTailed(1, 3),
		fault.ByPercentiles(1, 2), fault.ByPercentiles(time.Millisecond, 139*time.Millisecond)} {
		assert.Empty(t, fault.Check([]fault.Rule{delayed(good)}))
	}
}

func TestCheckConnections(t *testing.T) {
	const noAnswer = "%s needs an answer to deliver, and before the operation there is none: add a status, or write phase: after"
	rules := map[string]bad{
		"hang negative":     {broken(fault.Connection{Kind: fault.Hang, Hang: -1}), "then.connection.hang", "hang must be longer than 0 and at most 5m0s, not -1ns"},
		"hang too long":     {broken(fault.Connection{Kind: fault.Hang, Hang: fault.Duration(fault.MaxHang + 1)}), "then.connection.hang", "hang must be longer than 0 and at most 5m0s, not 5m0.000000001s"},
		"truncate negative": {broken(fault.Connection{Kind: fault.Truncate, Truncate: ptr(-1)}), "then.connection.truncate", "truncate must be at least 0, not -1"},
		"pieces negative":   {broken(fault.Connection{Kind: fault.Trickle, Dribble: fault.Dribble{Bytes: -1}}), "then.connection.dribble.bytes", "bytes must be at least 1, not -1"},
		"pauses negative":   {broken(fault.Connection{Kind: fault.Trickle, Dribble: fault.Dribble{Every: -1}}), "then.connection.dribble.every", "every must be longer than 0 and at most 1m0s, not -1ns"},
		"pauses too long":   {broken(fault.Connection{Kind: fault.Trickle, Dribble: fault.Dribble{Every: fault.Duration(time.Hour)}}), "then.connection.dribble.every", "every must be longer than 0 and at most 1m0s, not 1h0m0s"},
	}
	for _, kind := range []fault.Kind{fault.Truncate, fault.Malformed, fault.Trickle, fault.Garbage} {
		rule := broken(fault.Connection{Kind: kind})
		assert.Equal(t, fault.After, rule.InPhase(), kind)
		assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		rule.Phase = fault.Before
		rules["nothing to "+string(kind)] = bad{rule, "phase", fmt.Sprintf(noAnswer, kind)}
		rule.Then.Status = 500
		assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		rule.Phase = ""
		assert.Equal(t, fault.Before, rule.InPhase(), kind)
	}
	for _, kind := range []fault.Kind{fault.Reset, fault.Close, fault.Hang} {
		lost := &fault.Connection{Kind: kind}
		rules["status of a "+string(kind)] = bad{does(fault.Then{Status: 500, Connection: lost}), "then.status", string(kind) + " sends no answer that could have status: remove one of them"}
		rules["headers of a "+string(kind)] = bad{does(fault.Then{Headers: map[string]string{"X-A": "1"}, Connection: lost}), "then.headers", string(kind) + " sends no answer that could have headers: remove one of them"}
		rule := does(fault.Then{Delay: fault.Fixed(1), Connection: lost})
		assert.Equal(t, fault.Before, rule.InPhase(), kind)
		for _, phase := range []fault.Phase{"", fault.Before, fault.After} {
			rule.Phase = phase
			assert.Empty(t, fault.Check([]fault.Rule{rule}), kind)
		}
	}
	checkEach(t, rules)

	assert.Len(t, fault.Kinds, 7)
	for kind, hint := range map[fault.Kind]string{
		"resett": `did you mean "reset"?`, "Reset": `did you mean "reset"?`,
		"": `there are "reset", "close", "hang", "truncate", "malformed", "dribble", "garbage"`,
	} {
		problems := fault.Check([]fault.Rule{broken(fault.Connection{Kind: kind})})
		require.Len(t, problems, 1)
		assert.Equal(t, fmt.Sprintf("unknown kind of connection fault %q: %s", kind, hint), problems[0].Message)
	}
}

// All problems are reported, each at its place.
func TestCheckReportsAll(t *testing.T) {
	var paths []string
	for _, p := range fault.Check([]fault.Rule{
		{Name: "twin", Operation: fault.On("groups.list"), When: fault.When{Nth: 1}, Then: always},
		{Name: "no name!", Operation: fault.On("groups.lst"), When: fault.When{Probability: 2}, Phase: "later", Then: fault.Then{Status: 99, Delay: fault.Fixed(-1)}},
		{Name: "twin", Operation: fault.On("groups.list"), Phase: "later"},
	}) {
		paths = append(paths, strings.Join(p.Path, "."))
	}
	assert.Equal(t, []string{"1.name", "1.operation", "1.when.probability", "1.phase", "1.then.status", "1.then.delay", "2.name", "2.phase", "2.then"}, paths)
}

// Whatever passes can be put into a set, which relies on it.
func TestWhatPassesMakesASet(t *testing.T) {
	twins := []fault.Rule{
		{Name: fault.Header, Operation: fault.On("groups.list"), When: fault.When{First: 1}, Then: always},
		{Name: fault.Header, Operation: fault.On("groups.list"), When: fault.When{First: 1}, Then: always},
	}
	problems := fault.Check(twins)
	require.Len(t, problems, 1)
	assert.Equal(t, `duplicate name "Banksim-Fault", first that of fault 1: change one of them`, problems[0].Message)
	assert.Panics(t, func() { fault.NewSet(twins, 7) })

	most := make([]fault.Rule, fault.MaxRules)
	for i := range most {
		most[i] = delayed(fault.Fixed(1))
	}
	require.Empty(t, fault.Check(most))
	assert.Len(t, fault.NewSet(most, 7).Counts(), 1000)
	problems = fault.Check(append(most, delayed(fault.Fixed(-1))))
	require.Len(t, problems, 1)
	assert.Equal(t, fault.Problem{Path: []string{"1000"}, Message: "there are 1001 faults, more than 1000: remove some"}, problems[0])
}

func TestCheckReachable(t *testing.T) {
	reset := fault.Then{Connection: &fault.Connection{Kind: fault.Reset}}
	only := func(operation string, then fault.Then) fault.Rule {
		return fault.Rule{Operation: fault.On(operation), Then: then}
	}
	sometimes := only("groups.list", reset)
	sometimes.When.First = 1
	for name, test := range map[string]struct {
		rules []fault.Rule
		never bool // the last of them answers
	}{
		"the same operation":     {[]fault.Rule{only("groups.list", reset), only("groups.list", always)}, true},
		"not the first":          {[]fault.Rule{delayed(fault.Fixed(1)), only("groups.list", reset), only("groups.list", always)}, true},
		"a wider pattern":        {[]fault.Rule{only("groups.*", reset), only("groups.list", always)}, true},
		"all operations":         {[]fault.Rule{only("*", reset), only("groups.*", reset)}, true},
		"all, by default":        {[]fault.Rule{only("", reset), only("*", reset)}, true},
		"with a when of its own": {[]fault.Rule{only("groups.list", always), sometimes}, true},
		"a narrower one":         {[]fault.Rule{only("groups.list", reset), only("groups.*", reset)}, false},
		"another operation":      {[]fault.Rule{only("groups.create", reset), only("groups.list", always)}, false},
		"the other sometimes":    {[]fault.Rule{sometimes, only("groups.list", always)}, false},
		"the other only delays":  {[]fault.Rule{delayed(fault.Fixed(1)), only("groups.list", always)}, false},
		"it only delays":         {[]fault.Rule{only("groups.list", always), delayed(fault.Fixed(1))}, false},
		"it only sets headers":   {[]fault.Rule{only("groups.list", always), headed("X-A", "1")}, false},
	} {
		problems := fault.Check(test.rules)
		if !test.never {
			assert.Empty(t, problems, name)
			continue
		}
		if !assert.Len(t, problems, 1, name) {
			continue
		}
		last := len(test.rules) - 1
		assert.Equal(t, []string{fmt.Sprint(last)}, problems[0].Path, name)
		assert.Equal(t, fmt.Sprintf("this fault can never answer: fault %d before it always does; move it before that fault, or give that fault a when", last), problems[0].Message, name)
		verdict := fault.NewSet(test.rules, 7).Decide(list())
		assert.Same(t, verdict.Fired[last-1].Rule, verdict.Answer().Rule, "%s: it never answers indeed", name)
	}
}

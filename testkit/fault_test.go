package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// Each function of a fault is a member of the rule that the simulator has.
func TestFaults(t *testing.T) {
	bank := testkit.Start(t)
	rule := func(f testkit.Fault) string {
		f.Optional = true
		bank.Inject(f)
		_, body := get(t, bank.Client(), bank.ControlURL()+"/faults")
		bank.ClearFaults()
		return body
	}
	matching := testkit.Matching(testkit.Match{InstitutionID: "02688", HostUserID: "1001",
		Header: map[string]string{"X-Test": testkit.Absent}, Query: map[string]string{"size": "~^1"},
		Body: map[string]any{"groupName": nil}})
	for want, when := range map[string]testkit.When{
		`{"nth":2}`:                            testkit.Nth(2),
		`{"every":3,"during":{"from":"1m0s"}}`: testkit.During(time.Minute, 0).And(testkit.Every(3)),
		`{"after":4,"probability":0.5}`:        testkit.WithProbability(0.5).And(testkit.AfterFirst(4)),
		`{"first":1,"request":{"institutionId":"02688","hostUserId":"1001","header":{"X-Test":null},` +
			`"query":{"size":"~^1"},"body":{"groupName":null}}}`: matching.And(testkit.First(1)),
	} {
		assert.Contains(t, rule(testkit.Fault{When: when, Then: testkit.Status(500)}), `"when":`+want)
	}
	for want, then := range map[string]testkit.Effect{
		`{"connection":"garbage"}`:                      testkit.Garbage,
		`{"expireToken":true}`:                          testkit.ExpireToken,
		`{"status":500,"error":{"code":"CMN_90001"}}`:   testkit.Error(500, "CMN_90001", ""),
		`{"status":400,"body":"no"}`:                    testkit.Answer(400, "no"),
		`{"status":200,"bodyBase64":"JVD/"}`:            testkit.Answer(200, "%P\xff"),
		`{"delay":{"uniform":["1s","2s"]}}`:             testkit.DelayBetween(time.Second, 2*time.Second),
		`{"delay":{"p50":"1s","p95":"2s"}}`:             testkit.DelayPercentiles(time.Second, 2*time.Second),
		`{"connection":{"hang":"1s"}}`:                  testkit.Hang(time.Second),
		`{"connection":{"truncate":0}}`:                 testkit.Truncate(0),
		`{"connection":{"dribble":{"bytes":1,"every":"`: testkit.Dribble(1, time.Second),
		`{"status":500,"delay":"1s","connection":"malformed"}`: testkit.Status(500).And(testkit.Malformed).
			And(testkit.Delay(time.Second)),
		`{"status":429,"headers":{"Retry-After":"2","X-A":["1","2"]}}`: testkit.Status(429).
			And(testkit.AnswerHeader("Retry-After", "2")).And(testkit.AnswerHeader("X-A", "1", "2")),
		`{"status":200,"bodyBase64":"JVD/","delay":"2s"}`: testkit.Delay(2 * time.Second).And(testkit.Answer(200, "%P\xff")),
	} {
		assert.Contains(t, rule(testkit.Fault{Then: then}), `"then":`+want)
	}
	forward := testkit.Forward("http://other.example").And(testkit.Delay(time.Second))
	assert.Contains(t, rule(testkit.Fault{Path: "/v1/{id}", Then: forward}),
		`"then":{"forward":"http://other.example","delay":"1s"}`)
}

// A fault whose members exclude each other, or that never could fire, ends the test.
func TestContradictoryFaults(t *testing.T) {
	header := testkit.AnswerHeader("Retry-After", "2")
	for want, f := range map[string]testkit.Fault{
		"First(0): it takes a number from 1":      {When: testkit.First(0)},
		"WithProbability(1.5): it takes a number": {When: testkit.WithProbability(1.5)},
		"During(-1s, 0s): it takes times from 0":  {When: testkit.During(-time.Second, 0)},
		"Answer(0, …): it takes 200 to 599": {Then: testkit.Answer(0,
			"lost").And(header)},
		"DelayBetween(2s, 1s): the first is longer": {Then: testkit.DelayBetween(2*time.Second,
			time.Second)},
		"Hang(0s): it takes a time above 0":    {Then: testkit.Hang(0)},
		"two effects are about the connection": {Then: testkit.Close.And(testkit.Hang(1))},
		"two effects give the age of the answer": {
			Operation: testkit.GroupsList, Then: testkit.Stale(1).And(testkit.Stale(2)),
		},
		"two effects forward the request":                                 {Then: testkit.Forward("a").And(testkit.Forward("b"))},
		"When has two of Nth":                                             {When: testkit.Nth(1).And(testkit.Nth(2))},
		"two effects give the status":                                     {Then: testkit.Status(500).And(testkit.Error(400, "", ""))},
		"two effects give the header Retry-After":                         {Then: header.And(testkit.Close).And(header)},
		"Status(200): it takes 400 to 599: for another status use Answer": {Then: testkit.Status(200)},
		"then says nothing: add status, headers, delay, connection":       {Operation: testkit.GroupsList},
		`did you mean "groups.list"?`:                                     {Operation: "groups.lst", Then: testkit.Close},
	} {
		text := failure(t, func(t testing.TB) {
			testkit.Start(t).Inject(f)
			panic("it went on")
		})
		assert.Contains(t, text, "testkit: Inject: ")
		assert.Contains(t, text, want)
	}
}

// A fault that never fires fails the test, with the line of its Inject and the exchanges.
func TestFaultsHaveToFire(t *testing.T) {
	text := failure(t, func(t testing.TB) {
		bank := testkit.Start(t)
		bank.Inject(testkit.Fault{Operation: testkit.GroupsList, When: testkit.Nth(2), Then: testkit.Status(500)})
		listGroups(bank, "")
	})
	assert.Regexp(t, `^testkit: fault_test\.go:\d+: the fault fault-1 \(groups\.list, nth 2\) never fired: `+
		`1 request matched it; if that is right, make the fault optional\ntestkit: the bank's last exchanges, .*\n1  GET `, text)
}

package fault_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestCheckWhen(t *testing.T) {
	when := func(w fault.When) fault.Rule {
		return fault.Rule{Operation: fault.On("groups.list"), When: w, Then: always}
	}
	during := func(d fault.During) fault.Rule { return when(fault.When{During: &d}) }
	request := func(r fault.Request) fault.Rule { return when(fault.When{Request: &r}) }
	const mixed = "from and until must both be times, or both count from the start of the sandbox: write until like from, or write for"
	noon := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	wrong := func(field, mistake string) string {
		return field + ": " + mistake + `: what follows "~" has to be a Go regular expression (RE2)`
	}
	checkEach(t, map[string]bad{
		"first negative": {when(fault.When{First: -1}), "when.first", "first must be at least 1, not -1"},
		"nth negative":   {when(fault.When{Nth: -2}), "when.nth", "nth must be at least 1, not -2"},
		"every negative": {when(fault.When{Every: -3}), "when.every", "every must be at least 1, not -3"},
		"after negative": {when(fault.When{After: -4}), "when.after", "after must be at least 1, not -4"},
		"first before after": {when(fault.When{First: 3, After: 10}), "when.first",
			"first 3 ends before after 10 begins, as both count from the first match: write first: 13 for as many after that"},
		"first at after":   {when(fault.When{First: 3, After: 3}), "when.first", "first 3 ends before after 3 begins, as both count from the first match: write first: 6 for as many after that"},
		"nth beyond first": {when(fault.When{First: 3, Nth: 4}), "when.nth", "nth 4 is not among the first 3: remove first"},
		"nth before after": {when(fault.When{Nth: 3, After: 3}), "when.nth", "nth 3 is not after 3, as both count from the first match: remove after, or write nth: 6"},
		"nth of no every":  {when(fault.When{Nth: 3, Every: 2}), "when.nth", "nth 3 is not a multiple of every 2: remove every"},
		"no every in between": {when(fault.When{First: 14, Every: 5, After: 10}), "when.every",
			"no multiple of every 5 is after 10 and within the first 14: write first: 15, or remove every"},
		"probability negative":  {when(fault.When{Probability: -0.1}), "when.probability", "probability must be more than 0 and at most 1, not -0.1: 0.2 is one in five"},
		"probability above one": {when(fault.When{Probability: 2}), "when.probability", "probability must be more than 0 and at most 1, not 2: 0.2 is one in five"},
		"probability no number": {when(fault.When{Probability: math.NaN()}), "when.probability", "probability must be more than 0 and at most 1, not NaN: 0.2 is one in five"},
		"from negative":         {during(fault.During{From: fault.AfterStart(-1)}), "when.during.from", "from must not be negative: it counts from the start of the sandbox, so write 0s or leave it out"},
		"for negative":          {during(fault.During{For: fault.Duration(-time.Second)}), "when.during.for", "for must be longer than 0, not -1s"},
		"until negative":        {during(fault.During{Until: fault.AfterStart(-time.Second)}), "when.during.until", "until must be later than the start of the sandbox, not -1s"},
		"until and for":         {during(fault.During{Until: fault.AfterStart(time.Hour), For: 1}), "when.during.for", "for and until both say when the window ends: remove one of them"},
		"until at from":         {during(fault.During{From: fault.AfterStart(time.Hour), Until: fault.AfterStart(time.Hour)}), "when.during.until", "until must be later than from: write a later one, or swap the two"},
		"until a time, at from": {during(fault.During{From: fault.AtTime(noon), Until: fault.AtTime(noon)}), "when.during.until", "until must be later than from: write a later one, or swap the two"},
		"from a time":           {during(fault.During{From: fault.AtTime(noon), Until: fault.AfterStart(time.Hour)}), "when.during.until", mixed},
		"until a time":          {during(fault.During{From: fault.AfterStart(time.Hour), Until: fault.AtTime(noon)}), "when.during.until", mixed},
		"during empty":          {during(fault.During{}), "when.during", "during says nothing: add from, until or for"},
		"request empty":         {request(fault.Request{}), "when.request", "request says nothing: add dialect, institutionId, hostUserId, header, query or body"},
		"institution":           {request(fault.Request{InstitutionID: "~["}), "when.request.institutionId", wrong("institutionId", "missing closing ]")},
		"user":                  {request(fault.Request{HostUserID: "~*"}), "when.request.hostUserId", wrong("hostUserId", "missing argument to repetition operator")},
		"header":                {request(fault.Request{Header: map[string]*string{"x-test": ptr("~(")}}), "when.request.header", wrong("header.x-test", "missing closing )")},
		"header's name":         {request(fault.Request{Header: map[string]*string{"x test": nil}}), "when.request.header", `"x test" can't be the name of a header: use letters, digits and dashes`},
		"query":                 {request(fault.Request{Query: map[string]*string{"size": ptr("~a{2,1}")}}), "when.request.query", wrong("query.size", "invalid repeat count")},
		"body":                  {request(fault.Request{Body: map[string]any{"a": "~(?<"}}), "when.request.body", wrong("body.a", "invalid or unsupported Perl syntax")},
		"body, deep":            {request(fault.Request{Body: map[string]any{"a": map[string]any{"b": []any{1.0, "~["}}}}), "when.request.body", wrong("body.a.b[1]", "missing closing ]")},
	})
}

// Counts that are accepted are fulfilled by some request, and those that are refused by none.
func TestContradictionsAreThose(t *testing.T) {
	const most = 5
	for first := range most {
		for nth := range most {
			for every := range most {
				for after := range most {
					when := fault.When{First: first, Nth: nth, Every: every, After: after}
					rules := []fault.Rule{{Operation: fault.On("groups.list"), When: when, Then: always}}
					accepted, set, fired := len(fault.Check(rules)) == 0, fault.NewSet(rules, 7), false
					for range most * most {
						fired = fired || set.Decide(list()).Fired != nil
					}
					assert.Equal(t, fired, accepted, "%+v", when)
				}
			}
		}
	}
}

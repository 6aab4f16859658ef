package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A wrong option fails before anything is run, and the message says what is right.
func TestWrongOptions(t *testing.T) {
	for want, opts := range map[string][]testkit.Option{
		`did you mean "retail"?`:                           {testkit.Scenario("retial")},
		"Scenario and ScenarioYAML exclude each other":     {testkit.ScenarioYAML(""), testkit.Scenario("base")},
		`"https://bank.example" is none`:                   {testkit.AsHost("https://bank.example")},
		"InMemory goes with neither On nor HTTPS":          {testkit.InMemory(), testkit.HTTPS()},
		"an option is nil":                                 {nil},
		"MaxRuns(2): it takes at least 3":                  {testkit.MaxRuns(2)},
		"Within(-1s): it takes a time above 0":             {testkit.Within(-time.Second)},
		`"groups.create#1/[5" is not a pattern`:            {testkit.OnlyFailures("groups.create#1/[5")},
		"EachWithin(5m0s): it takes a time above 0, up to": {testkit.EachWithin(5 * time.Minute)},
		`Invariant("", …): it takes a name and a function`: {testkit.Invariant("", nil)},
		"OnlyFailures takes at least a pattern":            {testkit.OnlyFailures()},
		"an option of Explore goes with Explore alone":     {testkit.RequireAllOrNothing()},
	} {
		_, err := testkit.StartSuite(t.Context(), opts...)
		assert.ErrorContains(t, err, want)
		text := failure(t, func(t testing.TB) { testkit.Start(t, opts...) })
		assert.Equal(t, "testkit: Start"+err.Error()[len("testkit: StartSuite"):]+"\n", text)
	}
}

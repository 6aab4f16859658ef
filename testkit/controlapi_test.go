package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestHeaderNamesInAnyCase(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	createGroup(t, bank, "Night owls")
	x := bank.Journal("")[0]
	assert.Equal(t, "t-1", x.Request.Headers.Get("TRANSACTIONID"))
	assert.Equal(t, "t-1", x.Response.Headers.Get("transactionid"))
	assert.Empty(t, x.Response.Headers.Get("X-Absent"))
}

// A fault whose members exclude each other, or that has an unknown kind, is not sent.
func TestContradictoryFaults(t *testing.T) {
	for want, f := range map[string]testkit.Fault{
		"one of From and Begin":  {When: testkit.When{During: testkit.During{From: 1, Begin: time.Now()}}},
		"and one of For and End": {When: testkit.When{During: testkit.During{For: 1, End: time.Now()}}},
		"a Delay has one of Fixed, Uniform, Lognormal and Percentiles": {Then: testkit.Then{
			Delay: testkit.Delay{Fixed: 1, Percentiles: testkit.Percentiles{P50: 1, P95: 2}}}},
		`unknown connection fault "rest": did you mean "reset"?`: {Then: testkit.Then{
			Connection: testkit.Connection{Kind: "rest"}}},
	} {
		text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.Inject(f) })
		assert.True(t, failed)
		assert.Contains(t, text, want)
	}
}

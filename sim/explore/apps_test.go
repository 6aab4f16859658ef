package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const newName = `{"groupName":"Early birds"}`

// createsOnce creates a group and gives up if that fails.
func createsOnce(a *app) error {
	_, err := a.send(simtest.CreateGroup)
	return err
}

// An app that makes one call and gives up has done all or nothing: nothing of it is a finding, but that it says so.
func TestCreatesOnce(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: createsOnce}
	report := r.explore(explore.Options{Name: "once", AllOrNothing: true, MayFail: true, Select: withoutTimeouts})
	for _, x := range report.Results {
		t.Logf("%s: %s, %s, %s %v %v", x.Name, x.Verdict, x.Reaction, x.Ended, x.Calls, x.Differences)
		t.Log(x.Go)
		t.Log(x.YAML)
		assert.Empty(t, x.Findings)
	}
	t.Logf("%+v", report)
}

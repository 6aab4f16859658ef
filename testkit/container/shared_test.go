package container_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// All banks of a test binary share one container, which many tests use at once: by their URLs, and as a fixed host.
func TestManyAtOnceInAContainer(t *testing.T) {
	engine(t)
	for n := range 100 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, container.Shared(t), testkit.Scenario("empty"), testkit.AsHost(fixedHost))
			for i, base := range []string{bank.BaseURL(), "https://" + fixedHost} {
				createGroup(t, bank, base, fmt.Sprint("Group ", n, i))
			}
			groups := bank.State().Institutions[0].Groups
			assert.Len(t, groups, 2)
			bank.Group(fmt.Sprint("Group ", n, 1))
			bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(2)})
		})
	}
}

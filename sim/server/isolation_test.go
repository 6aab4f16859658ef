package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Sandboxes that are used at the same time show nothing of each other: neither rows, faults and time nor requests.
func TestSandboxesAreIsolated(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	const sandboxes = 20
	mark := func(i int) string { return fmt.Sprintf("mark-%02d-", i) }
	shown := make([]string, sandboxes)
	var apps sync.WaitGroup
	for i := range sandboxes {
		_, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: fmt.Sprintf("sandbox-%d", i)})
		require.NoError(t, err)
		own := b.In(fmt.Sprintf("sandbox-%d", i))
		apps.Go(func() {
			own.ControlSandbox(201, "POST /faults",
				fmt.Sprintf(`{"name":%q,"operation":"tokens.issue","when":{"first":1},"then":{"status":500}}`, mark(i)))
			own.ControlSandbox(200, "POST /clock", fmt.Sprintf(`{"advance":"%ds"}`, i))
			simtest.IssueTokens.Expect(own, 500)
			simtest.IssueTokens.Expect(own, 200)
			for range i {
				simtest.CreateGroup.WithBody(
					fmt.Sprintf(`{"groupName":%q}`, mark(i)+fmt.Sprint(len(shown[i]))),
				).Send(
					own,
				)
				shown[i] += simtest.ListGroups.WithQuery("size=100").Send(own).Body
			}
			own.ControlSandbox(201, "POST /snapshots", fmt.Sprintf(`{"name":%q}`, mark(i)+"s"))
			for _, path := range []string{"/state", "/faults", "/journal?limit=1000", "/snapshots",
				"/diff?since=start"} {
				shown[i] += own.Get(path)
			}
			assert.Contains(t, own.Get("/clock"), fmt.Sprintf("09:00:%02d", i))
			assert.EqualValues(t, 2+2*i, own.Journal().Last())
		})
	}
	apps.Wait()
	for i, text := range shown {
		for other := range sandboxes {
			assert.Equal(
				t, other == i, strings.Contains(text, mark(other)), "sandbox %d shows what sandbox %d has", i, other,
			)
		}
	}
	assert.Zero(t, b.Journal().Last(), "the default sandbox had no request")
}

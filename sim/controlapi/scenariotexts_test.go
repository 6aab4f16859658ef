package controlapi_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// limited returns a simulator whose sandboxes hold at most 5,000 bytes of scenarios.
func limited(t *testing.T) *simtest.Bank {
	t.Helper()
	return simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, simtest.FrozenRetail), ScenarioBytes: 5000,
	})})
}

// largeScenario is a scenario of about 2,000 bytes.
func largeScenario(name string) string {
	return "name: " + name + "\nextends: empty\nclock: {run: false}\n# " + strings.Repeat("x", 1950) + "\n"
}

// The scenarios of all sandboxes have a limit. Equal texts count once, and the last sandbox gives the room back.
func TestScenariosAreTooLarge(t *testing.T) {
	t.Parallel()
	b := limited(t)
	create := func(name, yaml string, status int) string {
		body := fmt.Sprintf(`{"name":%q,"scenarioYaml":%s}`, name, simtest.JSON(largeScenario(yaml)))
		return b.Control(status, "POST /v1/sandboxes", body).Body
	}
	const refusal = "the scenarios of sandboxes leave no room for another one"
	create("a", "one", 201)
	create("a-2", "one", 201)
	create("b", "two", 201)
	assert.Contains(t, create("c", "three", 429), refusal)
	assert.Contains(t, b.Control(429, "PUT /v1/sandboxes/default/scenario", largeScenario("three")).Body, refusal)
	b.Control(200, "PUT /v1/sandboxes/default/scenario", largeScenario("two"))
	b.Control(201, "POST /v1/sandboxes/a/fork", `{"name":"fork"}`)

	b.Control(204, "DELETE /v1/sandboxes/a", "")
	b.Control(204, "DELETE /v1/sandboxes/a-2", "")
	create("c", "three", 429) // the fork has it
	b.Control(204, "POST /v1/sandboxes/fork/reset", "")
	create("c", "three", 429)
	b.Control(204, "DELETE /v1/sandboxes/fork", "")
	create("c", "three", 201)
	create("d", "four", 429)
	b.Control(200, "PUT /v1/sandboxes/c/scenario", largeScenario("two"))
	create("d", "four", 201)
}

// However many calls come at once, no more texts are held than fit, and all room is given back.
func TestScenariosAtOnce(t *testing.T) {
	t.Parallel()
	b := limited(t)
	for range 3 {
		var all sync.WaitGroup
		var created atomic.Int64
		for i := range 8 {
			name := fmt.Sprintf("s-%d", i)
			scenario := simtest.Scenario(t, largeScenario(name))
			all.Go(func() {
				sb, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: name, Scenario: scenario})
				if err != nil {
					assert.ErrorIs(t, err, sandbox.ErrScenariosTooLarge)
					return
				}
				created.Add(1)
				assert.NotNil(t, sb)
			})
		}
		all.Wait()
		assert.EqualValues(t, 2, created.Load())
		for _, sb := range b.Sandboxes.All() {
			if sb.Name() != sandbox.Default {
				assert.NoError(t, b.Sandboxes.Delete(t.Context(), sb))
			}
		}
	}
}

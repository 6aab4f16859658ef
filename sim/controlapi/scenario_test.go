package controlapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

func TestListScenarios(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	list := b.Control(200, "GET /v1/scenarios", "").Body
	for _, name := range scenario.Names() {
		source, err := scenario.Source(name)
		require.NoError(t, err)
		assert.Contains(t, list, `{"name":"`+name+`","description":"`)
		assert.Contains(t, list, `"yaml":`+simtest.JSON(string(source)))
	}
}

// twins is a scenario with two ids that look the same.
const twins = `extends: empty
institutions:
  - {institutionId: "7", users: [{hostUserId: "1", username: a, password: b}, {hostUserId: l, username: c, password: d}]}
`

// A validation finds what creating a sandbox finds, and what loading counts.
func TestValidateScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(
		t,
		`{"valid":false,"problems":[{"file":"scenario.yaml","line":1,"column":10,"message":"unknown scenario \"bsae\": `+
			`did you mean \"base\"?"}],"warnings":[],"summary":null}`,
		b.Control(200, "POST /v1/scenarios/validate", "extends: bsae\n").Body,
	)
	assert.Equal(
		t,
		`{"valid":true,"problems":[],"warnings":[],"summary":{"name":"scenario","description":"","institutions":2,`+
			`"clients":3,"users":5,"accounts":7,"tokens":5,"groups":23,"alertPreferences":2,"faults":1}}`,
		b.Control(200, "POST /v1/scenarios/validate", "extends: retail\nfaults: [{then: {delay: 1s}}]\n").Body,
	)
	assert.Contains(t, b.Control(200, "POST /v1/scenarios/validate", twins).Body,
		`"warnings":[{"file":"scenario.yaml","line":3,"column":92,"message":"hostUserId \"l\" looks like`)
}

// A merged scenario says where its lines were written, unless that is not wanted. What looks like such a comment in a
// text stays.
func TestMergedScenario(t *testing.T) {
	t.Parallel()
	const source = "name: mine\nextends: empty\ndescription: |\n  all\n  of it # retail.yaml:12\nclock: {run: false}\n"
	b := simtest.NewBank(t, source)
	const merged = "name: mine\ndescription: |\n  all\n  of it # retail.yaml:12\ninstitutions:\n" +
		"  - institutionId: \"02688\"\n    clients:\n      - sharedKey: demo-app\n        secretKey: demo-secret\n" +
		"clock:\n  run: false"
	assert.Equal(t, strings.TrimSpace(source), b.ControlSandbox(200, "GET /scenario?origins=false", "").Body)
	assert.Equal(t, merged, b.ControlSandbox(200, "GET /scenario?resolved=true&origins=false", "").Body)
	assert.Contains(t, b.ControlSandbox(200, "GET /scenario?resolved=true", "").Body, "  run: false # test.yaml:6")
	assert.Contains(t, b.ControlSandbox(400, "GET /scenario?origins=no", "").Body, "origins can't be")
}

// No scenario from a request reads a file of the simulator's machine.
func TestValidateReadsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret.yaml")
	require.NoError(t, os.WriteFile(secret, []byte("institutions: [{institutionId: 'not-for-callers'}]\n"), 0o600))
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, name := range []string{
		secret, "./secret.yaml", "../../scenarios/retail.yaml", "scenario.yaml", "/dev/zero.yaml", `C:\x.yaml`,
	} {
		answer := b.Control(200, "POST /v1/scenarios/validate", "extends: "+simtest.JSON(name)+"\n").Body
		assert.Contains(t, answer, `"valid":false`)
		assert.NotContains(t, answer, "not-for-callers")
	}
}

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
		for i := range 8 {
			name := fmt.Sprintf("s-%d", i)
			scenario := simtest.Scenario(t, largeScenario(name))
			all.Go(func() {
				if _, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: name, Scenario: scenario}); err != nil {
					assert.ErrorIs(t, err, sandbox.ErrScenariosTooLarge)
				}
			})
		}
		all.Wait()
		created := b.Sandboxes.All()
		assert.Len(t, created, 2+1)
		for _, sb := range created {
			_ = b.Sandboxes.Delete(t.Context(), sb) // but for the default one
		}
	}
}

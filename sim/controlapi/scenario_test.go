package controlapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
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

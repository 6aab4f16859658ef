package controlapi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

func TestListScenarios(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	list := b.Control(200, "GET /v1/scenarios", "").Body
	for _, name := range scenario.Names() {
		source, err := scenario.Source(name)
		require.NoError(t, err)
		assert.Contains(t, list, `{"name":"`+name+`","description":"`)
		assert.Contains(t, list, `"builtIn":true,"yaml":`+string(wire.MustEncode(string(source))))
	}
}

// A validation finds what creating a sandbox finds, and what loading counts, and changes nothing.
func TestValidateScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	before := b.State()
	assert.Equal(t, `{"valid":false,"problems":[{"file":"scenario.yaml","line":1,"column":10,"message":"unknown scenario \"bsae\": did you mean \"base\"?"}],"summary":null}`,
		b.Control(200, "POST /v1/scenarios/validate", "extends: bsae\n").Body)
	for _, source := range []string{"", "institutions: [", "extends: retail\nclock: 7\n", "extends: retail\nseed: x\nfaults: [{}]\n"} {
		_, err := scenario.Parse("scenario.yaml", []byte(source))
		var wrong scenario.Problems
		require.ErrorAs(t, err, &wrong)
		verdict := simtest.Decode[struct {
			Valid    bool         `json:"valid"`
			Problems []api.Defect `json:"problems"`
			Summary  any          `json:"summary"`
		}](t, b.Control(200, "POST /v1/scenarios/validate?resolved=true", source))
		assert.False(t, verdict.Valid)
		require.Len(t, verdict.Problems, len(wrong))
		for n, p := range wrong {
			assert.Equal(t, api.Defect(p), verdict.Problems[n])
		}
	}
	for _, name := range scenario.Names() {
		answer := b.Control(200, "POST /v1/scenarios/validate", "extends: "+name+"\n").Body
		sc, err := scenario.Load(name)
		require.NoError(t, err)
		n := sc.World.Counts()
		assert.Equal(t, `{"valid":true,"problems":[],"summary":`+simtest.JSON(scenario.Summary{
			Name: "scenario", Institutions: n.Institutions, Clients: n.Clients, Users: n.Users, Accounts: n.Accounts, Tokens: n.Tokens,
			Groups: n.Groups, AlertPreferences: n.AlertPreferences, Faults: len(sc.Faults),
		})+`}`, answer)
	}
	assert.Contains(t, decodeProblem(t, b.Control(400, "POST /v1/scenarios/validate?resolved=yes", "")).Detail,
		"resolved must be true or false")
	b.Control(413, "POST /v1/scenarios/validate", "#"+strings.Repeat("x", 1<<20))
	assert.Equal(t, before, b.State())
}

// No scenario from a request reads a file of the simulator's machine.
func TestValidateReadsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret.yaml")
	require.NoError(t, os.WriteFile(secret, []byte("institutions: [{institutionId: '777'}]\n"), 0o600))
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, name := range []string{secret, "./secret.yaml", "../../scenarios/retail.yaml", "scenario.yaml", "/dev/zero.yaml", `C:\x.yaml`} {
		answer := b.Control(200, "POST /v1/scenarios/validate?resolved=true", "extends: "+simtest.JSON(name)+"\n").Body
		assert.Contains(t, answer, `"valid":false`)
		assert.NotContains(t, answer, "777")
	}
}

type resolvedBody struct {
	YAML    string `json:"yaml"`
	Origins []struct {
		Line     int    `json:"line"`
		File     string `json:"file"`
		FileLine int    `json:"fileLine"`
		BuiltIn  bool   `json:"builtIn"`
	} `json:"origins"`
}

func TestResolvedScenario(t *testing.T) {
	t.Parallel()
	const source = "# ours\nextends: base\nseed: 3\ninstitutions:\n  - institutionId: \"02688\"\n    users:\n      - hostUserId: \"1001\"\n        active: false\n"
	b := simtest.NewBank(t, source)
	answer := b.ControlSandbox(200, "GET /scenario?resolved=true", "")
	assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	resolved := simtest.Decode[resolvedBody](t, answer)
	lines := strings.Split(resolved.YAML, "\n")
	base, err := scenario.Source("base")
	require.NoError(t, err)
	baseLines, ownLines := strings.Split(string(base), "\n"), strings.Split(source, "\n")
	from := map[string]int{}
	for _, o := range resolved.Origins {
		line := strings.TrimSpace(lines[o.Line-1])
		switch {
		case o.File == "":
			assert.Equal(t, "name: test", line)
		case o.BuiltIn:
			assert.Equal(t, "base.yaml", o.File)
			assert.Contains(t, baseLines[o.FileLine-1], line)
		default:
			assert.Contains(t, ownLines[o.FileLine-1], line)
		}
		from[o.File]++
	}
	assert.Equal(t, 1, from[""])
	assert.Equal(t, 6, from["test.yaml"], from)
	assert.Greater(t, from["base.yaml"], 5)
	assert.Contains(t, resolved.YAML, "        active: false\n")
	assert.Contains(t, decodeProblem(t, b.ControlSandbox(400, "GET /scenario?resolved=1", "")).Detail, "resolved must be true or false")
	assert.Equal(t, strings.TrimSpace(source), b.ControlSandbox(200, "GET /scenario?resolved=false", "").Body)

	validated := b.Control(200, "POST /v1/scenarios/validate?resolved=true", source).Body
	var verdict struct{ Resolved json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(validated), &verdict))
	assert.Equal(t, strings.ReplaceAll(strings.ReplaceAll(answer.Body, "test.yaml", "scenario.yaml"), "name: test", "name: scenario"),
		string(verdict.Resolved))
}

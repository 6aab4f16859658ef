package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Scenarios are told from other YAML files, even those with mistakes.
func TestSketchOf(t *testing.T) {
	t.Parallel()
	const other = "without a key of scenarios"
	tests := map[string]struct {
		source string
		want   scenario.Sketch
	}{
		"a scenario":             {"institutions: [{institutionId: \"1\"}]", scenario.Sketch{Institutions: true}},
		"one that extends":       {"name: x\nextends: [retail, ./faults.yaml]", scenario.Sketch{Extends: []string{"retail", "./faults.yaml"}}},
		"a part":                 {"\ufefffaults: []", scenario.Sketch{}},
		"removed institutions":   {"institutions: null\nextends: base", scenario.Sketch{Extends: []string{"base"}}},
		"a misspelt key":         {"institution: []", scenario.Sketch{}},
		"named by its comment":   {"# yaml-language-server: $schema=scenario.schema.json\n", scenario.Sketch{}},
		"no YAML":                {"name: x\n  institutions:\n - x: [", scenario.Sketch{}},
		"no YAML, but a switch":  {"behavior: {\n", scenario.Sketch{}},
		"a large one":            {"institutions: []\n" + strings.Repeat("#", scenario.MaxBytes), scenario.Sketch{}},
		"a workflow":             {"name: ci\non: push\n", scenario.Sketch{NoScenario: other}},
		"keys of all files":      {"name: x\ndescription: y\n", scenario.Sketch{NoScenario: other}},
		"a key further in":       {"data: {institutions: []}", scenario.Sketch{NoScenario: other}},
		"a list":                 {"- institutions", scenario.Sketch{NoScenario: other}},
		"empty":                  {"# nothing\n", scenario.Sketch{NoScenario: "empty"}},
		"a template":             {"{{- if .x }}\nkind: Y\n", scenario.Sketch{NoScenario: "not YAML, and without a key of scenarios"}},
		"large and another kind": {strings.Repeat("#", scenario.MaxBytes+1), scenario.Sketch{NoScenario: "larger than 1 MiB"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, scenario.SketchOf([]byte(test.source)))
		})
	}
}

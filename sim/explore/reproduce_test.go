package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// everyRun returns a run for each failure of each operation, one with two failures, and runs whose calls are found by what they ask for,
// with how they are reproduced.
func everyRun(t *testing.T) (runs []explore.Run, reproduced []explore.Result) {
	t.Helper()
	e := explore.New(explore.Options{})
	for _, op := range contract.AllSpoken() {
		for _, f := range explore.Failures(op, nil) {
			runs = append(runs, explore.Run{Faults: []explore.Aimed{{Call: explore.Call{Operation: op.Name, Number: 3}, Failure: f}}})
		}
	}
	runs = append(runs, explore.Run{Faults: append(runs[0].Faults, runs[1].Faults...)})
	for _, run := range runs {
		reproduced = append(reproduced, e.Done(run, explore.Observation{}))
	}
	odd := []string{`a "quoted" name`, "two: words", "true", "12", "-", "it's", "{a}", "\u00fcber", "#", "~x"}
	r := &runner{t: t, app: func(a *app) error {
		for i := range odd {
			name := odd[(i+a.run)%len(odd)]
			if _, err := a.send(group(name)); err != nil {
				return err
			}
		}
		for i := range 2 {
			_, _ = a.send(simtest.ListGroups.WithQuery("page=0&size=" + fmt.Sprint(1+(i+a.run)%2)))
			_, _ = a.send(simtest.IssueTokens.WithForm("grant_type=client_credentials&scopes=" + fmt.Sprint(1+(i+a.run)%2)))
		}
		return nil
	}}
	found := explore.New(explore.Options{})
	require.NoError(t, found.Undisturbed(r.runUndisturbed(), r.runUndisturbed()))
	for _, run := range found.Next() {
		runs = append(runs, run)
		reproduced = append(reproduced, found.Done(run, explore.Observation{}))
	}
	return runs, reproduced
}

// unnamed returns rules as JSON, without names.
func unnamed(rules []fault.Rule) string {
	for i := range rules {
		rules[i].Name = ""
	}
	return simtest.JSON(rules)
}

// The YAML of a run is the faults of a scenario: the rules of the run.
func TestYAML(t *testing.T) {
	t.Parallel()
	runs, reproduced := everyRun(t)
	for i, run := range runs {
		sc, err := scenario.Parse("explored.yaml", []byte(simtest.FrozenRetail+reproduced[i].YAML))
		if assert.NoError(t, err, reproduced[i].YAML) {
			assert.JSONEq(t, simtest.JSON(run.Rules()), simtest.JSON(sc.Faults), run.Name())
		}
	}
}

// The Go of a run compiles, and is the rules of the run.
func TestGo(t *testing.T) {
	t.Parallel()
	runs, reproduced := everyRun(t)
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"encoding/json\"\n\"os\"\n\"time\"\n\n\"github.com/digitalbanking-sim/banksim/testkit\"\n)\n\n" +
		"const _ = time.Minute\n\nfunc main() {\n_ = json.NewEncoder(os.Stdout).Encode([][]testkit.Fault{\n")
	for _, result := range reproduced {
		b.WriteString("{" + result.Go + "},\n")
	}
	b.WriteString("})\n}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	// The file is in a folder of this module that is not there.
	here, err := os.Getwd()
	require.NoError(t, err)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, []byte(simtest.JSON(map[string]any{"Replace": map[string]string{filepath.Join(here, "reproduced", "main.go"): file}})), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "run", "-overlay", overlay, "./reproduced")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var faults []json.RawMessage
	require.NoError(t, json.Unmarshal(out, &faults))
	require.Len(t, faults, len(runs))
	for i, run := range runs {
		assert.JSONEq(t, unnamed(run.Rules()), string(faults[i]), run.Name())
	}
}

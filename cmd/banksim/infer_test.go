package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const captures = "../../fixtures/captures/"

// Each capture in fixtures/captures has the shape of a tool's. The .txt file beside it has what infer says of it. What
// infer prints is a scenario without warnings.
func TestCaptures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(captures + "*")
	require.NoError(t, err)
	read := 0
	for _, file := range files {
		name := filepath.Base(file)
		ext := filepath.Ext(name)
		if ext == ".txt" || len(strings.TrimSuffix(name, ext)) == 40 { // a body of Playwright's
			continue
		}
		read++
		var out, errs bytes.Buffer
		args := []string{"infer", file}
		if name == "stubs.har" {
			args = append(args, "--stubs")
		}
		code := runWith(t.Context(), nil, &out, &errs, args...)
		want, _ := os.ReadFile(file + ".txt")
		if *update {
			require.NoError(t, os.WriteFile(file+".txt", errs.Bytes(), 0o600))
			want = errs.Bytes()
		}
		assert.Equal(t, string(want), errs.String(), "%s: run go test ./cmd/banksim -run TestCaptures -update", name)
		if name == "postman.json" {
			assert.Equal(t, exitFailed, code)
			continue
		}
		assert.Zero(t, code, name)
		sc, err := scenario.Parse("found.yaml", out.Bytes())
		require.NoError(t, err, name)
		assert.Empty(t, sc.Warnings, name)
		if filepath.Ext(name) == ".har" {
			_, err = scenario.Load(file)
			assert.ErrorContains(t, err, "this is a capture", name)
		}
	}
	assert.Greater(t, read, 15)
}

package container_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Another module, as an app's team has it, runs the README's test unchanged, in both modes.
func TestAnotherModule(t *testing.T) {
	engine(t)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	snippet := regexp.MustCompile("(?ms)^```go\n(package .*?)^```\n").FindSubmatch(readme)
	require.NotNil(t, snippet)
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	folder := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": fmt.Sprintf("module example.com/app\n\ngo 1.25.0\n\nrequire github.com/digitalbanking-sim/banksim v0.0.0\n\n"+
			"replace github.com/digitalbanking-sim/banksim => %s\n", repository),
		"app_test.go":       string(snippet[1]),
		"container_test.go": "package app\n\nimport _ \"github.com/digitalbanking-sim/banksim/testkit/container\"\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := func(mode string, args ...string) string {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "BANKSIM_TESTKIT="+mode, "BANKSIM_REQUIRE_DOCKER=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	command("", "mod", "tidy")
	for _, mode := range []string{"inprocess", "container"} {
		assert.Contains(t, command(mode, "test", "-count=1", "-v", "."), "--- PASS: TestSignOut", mode)
	}
}

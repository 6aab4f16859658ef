package container_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// app is another module, as an app's team has it, with the README's test.
type app struct {
	t      *testing.T
	folder string
}

// newApp writes an app.
func newApp(t *testing.T) app {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	snippet := regexp.MustCompile("(?ms)^```go\n(package .*?)^```\n").FindSubmatch(readme)
	require.NotNil(t, snippet)
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	a := app{t, t.TempDir()}
	a.write("go.mod", fmt.Sprintf("module example.com/app\n\ngo 1.25.0\n\nrequire github.com/digitalbanking-sim/banksim v0.0.0\n\n"+
		"replace github.com/digitalbanking-sim/banksim => %s\n", repository))
	a.write("app_test.go", string(snippet[1]))
	return a
}

func (a app) write(name, content string) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(filepath.Join(a.folder, name), []byte(content), 0o600))
}

// run runs a command in the app's folder and returns what it prints.
func (a app) run(environment []string, name string, args ...string) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = a.folder
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "BANKSIM_REQUIRE_DOCKER=1"), environment...)
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, string(out))
	return string(out)
}

// An app that tests in process has no module in its graph that only a container takes.
func TestInProcessModules(t *testing.T) {
	engine(t) // go mod tidy may need the network, as for the other test
	a := newApp(t)
	a.run(nil, "go", "mod", "tidy")
	mod, err := os.ReadFile(filepath.Join(a.folder, "go.mod"))
	require.NoError(t, err)
	for _, module := range []string{"testcontainers", "moby", "docker", "containerd", "opentelemetry", "prometheus"} {
		assert.NotContains(t, string(mod), module)
	}
	assert.Less(t, strings.Count(string(mod), " v"), 25)
	assert.Contains(t, a.run(nil, "go", "test", "-trimpath", "-v", "."), "--- PASS: TestSignOut")
}

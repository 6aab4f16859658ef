package container_test

import (
	"context"
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

// An app that tests in process, as docs/start-go-test.md shows it, has no module in its graph that only a container
// takes.
func TestInProcessModules(t *testing.T) {
	engine(t) // go mod tidy may need the network, as for the other test
	page, err := os.ReadFile("../../docs/start-go-test.md")
	require.NoError(t, err)
	snippet := regexp.MustCompile("(?ms)^```go title=\"app_test.go\"\n(.*?)^```\n").FindSubmatch(page)
	require.NotNil(t, snippet)
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	folder := t.TempDir() // of another module, as an app's team has it
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	write("go.mod", "module example.com/app\n\ngo 1.25.0\n\nrequire github.com/digitalbanking-sim/banksim v0.0.0\n\n"+
		"replace github.com/digitalbanking-sim/banksim => "+repository+"\n")
	write("app_test.go", string(snippet[1]))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	run := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	run("mod", "tidy")
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	for _, module := range []string{"testcontainers", "moby", "docker", "containerd", "opentelemetry", "prometheus"} {
		assert.NotContains(t, string(mod), module)
	}
	assert.Less(t, strings.Count(string(mod), " v"), 25)
	assert.Contains(t, run("test", "-trimpath", "-v", "."), "--- PASS: TestCreateGroup")
}

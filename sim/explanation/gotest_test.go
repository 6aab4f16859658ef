package explanation_test

import (
	"context"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// module is a Go module, as an app's team has it, with tests that were copied.
type module struct {
	t      *testing.T
	folder string
}

// newModule writes a module that uses the test kit of this one, with the same versions of what that takes.
func newModule(t *testing.T) module {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	m := module{t, t.TempDir()}
	const path = "github.com/digitalbanking-sim/banksim"
	file, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	m.write("go.mod", strings.Replace(string(file), "module "+path, "module example.com/app", 1)+
		fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", path, path, root))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	m.write("go.sum", string(sums))
	return m
}

func (m module) write(name, content string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(filepath.Join(m.folder, name), []byte(content), 0o600))
}

// test runs the tests and returns what they print.
func (m module) test() string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-v", ".") // this module is vetted, and vet takes long
	cmd.Dir = m.folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "BANKSIM_TESTKIT=inprocess")
	out, err := cmd.CombinedOutput()
	require.True(m.t, err == nil || strings.Contains(string(out), "--- FAIL"), "it doesn't compile: %s", out)
	return string(out)
}

// add adds the test of an exchange under a name of its own, with its scenario and its secrets filled in.
func (m module) add(name, yaml string, why explanation.Explanation, secrets []string) {
	m.t.Helper()
	source := why.Copies.GoTest
	formatted, err := format.Source([]byte(source))
	require.NoError(m.t, err, source)
	assert.Equal(m.t, string(formatted), source, "it is formatted")
	_, rest, _ := strings.Cut(source, "\nfunc ")
	function, _, _ := strings.Cut(rest, "(")
	source = strings.ReplaceAll(source, function, name)
	source = strings.ReplaceAll(source, `"scenario.yaml"`, strconv.Quote(name+".yaml"))
	for _, variable := range secrets {
		secret, value, _ := strings.Cut(variable, "=")
		source = strings.ReplaceAll(source, `"$`+secret+`"`, strconv.Quote(value))
	}
	m.write(name+"_test.go", source)
	m.write(name+".yaml", yaml)
}

// The test of each golden exchange compiles, is formatted, and passes, if the exchange is the first one of its bank. Its secrets are filled
// in.
func TestGoTestCopies(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	m := newModule(t)
	names := map[string]string{}
	for _, e := range explainGolden(t) {
		if e.Before != nil || e.Advance != "" || lacksPath(e.Exchange, e.why) || strings.Contains(strings.Join(e.why.Copies.Notes, " "), "body") {
			continue // it isn't the first one, or lacks something
		}
		name := fmt.Sprintf("TestGolden%d", e.number)
		names[name] = e.Name
		m.add(name, e.yaml, e.why, secretsOf(e.Request))
	}
	require.Greater(t, len(names), len(simtest.Sample(make([]int, 150))))
	// So does that of a request that a fault answered: the test injects the same.
	for i, rule := range []string{
		"{status: 503}", "{status: 418}", "{connection: reset}", "{connection: close}", "{connection: {hang: 1ms}}", "{connection: truncate}",
		"{status: 500, connection: truncate}", "{connection: malformed}", "{connection: dribble}", "{connection: garbage}", "{delay: 1ms, status: 500}",
		"{status: 500}, phase: after", "{connection: reset}, phase: after",
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail+"faults: [{then: "+rule+"}]\n")
		create(b, aGroup)
		name := fmt.Sprintf("TestFault%d", i)
		names[name] = rule
		m.add(name, simtest.FrozenRetail, newest(t, b), nil)
	}
	out := m.test()
	for name, exchange := range names {
		assert.True(t, strings.Contains(out, "--- PASS: "+name+" "), "%s, %s", name, exchange)
	}
	if t.Failed() {
		t.Log(out[max(0, len(out)-20_000):])
	}
}

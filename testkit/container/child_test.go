package container_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// labelVariable is set in another process of this test binary, to a label for its container.
const labelVariable = "BANKSIM_TESTKIT_LABEL"

// TestChild is not a test: another test runs it in another process. It runs a container with a label, and a bank in the
// shared one, and waits to be killed.
func TestChild(t *testing.T) {
	label := os.Getenv(labelVariable)
	if label == "" {
		t.Skip("TestKilledRunsLeaveNothing runs it")
	}
	_, err := container.Run(t.Context(), "", testcontainers.WithLabels(map[string]string{label: "1"}))
	require.NoError(t, err)
	fmt.Printf("bank %s\n", testkit.Start(t, container.Shared(t)).ControlURL())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// lineOf returns what follows a prefix, on the first line that has it.
func lineOf(t testing.TB, from io.Reader, prefix string) string {
	t.Helper()
	var all strings.Builder
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return text
		}
		all.WriteString(lines.Text() + "\n")
	}
	assert.Fail(t, "the child printed no line that begins with "+prefix, all.String())
	return ""
}

// A killed test run leaves no container behind, whether it is the shared one or one of its own.
func TestKilledRunsLeaveNothing(t *testing.T) {
	docker := engine(t)
	label := fmt.Sprintf("banksim-killed-%d", os.Getpid())
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), labelVariable+"="+label)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	control := lineOf(t, stdout, "bank ")
	require.True(t, answers(control))
	require.Len(t, containers(t, docker, label), 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		return len(containers(t, docker, label)) == 0 && !answers(control)
	}, time.Minute, 50*time.Millisecond)
}

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

// childVariable is what this test binary has to do when it runs itself: a name and an argument.
const childVariable = "BANKSIM_TESTKIT_CHILD"

// children are what other tests run in another process of this test binary.
var children = map[string]func(t *testing.T, argument string){
	// waits runs a container with a label, and a bank in the shared one, and waits to be killed.
	"waits": func(t *testing.T, label string) {
		_, err := container.Run(t.Context(), "", testcontainers.WithLabels(map[string]string{label: "1"}))
		require.NoError(t, err)
		fmt.Printf("bank %s\n", testkit.Start(t, container.Shared(t)).ControlURL())
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
}

// TestChild is not a test: other tests run it in another process.
func TestChild(t *testing.T) {
	what, argument, _ := strings.Cut(os.Getenv(childVariable), " ")
	if what != "" {
		children[what](t, argument)
	}
}

func child(t testing.TB, what string, environment ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.timeout=2m")
	cmd.Env = append(append(os.Environ(), childVariable+"="+what), environment...)
	return cmd
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
	cmd := child(t, "waits "+label)
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

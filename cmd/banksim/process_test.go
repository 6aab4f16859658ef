//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asksBank is a command that lists groups. Disturbed, it goes on with the rest of the script.
const asksBank = `curl -sf -m 20 -o /dev/null "$BANKSIM_BASE_URL/digitalbanking/groups/v3/groups" -H 'transactionId: t-1'
[ -n "$BANKSIM_FAILURE" ] || exit 0
`

// exploredScript is banksim explore of a script, which runs in a folder of its own.
func exploredScript(t *testing.T, script string, flags ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	t.Helper()
	night(t, "it starts many processes, of curl among them")
	banksim, err := exec.LookPath("banksim") // this test binary, see TestMain
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "app.sh"), []byte(script), 0o644))
	args := append([]string{"explore", "--parallel", "1", "--report", "report"}, flags...)
	cmd = exec.CommandContext(t.Context(), banksim, append(args, "--", "sh", "app.sh")...)
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, out, errs
	return cmd, out, errs
}

// awaitContent waits for a file that a command writes, and returns what it holds.
func awaitContent(t *testing.T, name string) string {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if data, err := os.ReadFile(name); err == nil && strings.HasSuffix(string(data), "\n") {
			return strings.TrimSpace(string(data))
		}
	}
	require.Fail(t, "the command has not written "+name)
	return ""
}

// assertEnded asserts that a process has ended, whose id a file holds.
func assertEnded(t *testing.T, file string) {
	t.Helper()
	pid, err := strconv.Atoi(awaitContent(t, file))
	require.NoError(t, err)
	// One that nobody has waited for is a zombie: it has ended, too.
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil && strings.Contains(string(stat), ") Z ") {
		return
	}
	if !assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "the process that the command has started") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A signal ends the commands that run, with all that they have started. There is a report so far, on paper, too.
func TestExploreIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd, out, errs := exploredScript(t, asksBank+"sleep 1000 &\necho $! >sleeping\nwait\n")
			require.NoError(t, cmd.Start())
			awaitContent(t, filepath.Join(cmd.Dir, "sleeping"))
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait()
			assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode(), errs)
			assert.Regexp(t, `\nbanksim: interrupted\n$`, errs.String())
			assert.Contains(t, out.String(), "It ended early: interrupted.")
			written, err := os.ReadFile(filepath.Join(cmd.Dir, "report", "explore.json"))
			require.NoError(t, err)
			assert.Contains(t, string(written), `"ended": "interrupted"`)
			assertEnded(t, filepath.Join(cmd.Dir, "sleeping"))
		})
	}
}

// What a command leaves running is ended with it, though it holds the command's output open.
func TestExploreEndsWhatIsLeft(t *testing.T) {
	t.Parallel()
	cmd, out, errs := exploredScript(t, asksBank+"(trap '' TERM; while :; do sleep 1; done) &\necho $! >left\n", "--only",
		"groups.list/reset")
	require.NoError(t, cmd.Run(), errs)
	assert.Contains(t, out.String(), "\n3 runs ")
	assertEnded(t, filepath.Join(cmd.Dir, "left"))
}

//go:build unix

package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// assertEnded asserts that a process ends, whose id a file holds. One that was killed ends when its turn comes.
func assertEnded(t *testing.T, file string) {
	t.Helper()
	pid, err := strconv.Atoi(awaitContent(t, file))
	require.NoError(t, err)
	hasEnded := func() bool { // one that nobody has waited for is a zombie
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && strings.Contains(string(stat), ") Z ") || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	if !assert.Eventually(t, hasEnded, 10*time.Second, time.Millisecond, "the process that the command has started") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// A log that nobody reads stops neither requests nor the end of the program.
func TestNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	unread, log, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = unread.Close() }()
	program, err := exec.LookPath("banksim") // this test binary, see TestMain
	require.NoError(t, err)
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.CommandContext(t.Context(), program, "serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--ready-file", ready)
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	require.NoError(t, log.Close())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	service, control := awaitAddresses(t, ready)

	get := func(path string) []byte {
		res, err := http.Get(control + path)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		return body
	}
	readiness := func() string {
		var ready struct{ Detail string }
		require.NoError(t, json.Unmarshal(get("/readyz"), &ready))
		return ready.Detail
	}
	assert.Empty(t, readiness())

	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for range 4_000 {
				res, err := client.Get(service + contract.GroupsList.Path + "?filler=no")
				if !assert.NoError(t, err) {
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
	clients.Wait()
	assert.Regexp(t, `(?m)^banksim_log_lines_dropped_total [1-9]`, string(get("/metrics")))
	require.Eventually(t, func() bool { return readiness() != "" }, 10*time.Second, 10*time.Millisecond)
	assert.Contains(t, readiness(), "the log is stuck")

	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-ended:
		assert.NoError(t, err, "exit code 0")
	case <-time.After(drainTimeout):
		t.Fatal("the program doesn't end")
	}
}

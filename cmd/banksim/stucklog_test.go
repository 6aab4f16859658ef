package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// piped is the program with its standard error in a pipe that the test reads, or doesn't.
type piped struct {
	t                *testing.T
	log              *os.File
	cmd              *exec.Cmd
	ended            chan error
	service, control string
}

// startPiped starts the program. It ends with the test.
func startPiped(t *testing.T, args ...string) *piped {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	ready := filepath.Join(t.TempDir(), "ready.json")
	// The test binary is the program if its name says so; see testscript.Main.
	program, err := exec.LookPath("banksim")
	require.NoError(t, err)
	p := &piped{t: t, log: r, ended: make(chan error, 1)}
	p.cmd = exec.Command(program, append([]string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--ready-file", ready},
		args...)...)
	p.cmd.Stderr = w
	require.NoError(t, p.cmd.Start())
	require.NoError(t, w.Close())
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.service, p.control = awaitAddresses(t, ready)
	return p
}

// requests sends requests that must be answered.
func (p *piped) requests(count int) {
	p.t.Helper()
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var clients sync.WaitGroup
	const parallel = 4
	for range parallel {
		clients.Go(func() {
			for range count / parallel {
				res, err := client.Get(p.service + contract.GroupsList.Path + "?filler=no")
				if !assert.NoError(p.t, err) {
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
	clients.Wait()
}

// get returns the body of an answer of the control API, which must be 200.
func (p *piped) get(path string) string {
	p.t.Helper()
	res, err := http.Get(p.control + path)
	require.NoError(p.t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, res.Body.Close())
	require.Equal(p.t, http.StatusOK, res.StatusCode)
	return string(body)
}

// readiness returns the detail of GET /readyz.
func (p *piped) readiness() string {
	var ready struct{ Detail string }
	require.NoError(p.t, json.Unmarshal([]byte(p.get("/readyz")), &ready))
	return ready.Detail
}

var droppedLines = regexp.MustCompile(`(?m)^banksim_log_lines_dropped_total (\S+)$`)

func (p *piped) dropped() float64 {
	match := droppedLines.FindStringSubmatch(p.get("/metrics"))
	require.NotNil(p.t, match)
	number, err := strconv.ParseFloat(match[1], 64)
	require.NoError(p.t, err)
	return number
}

// terminate sends SIGTERM, and waits until the program has ended.
func (p *piped) terminate() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.ended:
		assert.NoError(p.t, err, "exit code 0")
	case <-time.After(drainTimeout):
		p.t.Fatal("the program doesn't end")
	}
}

// A log that nobody reads stops neither requests nor the end of the program.
func TestNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	p := startPiped(t)
	assert.Empty(t, p.readiness())
	p.requests(16_000)
	assert.Positive(t, p.dropped())
	require.Eventually(t, func() bool { return p.readiness() != "" }, 10*time.Second, 10*time.Millisecond)
	assert.Contains(t, p.readiness(), "the log is stuck")
	p.terminate()
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/stretchr/testify/require"
)

// inLanguages are the ways to run the files of the page about other languages.
var inLanguages = []struct {
	file    string
	command string
	passes  string // part of the output if all of it has run
}{
	{"SignOutTest.java", "java SignOutTest.java", "2 tests passed"},
	{"sign-out.test.mjs", "node --test sign-out.test.mjs", "pass 2"},
	{"test_sign_out.py", "python3 -m unittest test_sign_out", "Ran 2 tests"},
}

// The files of the page about other languages are complete tests. They pass with a simulator that they start, and with
// one that runs; they fail if the app does; and they leave neither a simulator nor a sandbox behind.
func TestLanguages(t *testing.T) {
	night(t, "it needs Node, Python and Java")
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "testing-other-languages.md"))
	require.NoError(t, err)
	for _, in := range inLanguages {
		t.Run(in.command, func(t *testing.T) {
			t.Parallel()
			program := titled(t, string(page), in.file)
			t.Run("starts a simulator", func(t *testing.T) {
				t.Parallel()
				run := runIn(t, in.file, program, in.command)
				require.NoError(t, run.err, run.output)
				assert.Contains(t, run.output, in.passes)
				assert.Len(t, run.started, 1, "simulators that it started")
			})
			t.Run("finds a simulator", func(t *testing.T) {
				t.Parallel()
				const token = "s3cret"
				service, control := startSimulator(t, "--control-token="+token)
				control = slowToStart(t, control)
				run := runIn(t, in.file, program, in.command,
					"BANKSIM_URL="+service, "BANKSIM_CONTROL_URL="+control, "BANKSIM_CONTROL_TOKEN="+token)
				require.NoError(t, run.err, run.output)
				assert.Contains(t, run.output, in.passes)
				assert.Empty(t, run.started, "simulators that it started")
				assert.Equal(t, []string{"default"}, sandboxes(t, control, token), "that are left")
			})
			t.Run("fails with the app", func(t *testing.T) {
				t.Parallel()
				// which is once more than the app tries
				broken := regexp.MustCompile(`(first[^a-z]*) 1\b`).ReplaceAllString(program, "$1 2")
				require.NotEqual(t, program, broken)
				run := runIn(t, in.file, broken, in.command)
				assert.Error(t, run.err)
				assert.Contains(t, run.output, "the bank has answered 500")
				assert.Len(t, run.started, 1, "simulators that it started")
			})
		})
	}
}

// slowToStart returns the URL of a proxy for a control API that isn't ready the first few times that it is asked.
func slowToStart(t *testing.T, control string) string {
	t.Helper()
	target, err := url.Parse(control)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" && asked.Add(1) < 4 || asked.Load() == 0 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// sandboxes returns the names of a simulator's sandboxes.
func sandboxes(t *testing.T, control, token string) []string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, control+"/v1/sandboxes", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var list struct{ Sandboxes []struct{ Name string } }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&list))
	var names []string
	for _, sandbox := range list.Sandboxes {
		names = append(names, sandbox.Name)
	}
	return names
}

// titled returns the block of a page that holds a file.
func titled(t *testing.T, page, file string) string {
	t.Helper()
	block := regexp.MustCompile("(?ms)^```\\w+ title=\"" + regexp.QuoteMeta(file) + "\"\n(.*?)^```\n").FindStringSubmatch(page)
	require.NotNil(t, block, "the page has no block with the title %s", file)
	return block[1]
}

// finished is a program that has run.
type finished struct {
	output  string
	err     error
	started []int // the process ids of the simulators that it started; all have ended
}

// runIn runs a program from a folder of its own.
func runIn(t *testing.T, file, program, command string, env ...string) finished {
	t.Helper()
	folder, temporary, bin := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(program), 0o644))
	banksim, err := exec.LookPath("banksim") // this test binary, see TestMain
	require.NoError(t, err)
	pids := filepath.Join(bin, "pids")
	wrapper := fmt.Sprintf("#!/bin/sh\necho $$ >>'%s'\nexec '%s' \"$@\"\n", pids, banksim)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "banksim"), []byte(wrapper), 0o755))

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	words := strings.Fields(command)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.WaitDelay = folder, 10*time.Second
	inherited := slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "BANKSIM_") })
	cmd.Env = append(inherited, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+temporary,
		"JAVA_TOOL_OPTIONS=-Djava.io.tmpdir="+temporary)
	cmd.Env = append(cmd.Env, env...)
	output, err := cmd.CombinedOutput()
	run := finished{output: string(output), err: err}

	lines, err := os.ReadFile(pids)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for _, line := range strings.Fields(string(lines)) {
		pid, err := strconv.Atoi(line)
		require.NoError(t, err)
		run.started = append(run.started, pid)
		process, err := os.FindProcess(pid)
		require.NoError(t, err)
		if !assert.ErrorIs(t, process.Signal(syscall.Signal(0)), os.ErrProcessDone, "the simulator has ended with the program") {
			_ = process.Kill()
		}
	}
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left, "temporary files that it left behind")
	return run
}

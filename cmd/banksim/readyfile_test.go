package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveWith runs serve on free ports until the context ends.
func serveWith(ctx context.Context, errs io.Writer, args ...string) int {
	args = append([]string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"}, args...)
	return runWith(ctx, nil, io.Discard, errs, args...)
}

// The ready file is there while the simulator is ready, and not after its end.
func TestReadyFileIsRemoved(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "ready.json")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() { ended <- serveWith(ctx, io.Discard, "--ready-file", name) }()
		awaitAddresses(t, name)
		if replaced {
			require.NoError(t, os.Remove(name))
			require.NoError(t, os.WriteFile(name, []byte("another's"), 0o600))
		}
		stop()
		require.Equal(t, exitFine, <-ended)
		if replaced {
			assert.FileExists(t, name)
		} else {
			assert.NoFileExists(t, name)
		}
		leftovers, err := filepath.Glob(filepath.Join(filepath.Dir(name), ".banksim-*"))
		require.NoError(t, err)
		assert.Empty(t, leftovers)
	}
}

// A failed start leaves no ready file, not even that of an earlier run. If a port is taken, the file may be of the
// simulator that has the port, and stays.
func TestFailedStartAndReadyFile(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	name := filepath.Join(t.TempDir(), "ready.json")
	content := []byte(`{"service":"http://127.0.0.1:1","control":"http://127.0.0.1:2"}`)
	require.NoError(t, os.WriteFile(name, content, 0o600))
	busy := "--control=" + taken.Addr().String()
	assert.Equal(t, exitFailed, serveWith(t.Context(), io.Discard, busy, "--ready-file", name))
	kept, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, content, kept)
	assert.Equal(t, exitWrongUse, serveWith(t.Context(), io.Discard, "--scenario=retial", "--ready-file", name))
	assert.NoFileExists(t, name)
}

// A ready file that can't be written is refused before the simulator serves, and before a scenario is loaded.
func TestReadyFileIsTriedFirst(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	name := filepath.Join(t.TempDir(), "none", "ready.json")
	assert.Equal(t, exitFailed, serveWith(t.Context(), &log, "--scenario=retial", "--ready-file", name))
	assert.Contains(t, log.String(), "banksim: --ready-file: ")
	assert.NotContains(t, log.String(), "serving")
}

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A signal ends a command that waits for a pipe which nobody writes to.
func TestSilentPipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range []string{"validate PIPE", "serve --scenario PIPE", "serve --listen https://127.0.0.1:0 --tls-cert PIPE --tls-key PIPE"} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		assert.Equal(t, exitInterrupted, run(ctx, strings.Fields(strings.ReplaceAll(args, "PIPE", pipe)), io.Discard, io.Discard), args)
		stop()
	}
}

// Files have a limit, whatever they are.
func TestEndlessFiles(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"validate /dev/zero", "serve --listen https://127.0.0.1:0 --tls-cert /dev/zero --tls-key /dev/zero"} {
		var errs bytes.Buffer
		assert.NotEqual(t, exitFine, run(t.Context(), strings.Fields(args), io.Discard, &errs), args)
		assert.Contains(t, errs.String(), "it is larger than 1 MiB", args)
	}
}

// What is written takes the place of a regular file, and goes through a link.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(target, link))
	for _, name := range []string{target, link, os.DevNull, target} {
		require.NoError(t, writeFile(name, []byte("through "+name), plainMode))
		if name != os.DevNull {
			written, err := os.ReadFile(target)
			require.NoError(t, err)
			assert.Equal(t, "through "+name, string(written))
		}
	}
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 2)
}

//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An interrupt ends a command that waits for a pipe to which nobody writes.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"validate PIPE", "users PIPE", "scenarios diff retail PIPE", "scenarios diff PIPE", "scenarios show --resolved PIPE", "openapi --scenario PIPE",
		"check --base-url http://127.0.0.1:1 --scenario PIPE", "serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --scenario PIPE", "explore --scenario PIPE -- true",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe.yaml")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			ctx, interrupt := context.WithCancel(t.Context())
			interrupt()
			var errs strings.Builder
			assert.Equal(t, exitInterrupted, run(ctx, strings.Fields(strings.ReplaceAll(args, "PIPE", pipe)), io.Discard, &errs))
			assert.Equal(t, "banksim: interrupted\n", errs.String())

			writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // what still waits for the pipe ends
			require.NoError(t, err)
			require.NoError(t, writer.Close())
		})
	}
}

// An interrupt ends a command whose standard input never ends.
func TestInterruptedStandardInput(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	endless, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	s := streams{endless, io.Discard, io.Discard}
	require.ErrorIs(t, validateCommand{Files: []string{stdin}, Format: "text"}.Run(ctx, s), errEndedEarly)
	require.ErrorIs(t, fmtCommand{Files: []string{stdin}}.Run(ctx, s), errEndedEarly)
}

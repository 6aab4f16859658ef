//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A manager of services learns when the program answers, and when it ends.
func TestNotify(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	require.NoError(t, err)
	defer manager.Close()
	require.NoError(t, manager.SetReadDeadline(time.Now().Add(time.Minute)))
	told := func() string {
		text := make([]byte, 100)
		n, err := manager.Read(text)
		require.NoError(t, err)
		return string(text[:n])
	}
	ready := filepath.Join(folder, "ready.json")
	cmd := serveOnFreePorts(t, "--ready-file", ready)
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+name)
	require.NoError(t, cmd.Start())
	assert.Equal(t, "READY=1", told())
	assert.FileExists(t, ready)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, "STOPPING=1", told())
	assert.NoError(t, cmd.Wait())
}

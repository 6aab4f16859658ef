package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

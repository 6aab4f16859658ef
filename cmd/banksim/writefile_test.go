package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A written file takes the place of the old one, or nothing changes.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "report.json")
	for _, content := range []string{"longer", "short"} {
		require.NoError(t, writeFile(name, []byte(content), plainMode))
		written, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, content, string(written))
	}
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, plainMode, info.Mode())
	assert.ErrorContains(t, writeFile(folder, nil, plainMode), "is a folder, a pipe or a device: name a file")
	assert.ErrorIs(t, writeFile(filepath.Join(folder, "no", "folder"), nil, plainMode), os.ErrNotExist)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHiddenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"retail.yml", "other.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "base.yaml"), 0o700))
	assert.Equal(t, "retail.yml", hiddenFile(dir, "retail"))
	for _, name := range []string{"other", "base", "slow", "retail.yml"} {
		assert.Empty(t, hiddenFile(dir, name), name)
	}
	assert.Empty(t, hiddenFile("", "retail"), "a text has no folder")
}

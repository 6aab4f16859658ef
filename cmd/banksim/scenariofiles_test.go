package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder with too many files is refused, rather than read for a long time.
func TestFolderWithTooManyFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for n := range maxFiles + 1 {
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(n, ".yaml")), nil, 0o600))
	}
	var out, errs bytes.Buffer
	assert.Equal(t, 1, run(t.Context(), []string{"validate", folder}, &out, &errs))
	assert.Equal(t, folder+":1:1: more than 10000 YAML files: name a folder below it, or the files\n", errs.String())
	assert.Empty(t, out.String())
}

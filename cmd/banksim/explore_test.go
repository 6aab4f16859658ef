package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Apps in the languages of others are explored: bugs that people make are found, and apps without them have no findings.
func TestExplore(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/explore/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		tool := "curl"
		if filepath.Base(file) == "node.txtar" {
			tool = "node"
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			needsTool(t, tool)
			testscript.Run(t, testscript.Params{Files: []string{file}, Cmds: scriptCommands})
		})
	}
}

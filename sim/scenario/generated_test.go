package scenario

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated files instead of comparing them: see doc.go")

// generated compares a generated file with what it must contain. With -update, it writes the file.
func generated(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	wantLines, gotLines := strings.SplitAfter(want, "\n"), strings.SplitAfter(string(got), "\n")
	for i := range min(len(wantLines), len(gotLines)) { // stops at the first difference, because files are long
		require.Equal(t, wantLines[i], gotLines[i], "%s:%d is out of date: run go generate ./... and read the diff", file, i+1)
	}
}

package watch_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// patiently is [watched] with a quiet time that no test waits out.
func patiently(t *testing.T, file string) bank {
	t.Helper()
	sc, files, err := scenario.LoadFile(file)
	require.NoError(t, err)
	b := bank{sandbox.NewRegistry(sandbox.Config{Scenario: sc}), t, file, &simtest.Log{}}
	t.Cleanup(b.Close)
	w := watch.Start(t.Context(), watch.Config{
		File: file, Files: files, Sandboxes: b.Registry, Log: slog.New(slog.NewTextHandler(b.log, nil)), Poll: never, Quiet: never,
	})
	t.Cleanup(w.Close)
	return b
}

// saves are the ways in which programs save a file.
var saves = map[string]struct {
	whole bool // whether the file is replaced as a whole, in one step
	save  func(t *testing.T, file, content string)
}{
	"mv, and editors that rename": {true, replace},
	"JetBrains' safe write": {true, func(t *testing.T, file, content string) {
		write(t, file+"___jb_tmp___", content)
		require.NoError(t, os.Rename(file, file+"___jb_old___"))
		require.NoError(t, os.Rename(file+"___jb_tmp___", file))
		require.NoError(t, os.Remove(file+"___jb_old___"))
	}},
	"a link to another folder, such as a ConfigMap's": {true, func(t *testing.T, file, content string) {
		target := filepath.Join(t.TempDir(), "bank.yaml")
		write(t, target, content)
		require.NoError(t, os.Symlink(target, file+".link"))
		require.NoError(t, os.Rename(file+".link", file))
	}},
	"VS Code: truncate and write": {false, write},
	"Vim: rename, and write a new file": {false, func(t *testing.T, file, content string) {
		require.NoError(t, os.Rename(file, file+"~"))
		write(t, file, content)
		require.NoError(t, os.Remove(file+"~"))
	}},
	"Emacs: with a lock": {false, func(t *testing.T, file, content string) {
		lock := filepath.Join(filepath.Dir(file), ".#"+filepath.Base(file))
		require.NoError(t, os.Symlink("author@host.1:2", lock))
		require.NoError(t, os.Rename(file, file+"~"))
		write(t, file, content)
		require.NoError(t, os.Remove(lock))
	}},
	"another file behind a link": {false, func(t *testing.T, file, content string) {
		require.NoError(t, os.Rename(file, file+".1"))
		require.NoError(t, os.Symlink(filepath.Base(file)+".1", file))
		write(t, file, content)
	}},
}

// Whatever an editor does to save a file, the new version is served, and nothing between the two is.
func TestEditors(t *testing.T) {
	t.Parallel()
	for name, test := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "bank.yaml")
			write(t, file, extending("one"))
			b := watched(t, file, never)
			test.save(t, file, extending("two"))
			b.awaitName("two")
			assert.EqualValues(t, 1, b.Origin().Replaced)
			assert.Zero(t, b.Origin().Refused)
		})
	}
}

// A file that is replaced as a whole is taken at once, also if it looks unfinished; any other is not.
func TestWholeFilesAreTakenAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "bank.yaml")
			write(t, file, extending("one")+"# a comment at the end\n")
			b := patiently(t, file)
			test.save(t, file, "name: two\nextends: base")
			if test.whole {
				b.awaitName("two")
				return
			}
			assert.Never(t, func() bool { return b.Origin().Replaced > 0 }, 300*time.Millisecond, 10*time.Millisecond)
		})
	}
}

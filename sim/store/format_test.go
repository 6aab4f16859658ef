package store_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/export"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// unpacked returns the content of a gzip file.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.Open(name)
	require.NoError(t, err)
	defer packed.Close()
	reader, err := gzip.NewReader(packed)
	require.NoError(t, err)
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	return data
}

// inFolder returns a folder whose store file has the content of a gzip file.
func inFolder(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "banks.db"), unpacked(t, name), 0o600))
	return dir
}

func TestFormat1IsRefused(t *testing.T) {
	t.Parallel()
	_, err := store.OpenFile(inFolder(t, "testdata/banks-1.db.gz"))
	assert.ErrorContains(t, err, "has format 1, and this version reads format 2 alone: save each bank with the version")
}

// fixtures has what sim/internal/gen/stores has written.
const fixtures = "../../fixtures/stores/2/"

// Banks that an earlier version has stored in a file go on as they were.
func TestWrittenFile(t *testing.T) {
	t.Parallel()
	assertGoOn(t, reopened(t, open(t, inFolder(t, fixtures+"file.db.gz"))), "file.json")
}

// Banks that an earlier version has stored in a database go on as they were, with their journals.
func TestWrittenDatabase(t *testing.T) {
	t.Parallel()
	url, owner := owned(t)
	schema := unique("written")
	script := "CREATE SCHEMA " + schema + "; SET search_path TO " + schema + ";" +
		string(unpacked(t, fixtures+"postgres.sql.gz"))
	_, err := owner.Exec(t.Context(), script)
	require.NoError(t, err)
	address, err := store.ParseAddress(url + "&search_path=" + schema)
	require.NoError(t, err)
	p, err := store.OpenPostgres(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	assertGoOn(t, reopened(t, p), "postgres.json")
}

// Banks that an earlier version has exported go on as they were, wherever they are imported, and are exported again as
// they were. Only a file keeps no journal.
func TestWrittenExport(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"file", "postgres"} {
		exported := unpacked(t, fixtures+from+".jsonl.gz")
		imported := func(to export.Target) {
			counts, err := export.Read(t.Context(), bytes.NewReader(exported), to)
			require.NoError(t, err)
			assert.Equal(t, 2, counts.Banks)
		}
		file := open(t, t.TempDir())
		imported(file)
		assertGoOn(t, reopened(t, file), from+".json")

		inMemory := sandbox.NewRegistry(sandbox.Config{Scenario: simtest.Scenario(t, simtest.FrozenRetail)})
		imported(export.Memory{Registry: inMemory})
		assertSameExport(t, exported, inMemory)
		assertGoOn(t, inMemory, from+".json")
	}
}

// So they do in a database.
func TestWrittenExportInADatabase(t *testing.T) {
	t.Parallel()
	url, _ := owned(t)
	for _, from := range []string{"file", "postgres"} {
		address, err := store.ParseAddress(url + "&search_path=" + unique("imported"))
		require.NoError(t, err)
		p, err := store.OpenPostgres(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		exported := unpacked(t, fixtures+from+".jsonl.gz")
		_, err = export.Read(t.Context(), bytes.NewReader(exported), p)
		require.NoError(t, err)
		assertSameExport(t, exported, p)
		assertGoOn(t, reopened(t, p), from+".json")
	}
}

// unlike are the parts of an export that an import changes: ids of worlds, and numbers that a file doesn't keep.
var unlike = regexp.MustCompile(`("world":|"worldId":|"present":|"exchanges":|"last":)\d+|"(?:sha256|at)":"[^"]*"`)

// assertSameExport asserts that the banks are exported as they were. The journal is compared as it is shown.
func assertSameExport(t *testing.T, want []byte, from export.Source) {
	t.Helper()
	lines := func(text string) []string {
		_, all, _ := strings.Cut(unlike.ReplaceAllString(text, "$1"), "\n")
		isExchange := func(line string) bool { return strings.HasPrefix(line, `{"exchange":`) }
		return slices.DeleteFunc(slices.Sorted(strings.SplitSeq(all, "\n")), isExchange)
	}
	var got strings.Builder
	_, err := export.Write(t.Context(), &got, export.Header{}, from, []string{"default", "fork"}, func(int) {})
	require.NoError(t, err)
	assert.Equal(t, lines(string(want)), lines(got.String()))
}

// reopened opens the banks of a store, whose default scenario is another one by now.
func reopened(t *testing.T, st sandbox.Store) *sandbox.Registry {
	t.Helper()
	other := simtest.Scenario(t, simtest.FrozenRetail)
	r, wasStored, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: other}, st)
	require.NoError(t, err)
	require.True(t, wasStored)
	return r
}

// fingerprint is the fingerprint of a secret. Each process has its own.
var fingerprint = regexp.MustCompile("tok_[0-9a-f]{12}")

// later is what the version that has written the fixtures didn't show.
var later = regexp.MustCompile(`"effective":\d+,|"resets":null,|"followsScenario":(true|false),`)

// assertGoOn asserts that the control API shows what a file has by path, and that the banks can still be changed.
func assertGoOn(t *testing.T, r *sandbox.Registry, file string) {
	t.Helper()
	b := simtest.Start(t, server.Config{Sandboxes: r, PublicURL: "http://bank.example"})
	data, err := os.ReadFile(fixtures + file)
	require.NoError(t, err)
	var shown map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &shown))
	require.NotEmpty(t, shown)
	masked := func(text string) string { return fingerprint.ReplaceAllString(text, "tok_") }
	for path, want := range shown {
		if r.IsStored() && !r.IsShared() && strings.HasSuffix(path, "/journal") {
			continue // a file keeps none
		}
		got := later.ReplaceAllString(b.Control(200, "GET "+path, "").Body, "")
		assert.JSONEq(t, masked(string(want)), masked(got), path)
	}
	b.ControlSandbox(204, "POST /snapshots/one/restore", "")
	assert.Contains(t, b.Get("/diff?since=one"), `"changes":[]`)
	fork := b.In("fork")
	simtest.UpdateUser.Expect(fork, 204)
	fork.ControlSandbox(204, "POST /reset", "")
	assert.JSONEq(t, masked(string(shown[fork.ControlPath()+"/state"])), masked(fork.State()))
}

// The key of fingerprints stays with the banks, also with those that an earlier version has stored without one.
func TestFingerprintKey(t *testing.T) {
	t.Parallel()
	folder := inFolder(t, fixtures+"file.db.gz")
	key := openedKey(t, func() (keyed, error) { return store.OpenFile(folder) })
	assert.Equal(t, key, openedKey(t, func() (keyed, error) { return store.OpenFile(folder) }))
	assert.NotEqual(t, key, openedKey(t, func() (keyed, error) { return store.OpenFile(t.TempDir()) }))
}

// Replicas have one key.
func TestFingerprintKeyOfADatabase(t *testing.T) {
	t.Parallel()
	url, _ := owned(t)
	address, err := store.ParseAddress(url + "&search_path=" + unique("keyed"))
	require.NoError(t, err)
	one := openedKey(t, func() (keyed, error) { return store.OpenPostgres(t.Context(), address) })
	assert.Equal(t, one, openedKey(t, func() (keyed, error) { return store.OpenPostgres(t.Context(), address) }))
}

type keyed interface {
	FingerprintKey() []byte
	Close() error
}

func openedKey(t *testing.T, open func() (keyed, error)) []byte {
	t.Helper()
	s, err := open()
	require.NoError(t, err)
	defer s.Close()
	assert.Len(t, s.FingerprintKey(), 26)
	return s.FingerprintKey()
}

package store_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	assertGoOn(t, open(t, inFolder(t, fixtures+"file.db.gz")), "file.json")
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
	assertGoOn(t, p, "postgres.json")
}

// fingerprint is the fingerprint of a secret. Each process has its own.
var fingerprint = regexp.MustCompile("tok_[0-9a-f]{12}")

// effective is what the version that has written the fixtures didn't count.
var effective = regexp.MustCompile(`"effective":\d+,`)

// assertGoOn asserts that the control API shows what a file has by path, and that the banks can still be changed.
func assertGoOn(t *testing.T, st sandbox.Store, file string) {
	t.Helper()
	other := simtest.Scenario(t, simtest.FrozenRetail)
	r, wasStored, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: other}, st)
	require.NoError(t, err)
	require.True(t, wasStored)
	b := simtest.Start(t, server.Config{Sandboxes: r, PublicURL: "http://bank.example"})
	data, err := os.ReadFile(fixtures + file)
	require.NoError(t, err)
	var shown map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &shown))
	require.NotEmpty(t, shown)
	masked := func(text string) string { return fingerprint.ReplaceAllString(text, "tok_") }
	for path, want := range shown {
		got := effective.ReplaceAllString(b.Control(200, "GET "+path, "").Body, "")
		assert.JSONEq(t, masked(string(want)), masked(got), path)
	}
	b.ControlSandbox(204, "POST /snapshots/one/restore", "")
	assert.Contains(t, b.ControlSandbox(200, "GET /diff?since=one", "").Body, `"changes":[]`)
	fork := b.In("fork")
	require.Equal(t, 204, simtest.UpdateUser.Send(fork).StatusCode)
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

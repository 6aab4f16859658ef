package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

func open(t *testing.T, dir string) *store.File {
	t.Helper()
	f, err := store.OpenFile(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// A file has what was committed, and nobody else may read it.
func TestFileKeepsBanks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	f := open(t, dir)
	rows := []sim.StoredRow{{Table: "groups", Key: "a\x00b", Value: []byte("1")}, {Table: "groups", Key: "c", Value: []byte("2")}}
	require.NoError(t, f.Commit("one", sandbox.StoredChanges{Meta: []byte("m"), Start: []byte("s"),
		Worlds: map[string][]sim.StoredRow{sandbox.PresentWorld: rows, "start": rows[:1]}}))
	require.NoError(t, f.Commit("two", sandbox.StoredChanges{Meta: []byte("m"), Start: []byte("s"),
		Worlds: map[string][]sim.StoredRow{"x": {}}}))
	require.NoError(t, f.Commit("one", sandbox.StoredChanges{Meta: []byte("n"), Worlds: map[string][]sim.StoredRow{"start": nil},
		Rows: []sim.StoredRow{{Table: "groups", Key: "c", Removed: true}, {Table: "users", Key: "d", Value: []byte("3")}}}))
	require.NoError(t, f.Delete("two"))
	require.NoError(t, f.Delete("three"))
	info, err := os.Stat(f.Place())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	require.NoError(t, f.Close())

	banks, err := open(t, dir).Banks()
	require.NoError(t, err)
	assert.Equal(t, []sandbox.StoredBank{{Name: "one", Meta: []byte("n"), Start: []byte("s"), Worlds: map[string][]sim.StoredRow{
		sandbox.PresentWorld: {rows[0], {Table: "users", Key: "d", Value: []byte("3")}}}}}, banks)
}

// A file that is in use, damaged or newer is refused by its name, with what to do.
func TestFileIsRefused(t *testing.T) {
	t.Parallel()
	used := t.TempDir()
	open(t, used)
	_, err := store.OpenFile(used)
	assert.ErrorContains(t, err, filepath.Join(used, "banks.db")+" open: stop it")

	written := func(change func(tx *bolt.Tx) error) string {
		dir := t.TempDir()
		f := open(t, dir)
		require.NoError(t, f.Commit("one", sandbox.StoredChanges{Meta: []byte("meta"), Start: []byte("start")}))
		require.NoError(t, f.Close())
		db, err := bolt.Open(f.Place(), 0o600, nil)
		require.NoError(t, err)
		require.NoError(t, db.Update(change))
		require.NoError(t, db.Close())
		return dir
	}
	newer := written(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("banks")).Put([]byte("format"), []byte("2"))
	})
	_, err = store.OpenFile(newer)
	assert.ErrorContains(t, err, "has format 2, and this version reads formats up to 1: use a newer one")

	small := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(small, "banks.db"), make([]byte, 5000), 0o600))
	_, err = store.OpenFile(small)
	assert.ErrorIs(t, err, store.ErrDamaged)

	flipped := open(t, written(func(tx *bolt.Tx) error {
		bank := tx.Bucket([]byte("banks")).Bucket([]byte("one"))
		value := append([]byte{}, bank.Get([]byte("meta"))...)
		value[len(value)-1] ^= 1
		return bank.Put([]byte("meta"), value)
	}))
	_, err = flipped.Banks()
	assert.ErrorIs(t, err, store.ErrDamaged)
	assert.ErrorContains(t, err, `the checksum of one "meta" is wrong): put a back-up in its place, or move it away`)
}

// Wherever a file is overwritten, it is read as it was or refused: no damage makes the program crash, or goes unnoticed in a row.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	rows := []sim.StoredRow{}
	for i := range 200 {
		rows = append(rows, sim.StoredRow{Table: "groups", Key: string(rune('a'+i%26)) + string(rune('a'+i/26)), Value: make([]byte, 100)})
	}
	require.NoError(t, f.Commit("one", sandbox.StoredChanges{Meta: []byte("m"), Start: []byte("s"),
		Worlds: map[string][]sim.StoredRow{sandbox.PresentWorld: rows}}))
	whole, err := f.Banks()
	require.NoError(t, err)
	require.NoError(t, f.Close())
	data, err := os.ReadFile(f.Place())
	require.NoError(t, err)
	refused := 0
	for at := 0; at < len(data); at += 509 {
		damaged := append([]byte{}, data...)
		for i := at; i < min(at+16, len(data)); i++ {
			damaged[i] ^= 0xff
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "banks.db"), damaged, 0o600))
		f, err := store.OpenFile(dir)
		if err != nil {
			assert.ErrorIs(t, err, store.ErrDamaged, "at %d", at)
			refused++
			continue
		}
		banks, err := f.Banks()
		if err != nil {
			assert.ErrorIs(t, err, store.ErrDamaged, "at %d", at)
			refused++
		} else {
			assert.Equal(t, whole, banks, "at %d", at)
		}
		_ = f.Close()
	}
	assert.Greater(t, refused, 5)
}

package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

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

// The worlds of the banks here.
const (
	present sandbox.WorldID = 11
	other   sandbox.WorldID = 12
)

// group returns a row.
func group(key, value string) sim.StoredRow {
	return sim.StoredRow{Table: "groups", Key: key, Value: []byte(value)}
}

// newBank is a bank to be created.
var newBank = sandbox.Bank{Description: []byte("d"), Scenario: []byte("s"), Present: present}

// rowsIn yields rows of a world.
func rowsIn(world sandbox.WorldID, rows ...sim.StoredRow) sandbox.Rows {
	return func(yield func(sandbox.Row, error) bool) {
		for _, row := range rows {
			if !yield(sandbox.Row{World: world, StoredRow: row}, nil) {
				return
			}
		}
	}
}

// joined yields the rows of several worlds.
func joined(worlds ...sandbox.Rows) sandbox.Rows {
	return func(yield func(sandbox.Row, error) bool) {
		for _, rows := range worlds {
			for row, err := range rows {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// create creates a bank whose present world has the rows.
func create(t *testing.T, f *store.File, name string, rows ...sim.StoredRow) sandbox.Version {
	t.Helper()
	v, err := f.Create(t.Context(), name, newBank, rowsIn(present, rows...))
	require.NoError(t, err)
	return v
}

// putting returns a batch with one change that puts a row into the present world.
func putting(row sim.StoredRow) sandbox.Batch {
	return sandbox.Batch{Present: present, Change: &sandbox.Change{
		Description: []byte("d"), Rows: []sandbox.Row{{World: present, StoredRow: row}},
	}}
}

// tooLong is a batch that can't be written.
var tooLong = putting(group(strings.Repeat("x", bolt.MaxKeySize), "1"))

// commit returns the error of a commit.
func commit(t *testing.T, f *store.File, name string, base sandbox.Version, b sandbox.Batch) error {
	t.Helper()
	_, _, err := f.Commit(t.Context(), name, base, b)
	return err
}

// stored returns all banks of a file by name.
func stored(t *testing.T, f *store.File) (map[string]sandbox.Bank, error) {
	t.Helper()
	heads, err := f.List(t.Context())
	if err != nil {
		return nil, err
	}
	banks := map[string]sandbox.Bank{}
	for _, head := range heads {
		b, err := f.Load(t.Context(), head.Name)
		if err != nil {
			return nil, err
		}
		assert.Equal(t, head.Version, b.Version)
		assert.Equal(t, head.Description, b.Description)
		banks[head.Name] = b
	}
	return banks, nil
}

// A file has what was committed. Only its owner may read it.
func TestFileKeepsBanks(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "new")
	f := open(t, dir)
	rows := []sim.StoredRow{group("a\x00b", "1"), group("c", "2")}
	fault := sim.StoredRow{Table: "faults", Key: "f", Value: []byte("3")}
	one, err := f.Create(ctx, "one", newBank,
		joined(rowsIn(present, rows...), rowsIn(other, rows[0]), rowsIn(sandbox.OwnRows, fault)))
	require.NoError(t, err)
	_, err = f.Create(ctx, "one", newBank, rowsIn(present))
	require.ErrorIs(t, err, sandbox.ErrTaken)

	added := sim.StoredRow{Table: "users", Key: "d", Value: []byte("4")}
	next, first, err := f.Commit(ctx, "one", one, sandbox.Batch{Present: present, Change: &sandbox.Change{
		Description: []byte("f"), Scenario: []byte("t"), Rows: []sandbox.Row{
			{World: present, StoredRow: sim.StoredRow{Table: "groups", Key: "c", Removed: true}},
			{World: present, StoredRow: added},
			{World: sandbox.OwnRows, StoredRow: sim.StoredRow{Table: "faults", Key: "f", Removed: true}},
		},
	}})
	require.NoError(t, err)
	assert.Equal(t, sandbox.Version{Bank: one.Bank, Seq: one.Seq + 1}, next)
	assert.Zero(t, first, "a file keeps no exchanges")
	require.NoError(t, f.Drop(ctx, "one", next, other))
	info, err := os.Stat(f.Location())
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // it has no such modes
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	require.NoError(t, f.Close())

	banks, err := stored(t, open(t, dir))
	require.NoError(t, err)
	assert.Equal(t, map[string]sandbox.Bank{"one": {
		Version: sandbox.Version{Bank: one.Bank}, Description: []byte("f"), Scenario: []byte("t"),
		Worlds: map[sandbox.WorldID][]sim.StoredRow{present: {rows[0], added}},
	}}, banks)
}

// A world is staged beside the others, and stays as it is until it is dropped.
func TestFileStagesWorlds(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), open(t, t.TempDir())
	v := create(t, f, "one", group("a", "1"))
	rows := []sim.StoredRow{}
	for i := range 20_001 { // more than are written together
		rows = append(rows, group(fmt.Sprintf("%05d", i), "2"))
	}
	require.NoError(t, f.Stage(ctx, "one", v, rowsIn(other, rows...)))
	require.NoError(t, commit(t, f, "one", v, putting(group("b", "3"))))
	got, err := f.World(ctx, "one", v, other)
	require.NoError(t, err)
	assert.Equal(t, rows, got)
	require.NoError(t, f.Drop(ctx, "one", v, other, 13))
	require.NoError(t, f.Drop(ctx, "one", v, other))
	_, err = f.World(ctx, "one", v, other)
	assert.ErrorContains(t, err, "bank one has no world 12")
	got, err = f.World(ctx, "one", v, present)
	require.NoError(t, err)
	assert.Equal(t, []sim.StoredRow{group("a", "1"), group("b", "3")}, got)
}

// A bank that was deleted isn't mistaken for the bank that has its name now. Other banks notice nothing: what is
// committed to them at the same time is all there when the file is opened again, but for what can't be written.
func TestFileTellsBanksOfANameApart(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	f := open(t, dir)
	old := create(t, f, "one", group("a", "old"))
	two := create(t, f, "two")
	require.NoError(t, f.Delete(ctx, "one", old))
	_, err := f.Load(ctx, "one")
	require.ErrorIs(t, err, sandbox.ErrNoSandbox)
	assert.ErrorIs(t, commit(t, f, "one", old, putting(group("b", "old"))), sandbox.ErrDeleted)
	create(t, f, "one", group("a", "new"))
	var writers sync.WaitGroup
	committed := []sim.StoredRow{}
	for i := range 10 { // so that commits of both banks are written together
		row := group(fmt.Sprint(i), "two")
		committed = append(committed, row)
		writers.Go(func() {
			assert.ErrorIs(t, commit(t, f, "one", old, putting(group("b", "old"))), sandbox.ErrDeleted)
		})
		writers.Go(func() { assert.NoError(t, commit(t, f, "two", two, putting(row))) })
		writers.Go(func() { assert.ErrorIs(t, commit(t, f, "two", two, tooLong), bolterrors.ErrKeyTooLarge) })
	}
	writers.Wait()
	_, err = f.World(ctx, "one", old, present)
	assert.ErrorIs(t, err, sandbox.ErrDeleted)
	assert.ErrorIs(t, f.Stage(ctx, "one", old, rowsIn(other, group("b", "old"))), sandbox.ErrDeleted)
	assert.ErrorIs(t, f.Drop(ctx, "one", old, present), sandbox.ErrDeleted)
	assert.ErrorIs(t, f.Delete(ctx, "one", old), sandbox.ErrDeleted)
	assert.NoError(t, f.Check(ctx), "the file can be written to")

	require.NoError(t, f.Close())
	banks, err := stored(t, open(t, dir))
	require.NoError(t, err)
	worlds := map[string]any{}
	for name, b := range banks {
		worlds[name] = b.Worlds
	}
	assert.Equal(t, map[string]any{
		"one": map[sandbox.WorldID][]sim.StoredRow{present: {group("a", "new")}},
		"two": map[sandbox.WorldID][]sim.StoredRow{present: committed},
	}, worlds)
}

// After a write that failed, a check tries to write until that succeeds.
func TestFileCheck(t *testing.T) {
	t.Parallel()
	for _, isChecked := range []bool{true, false} {
		ctx, f := t.Context(), open(t, t.TempDir())
		v := create(t, f, "one", group("a", "1"))
		require.NoError(t, f.Check(ctx))
		require.Error(t, commit(t, f, "one", v, tooLong))
		if isChecked {
			require.NoError(t, f.Check(ctx), "the file can be written to")
		}
		banks, err := stored(t, f)
		require.NoError(t, err)
		assert.Equal(t, []sim.StoredRow{group("a", "1")}, banks["one"].Worlds[present], "nothing was stored")
		require.NoError(t, f.Close())
		if isChecked {
			assert.NoError(t, f.Check(ctx), "it doesn't write while all is well")
		} else {
			assert.Error(t, f.Check(ctx), "it writes after a failure")
			assert.Error(t, f.Check(ctx), "and again")
		}
	}
}

// A file that is in use, or that another version has written, is refused by its name. The error says what to do.
func TestFileIsRefused(t *testing.T) {
	t.Parallel()
	used := t.TempDir()
	open(t, used)
	_, err := store.OpenFile(used)
	assert.EqualError(t, err, "another process has "+filepath.Join(used, "banks.db")+
		" open: stop it, or give another directory")

	for format, want := range map[string]string{
		"3": "has format 3, and this version reads format 2: use a newer version",
		"x": "is damaged (its format is no number): put a back-up in its place, " +
			"or move it away to begin with new banks",
	} {
		dir := written(t, func(tx *bolt.Tx) error {
			return tx.Bucket([]byte("format")).Put([]byte("number"), []byte(format))
		})
		_, err := store.OpenFile(dir)
		assert.EqualError(t, err, filepath.Join(dir, "banks.db")+" "+want)
	}
	foreign := written(t, func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("notes"))
		return errors.Join(err, tx.DeleteBucket([]byte("format")), tx.DeleteBucket([]byte("banks")))
	})
	before, err := os.ReadFile(filepath.Join(foreign, "banks.db"))
	require.NoError(t, err)
	_, err = store.OpenFile(foreign)
	assert.EqualError(t, err, filepath.Join(foreign, "banks.db")+
		" is the database of another program: give another directory")
	after, err := os.ReadFile(filepath.Join(foreign, "banks.db"))
	require.NoError(t, err)
	assert.Equal(t, before, after)

	small := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(small, "banks.db"), make([]byte, 5000), 0o600))
	_, err = store.OpenFile(small)
	assert.ErrorIs(t, err, store.ErrDamaged)
}

// written returns the directory of a file with a bank. A function has changed the file behind the store's back.
func written(t *testing.T, change func(tx *bolt.Tx) error) (dir string) {
	t.Helper()
	dir = t.TempDir()
	f := open(t, dir)
	create(t, f, "one", group("a", "1"))
	require.NoError(t, f.Close())
	db, err := bolt.Open(f.Location(), 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(change))
	require.NoError(t, db.Close())
	return dir
}

// A value that isn't what was written under its names is refused.
func TestDamagedValues(t *testing.T) {
	t.Parallel()
	damages := map[string]func(one, world *bolt.Bucket) error{
		`(the checksum of one/11 "groups\x00b" is wrong)`: func(_, world *bolt.Bucket) error { // a value under another name
			return world.Put([]byte("groups\x00b"), world.Get([]byte("groups\x00a")))
		},
		"bank one has no worlds": func(one, _ *bolt.Bucket) error { return one.DeleteBucket([]byte("worlds")) },
		`(the checksum of one/11 "groups\x00a" is wrong)`: func(_, world *bolt.Bucket) error {
			value := bytes.Clone(world.Get([]byte("groups\x00a")))
			return world.Put([]byte("groups\x00a"), value[:len(value)-1])
		},
		`(the checksum of one "scenario" is wrong)`: func(one, _ *bolt.Bucket) error { return one.Put([]byte("scenario"), nil) },
	}
	for _, key := range []string{"id", "description"} {
		damages[fmt.Sprintf("(the checksum of one %q is wrong)", key)] = func(one, _ *bolt.Bucket) error {
			value := bytes.Clone(one.Get([]byte(key)))
			value[len(value)-1] ^= 1
			return one.Put([]byte(key), value)
		}
	}
	for want, damage := range damages {
		f := open(t, written(t, func(tx *bolt.Tx) error {
			one := tx.Bucket([]byte("banks")).Bucket([]byte("one"))
			return damage(one, one.Bucket([]byte("worlds")).Bucket([]byte("11")))
		}))
		_, err := f.Load(t.Context(), "one")
		assert.ErrorIs(t, err, store.ErrDamaged)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "put a back-up in its place, or move it away to begin with new banks")
	}
}

// Wherever a file is overwritten, it is read as it was or refused. No damage makes the program crash. No damage goes
// unnoticed in a row.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	rows := []sim.StoredRow{}
	for i := range 200 {
		rows = append(rows, group(fmt.Sprintf("%03d", i), strings.Repeat("x", 100)))
	}
	_, err := f.Create(t.Context(), "one", newBank, joined(rowsIn(present, rows...), rowsIn(other, rows[:3]...)))
	require.NoError(t, err)
	whole, err := stored(t, f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	data, err := os.ReadFile(f.Location())
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
		banks, err := stored(t, f)
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

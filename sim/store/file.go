// Package store keeps banks where they outlive their process: in a file or in a database. It implements the stores of package sandbox.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// ErrDamaged is why banks can't be read.
var ErrDamaged = errors.New("is damaged")

// format is the number of the newest format of files that this version writes and reads. A file has, under these names:
//
//	banks/format                the number
//	banks/NAME/meta             StoredChanges.Meta
//	banks/NAME/start            StoredChanges.Start
//	banks/NAME/worlds/WORLD/ROW rows: the table, a zero byte and the key
//
// Each value but the format begins with a checksum of its names and the rest, because bbolt has some for its own pages alone.
const format = 1

var (
	formatKey   = []byte("format")
	banksBucket = []byte("banks")
	metaKey     = []byte("meta")
	startKey    = []byte("start")
	worldsKey   = []byte("worlds")
)

// openTimeout is how long another process may still hold the file, as one that is ending does (choice).
const openTimeout = 1500 * time.Millisecond

// File keeps banks in a file.
type File struct {
	name string
	db   *bolt.DB
}

// OpenFile opens the file of a directory, which is created if it isn't there. It fails if another process has it open, if it is
// damaged, or if a newer version has written it.
func OpenFile(dir string) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory for banks: %w", err)
	}
	f := &File{name: filepath.Join(dir, "banks.db")}
	err := f.guarded(func() (err error) {
		f.db, err = bolt.Open(f.name, 0o600, &bolt.Options{Timeout: openTimeout, FreelistType: bolt.FreelistMapType})
		return err
	})
	var system *fs.PathError
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("another process has %s open: stop it, or give another directory", f.name)
	case errors.As(err, &system):
		return nil, fmt.Errorf("opening the file for banks: %w", err)
	case err != nil:
		return nil, f.damaged(err)
	}
	if err := f.checkFormat(); err != nil {
		_ = f.db.Close() // the error says more
		return nil, err
	}
	return f, nil
}

// checkFormat notes the format in a new file, and refuses one that this version doesn't read.
func (f *File) checkFormat() error {
	return f.update(func(tx *bolt.Tx) error {
		banks, err := tx.CreateBucketIfNotExists(banksBucket)
		if err != nil {
			return err
		}
		text := banks.Get(formatKey)
		if text == nil {
			return banks.Put(formatKey, []byte(strconv.Itoa(format)))
		}
		switch found, err := strconv.Atoi(string(text)); {
		case err != nil:
			return f.damaged("its format is no number")
		case found > format:
			return fmt.Errorf("%s has format %d, and this version reads formats up to %d: use a newer one", f.name, found, format)
		}
		return nil
	})
}

// Banks implements [sandbox.Store]. It checks all that it reads.
func (f *File) Banks() (all []sandbox.StoredBank, err error) {
	err = f.guarded(func() error {
		return f.db.View(func(tx *bolt.Tx) error {
			banks := tx.Bucket(banksBucket)
			return banks.ForEachBucket(func(name []byte) error {
				bank, err := f.bank(string(name), banks.Bucket(name))
				all = append(all, bank)
				return err
			})
		})
	})
	return all, err
}

// bank reads a bank.
func (f *File) bank(name string, bucket *bolt.Bucket) (b sandbox.StoredBank, err error) {
	b = sandbox.StoredBank{Name: name, Worlds: map[string][]sim.StoredRow{}}
	if b.Meta, err = f.checked(bucket.Get(metaKey), name, metaKey); err != nil {
		return b, err
	}
	if b.Start, err = f.checked(bucket.Get(startKey), name, startKey); err != nil {
		return b, err
	}
	worlds := bucket.Bucket(worldsKey)
	if worlds == nil {
		return b, f.damaged("bank " + name + " has no worlds")
	}
	err = worlds.ForEachBucket(func(world []byte) error {
		rows := []sim.StoredRow{}
		err := worlds.Bucket(world).ForEach(func(key, value []byte) error {
			value, err := f.checked(value, name+"/"+string(world), key)
			table, row, _ := strings.Cut(string(key), "\x00")
			rows = append(rows, sim.StoredRow{Table: table, Key: row, Value: value})
			return err
		})
		b.Worlds[string(world)] = rows
		return err
	})
	return b, err
}

// Commit implements [sandbox.Store]. The file is synced before it returns.
func (f *File) Commit(name string, c sandbox.StoredChanges) error {
	return f.update(func(tx *bolt.Tx) error {
		bank, err := tx.Bucket(banksBucket).CreateBucketIfNotExists([]byte(name))
		if err != nil {
			return err
		}
		if err := put(bank, metaKey, c.Meta, name); err != nil {
			return err
		}
		if c.Start != nil {
			if err := put(bank, startKey, c.Start, name); err != nil {
				return err
			}
		}
		worlds, err := bank.CreateBucketIfNotExists(worldsKey)
		if err != nil {
			return err
		}
		for world, rows := range c.Worlds {
			if err := worlds.DeleteBucket([]byte(world)); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
				return err
			}
			if rows == nil {
				continue
			}
			if err := putRows(worlds, name, world, rows); err != nil {
				return err
			}
		}
		return putRows(worlds, name, sandbox.PresentWorld, c.Rows)
	})
}

// putRows puts and removes rows of a world.
func putRows(worlds *bolt.Bucket, name, world string, rows []sim.StoredRow) error {
	bucket, err := worlds.CreateBucketIfNotExists([]byte(world))
	if err != nil {
		return err
	}
	for _, row := range rows {
		key := []byte(row.Table + "\x00" + row.Key)
		if row.Removed {
			err = bucket.Delete(key)
		} else {
			err = put(bucket, key, row.Value, name+"/"+world)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Delete implements [sandbox.Store].
func (f *File) Delete(name string) error {
	return f.update(func(tx *bolt.Tx) error {
		err := tx.Bucket(banksBucket).DeleteBucket([]byte(name))
		if errors.Is(err, bolterrors.ErrBucketNotFound) {
			return nil
		}
		return err
	})
}

// Place implements [sandbox.Store].
func (f *File) Place() string { return f.name }

// Close implements [sandbox.Store].
func (f *File) Close() error { return f.db.Close() }

// update writes to the file.
func (f *File) update(fn func(*bolt.Tx) error) error {
	return f.guarded(func() error { return f.db.Update(fn) })
}

// guarded calls a function that reads or writes the file. bbolt panics, or meets a memory fault, where its pages are damaged.
func (f *File) guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = f.damaged(p)
		}
	}()
	return fn()
}

// damaged returns the error of a file in which something is wrong.
func (f *File) damaged(what any) error {
	if err, ok := what.(error); ok && errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%s %w (%v): put a back-up in its place, or move it away to begin with new banks", f.name, ErrDamaged, what)
}

const checksumBytes = 4

// checksum returns the checksum of a value and where it stands.
func checksum(place string, key, value []byte) uint32 {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, part := range [][]byte{[]byte(place), {0}, key, {0}, value} {
		_, _ = sum.Write(part) // never fails
	}
	return sum.Sum32()
}

// put puts a value with its checksum.
func put(bucket *bolt.Bucket, key, value []byte, place string) error {
	return bucket.Put(key, append(binary.BigEndian.AppendUint32(nil, checksum(place, key, value)), value...))
}

// checked returns a copy of a value whose checksum is right.
func (f *File) checked(text []byte, place string, key []byte) ([]byte, error) {
	if len(text) < checksumBytes || binary.BigEndian.Uint32(text) != checksum(place, key, text[checksumBytes:]) {
		return nil, f.damaged(fmt.Sprintf("the checksum of %s %q is wrong", place, key))
	}
	return append([]byte{}, text[checksumBytes:]...), nil
}

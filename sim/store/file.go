// Package store keeps banks where they outlive their process: in a file or in a database. [File] and [Postgres]
// implement [sandbox.Store].
package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/batch"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Why banks can't be read.
var (
	ErrDamaged = errors.New("is damaged")
	ErrInUse   = errors.New("another process has")
)

// A file has these keys.
//
//	format/number               the number of the format
//	format/fingerprints         the key of fingerprints of secrets
//	banks/NAME/id               Version.Bank
//	banks/NAME/description      Change.Description
//	banks/NAME/scenario         Change.Scenario
//	banks/NAME/worlds/WORLD/ROW rows: the table, a zero byte and the key
//
// Each value of a bank starts with a checksum of its key and value: bbolt checks only its own pages. A bank without an
// id is not finished: its process was killed while it wrote the rows of a new bank.
var (
	formatBucket   = []byte("format")
	formatKey      = []byte("number")
	fingerprintKey = []byte("fingerprints")
	banksBucket    = []byte("banks")
	idKey          = []byte("id")
	descriptionKey = []byte("description")
	scenarioKey    = []byte("scenario")
	worldsKey      = []byte("worlds")
)

const fileName = "banks.db" // in the directory of --data

// Choices about files.
const (
	// openTimeout is how long another process may still hold the file, as one that is ending does.
	openTimeout = 1500 * time.Millisecond
	// commitsTogether is how many commits of different banks share a write to the disk.
	commitsTogether = 64
	// rowsTogether is how many rows of a world are written before other banks get on.
	rowsTogether = 20_000
)

// File keeps banks in a file of one process. Exchanges are not kept.
type File struct {
	name      string
	key       []byte // of fingerprints
	db        *bolt.DB
	commits   *batch.Queue[*fileCommit]
	isFailing atomic.Bool // whether the last write failed
}

// OpenFile opens the file banks.db of a directory. Both are created if they aren't there. OpenFile fails if
// another process has the file open, if it is damaged, or if another version has written it.
func OpenFile(dir string) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explainDirectory(dir, err)
	}
	f := &File{name: filepath.Join(dir, fileName)}
	f.commits = batch.New(commitsTogether, neverAlone, f.processRound)
	err := f.guarded(func() (err error) {
		f.db, err = bolt.Open(f.name, 0o600, &bolt.Options{Timeout: openTimeout, FreelistType: bolt.FreelistMapType})
		return err
	})
	var system *os.PathError
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w %s open: stop it, or give another directory", ErrInUse, f.name)
	case errors.As(err, &system):
		return nil, explainDirectory(dir, err)
	case err != nil:
		return nil, f.damaged(err)
	}
	if err := f.checkFormat(); err != nil {
		_ = f.db.Close() // the error says more
		return nil, err
	}
	return f, nil
}

// checkFormat writes the format into a new file, and refuses a file of another format. It deletes banks that are not
// finished.
func (f *File) checkFormat() error {
	return f.update(func(tx *bolt.Tx) error {
		first, _ := tx.Cursor().First()
		if first != nil && tx.Bucket(formatBucket) == nil && tx.Bucket(banksBucket) == nil {
			return fmt.Errorf("%s is the database of another program: give another directory", f.name)
		}
		found, err := f.readFormat(tx)
		if err == nil {
			err = refuseFormat(f.name, found, "move it away to begin with new banks")
		}
		if err == nil {
			err = putFormat(tx)
		}
		if err == nil {
			f.key, err = openKey(tx.Bucket(formatBucket))
		}
		if err != nil {
			return err
		}
		banks, err := tx.CreateBucketIfNotExists(banksBucket)
		if err != nil {
			return err
		}
		var unfinished [][]byte
		err = banks.ForEachBucket(func(name []byte) error {
			if banks.Bucket(name).Get(idKey) == nil {
				unfinished = append(unfinished, name)
			}
			return nil
		})
		for _, name := range unfinished {
			err = errors.Join(err, banks.DeleteBucket(name))
		}
		return err
	})
}

// readFormat returns the format of the file, or the present one if the file is new.
func (f *File) readFormat(tx *bolt.Tx) (int, error) {
	text := []byte(strconv.Itoa(sandbox.Format))
	if known := tx.Bucket(formatBucket); known != nil {
		text = known.Get(formatKey)
	} else if banks := tx.Bucket(banksBucket); banks != nil {
		text = banks.Get([]byte("format")) // where format 1 has it
	}
	number, err := strconv.Atoi(string(text))
	if err != nil {
		return 0, f.damaged("its format is no number")
	}
	return number, nil
}

func putFormat(tx *bolt.Tx) error {
	bucket, err := tx.CreateBucketIfNotExists(formatBucket)
	if err != nil {
		return err
	}
	return bucket.Put(formatKey, []byte(strconv.Itoa(sandbox.Format)))
}

// openKey returns the key of fingerprints. The first call for a file makes it.
func openKey(bucket *bolt.Bucket) ([]byte, error) {
	if known := bucket.Get(fingerprintKey); known != nil {
		return bytes.Clone(known), nil // it is valid only in the transaction
	}
	key := redact.NewKey()
	return key, bucket.Put(fingerprintKey, key)
}

// FingerprintKey returns the key that is stored with the banks.
func (f *File) FingerprintKey() []byte { return f.key }

// SetFingerprintKey replaces the key, before there are banks.
func (f *File) SetFingerprintKey(_ context.Context, key []byte) error {
	f.key = key
	return f.update(func(tx *bolt.Tx) error { return tx.Bucket(formatBucket).Put(fingerprintKey, key) })
}

// Location implements [sandbox.Store].
func (f *File) Location() string { return f.name }

// Shared implements [sandbox.Store].
func (f *File) Shared() bool { return false }

// Close closes the file.
func (f *File) Close() error { return f.db.Close() }

// Check implements [sandbox.Store]. After a failure it tries to write.
func (f *File) Check(context.Context) error {
	if !f.isFailing.Load() {
		return nil
	}
	return f.update(putFormat)
}

// List implements [sandbox.Store].
func (f *File) List(context.Context) (heads []sandbox.Head, err error) {
	err = f.view(func(banks *bolt.Bucket) error {
		return banks.ForEachBucket(func(name []byte) error {
			if banks.Bucket(name).Get(idKey) == nil {
				return nil
			}
			head, err := f.head(string(name), banks.Bucket(name))
			heads = append(heads, head)
			return err
		})
	})
	return heads, err
}

func (f *File) head(name string, bank *bolt.Bucket) (head sandbox.Head, err error) {
	head.Name = name
	id, err := f.checked(bank.Get(idKey), name, idKey)
	if err == nil {
		head.Version = sandbox.Version{Bank: int64(binary.BigEndian.Uint64(id))}
		head.Description, err = f.checked(bank.Get(descriptionKey), name, descriptionKey)
	}
	return head, err
}

// Load implements [sandbox.Store]. It reads all worlds, to find damage at the start.
func (f *File) Load(ctx context.Context, name string) (loaded sandbox.Bank, err error) {
	err = f.Export(ctx, name, func(b sandbox.Bank, rows sandbox.Rows) error {
		b.Worlds = map[sandbox.WorldID][]sim.StoredRow{}
		for row, err := range rows {
			if err != nil {
				return err
			}
			b.Worlds[row.World] = append(b.Worlds[row.World], row.StoredRow)
		}
		loaded = b
		return nil
	})
	return loaded, err
}

// Export implements [sandbox.Store]. It checks all that it reads.
func (f *File) Export(_ context.Context, name string, fn func(sandbox.Bank, sandbox.Rows) error) error {
	return f.view(func(banks *bolt.Bucket) error {
		bank := banks.Bucket([]byte(name))
		if bank == nil || bank.Get(idKey) == nil {
			return sandbox.ErrNoSandbox
		}
		head, err := f.head(name, bank)
		if err != nil {
			return err
		}
		b := sandbox.Bank{Version: head.Version, Description: head.Description}
		if b.Scenario, err = f.checked(bank.Get(scenarioKey), name, scenarioKey); err != nil {
			return err
		}
		worlds := bank.Bucket(worldsKey)
		if worlds == nil {
			return f.damaged("bank " + name + " has no worlds")
		}
		return fn(b, func(yield func(sandbox.Row, error) bool) {
			if err := f.eachRow(name, worlds, yield); err != nil && !errors.Is(err, errStopped) {
				yield(sandbox.Row{}, err)
			}
		})
	})
}

// errStopped ends a loop over rows whose reader wants no more.
var errStopped = errors.New("no more rows are wanted")

// eachRow yields the rows of all worlds of a bank.
func (f *File) eachRow(name string, worlds *bolt.Bucket, yield func(sandbox.Row, error) bool) error {
	return worlds.ForEachBucket(func(key []byte) error {
		id, err := strconv.ParseInt(string(key), 10, 64)
		if err != nil {
			return f.damaged("bank " + name + " has a world without a number")
		}
		world := sandbox.WorldID(id)
		return f.rows(worlds.Bucket(key), worldPlace(name, world), func(row sim.StoredRow) error {
			if !yield(sandbox.Row{World: world, StoredRow: row}, nil) {
				return errStopped
			}
			return nil
		})
	})
}

// rows calls a function with each row of a world.
func (f *File) rows(world *bolt.Bucket, place string, each func(sim.StoredRow) error) error {
	return world.ForEach(func(key, value []byte) error {
		value, err := f.checked(value, place, key)
		if err != nil {
			return err
		}
		table, row, _ := strings.Cut(string(key), "\x00")
		return each(sim.StoredRow{Table: table, Key: row, Value: value})
	})
}

// World implements [sandbox.Store].
func (f *File) World(
	_ context.Context, name string, v sandbox.Version, id sandbox.WorldID,
) (rows []sim.StoredRow, err error) {
	err = f.view(func(banks *bolt.Bucket) error {
		bank, err := f.bank(banks, name, v)
		if err != nil {
			return err
		}
		world := bank.Bucket(worldsKey).Bucket(worldKey(id))
		if world == nil {
			return fmt.Errorf("bank %s has no world %d", name, id)
		}
		return f.rows(world, worldPlace(name, id), func(row sim.StoredRow) error {
			rows = append(rows, row)
			return nil
		})
	})
	return rows, err
}

// bank returns the bank of a version. It fails with ErrDeleted.
func (f *File) bank(banks *bolt.Bucket, name string, v sandbox.Version) (*bolt.Bucket, error) {
	bank := banks.Bucket([]byte(name))
	if bank == nil || bank.Get(idKey) == nil {
		return nil, sandbox.ErrDeleted
	}
	head, err := f.head(name, bank)
	if err == nil && head.Version.Bank != v.Bank {
		err = sandbox.ErrDeleted
	}
	return bank, err
}

// Create implements [sandbox.Store]. Other banks are written while the rows are. The bank is there once it has an id.
func (f *File) Create(
	_ context.Context, name string, b sandbox.Bank, rows sandbox.Rows,
) (v sandbox.Version, err error) {
	v.Bank = rand.Int64()
	err = f.update(func(tx *bolt.Tx) error {
		bank, err := tx.Bucket(banksBucket).CreateBucket([]byte(name))
		if errors.Is(err, bolterrors.ErrBucketExists) {
			return sandbox.ErrTaken
		}
		if err == nil {
			_, err = bank.CreateBucket(worldsKey)
		}
		return err
	})
	if err != nil {
		return v, err
	}
	unfinished := func(tx *bolt.Tx) (*bolt.Bucket, error) { return tx.Bucket(banksBucket).Bucket([]byte(name)), nil }
	if err = f.putInParts(unfinished, name, rows); err == nil {
		err = f.update(func(tx *bolt.Tx) error {
			bank, _ := unfinished(tx)
			return errors.Join(put(bank, descriptionKey, b.Description, name), put(bank, scenarioKey, b.Scenario, name),
				put(bank, idKey, binary.BigEndian.AppendUint64(nil, uint64(v.Bank)), name))
		})
	}
	if err != nil {
		_ = f.update(func(tx *bolt.Tx) error { return tx.Bucket(banksBucket).DeleteBucket([]byte(name)) })
	}
	return v, err
}

// Delete implements [sandbox.Store].
func (f *File) Delete(_ context.Context, name string, v sandbox.Version) error {
	return f.update(func(tx *bolt.Tx) error {
		banks := tx.Bucket(banksBucket)
		if _, err := f.bank(banks, name, v); err != nil {
			return err
		}
		return banks.DeleteBucket([]byte(name))
	})
}

// fileCommit is a commit that waits for its write to the disk.
type fileCommit struct {
	name  string
	base  sandbox.Version
	batch sandbox.Batch
	err   error
}

// Commit implements [sandbox.Store]. Commits of banks that wait at the same time are written together; the file is
// synced before Commit returns.
func (f *File) Commit(
	ctx context.Context, name string, base sandbox.Version, b sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	if b.Change == nil {
		return base, 0, nil
	}
	next = base
	next.Seq++
	c := &fileCommit{name: name, base: base, batch: b}
	if err := f.commits.Do(ctx, c); err != nil {
		return base, 0, err
	}
	return next, 0, c.err
}

func neverAlone(*fileCommit) bool { return false }

func (f *File) processRound(r *batch.Round[*fileCommit]) { f.writeAll(r.Items()) }

// writeAll writes commits together. If that fails, it writes each one alone: the rows of one bank may be refused.
func (f *File) writeAll(commits []*fileCommit) {
	err := f.update(func(tx *bolt.Tx) error {
		for _, c := range commits {
			err := f.apply(tx, c)
			if c.err = err; err != nil && !errors.Is(err, sandbox.ErrDeleted) {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
	case len(commits) == 1:
		commits[0].err = err
	default:
		for i := range commits {
			f.writeAll(commits[i : i+1])
		}
	}
}

func (f *File) apply(tx *bolt.Tx, c *fileCommit) error {
	bank, err := f.bank(tx.Bucket(banksBucket), c.name, c.base)
	if err != nil {
		return err
	}
	change := c.batch.Change
	if change.Scenario != nil {
		if err := put(bank, scenarioKey, change.Scenario, c.name); err != nil {
			return err
		}
	}
	if err := putRows(bank, c.name, change.Rows); err != nil {
		return err
	}
	return put(bank, descriptionKey, change.Description, c.name)
}

// Follow implements [sandbox.Store]. Nobody else can change a bank.
func (f *File) Follow(_ context.Context, _ string, since sandbox.Version, _ uint64) (sandbox.News, error) {
	return sandbox.News{Version: since}, nil
}

// Locked implements [sandbox.Store].
func (f *File) Locked(_ context.Context, _ string, _ sandbox.Version, fn func(sandbox.Store) error) error {
	return fn(f)
}

// Stage implements [sandbox.Store]. Other banks are written in between.
func (f *File) Stage(_ context.Context, name string, v sandbox.Version, rows sandbox.Rows) error {
	find := func(tx *bolt.Tx) (*bolt.Bucket, error) { return f.bank(tx.Bucket(banksBucket), name, v) }
	return f.putInParts(find, name, rows)
}

// putInParts writes rows, in several transactions if there are many. bbolt holds what a transaction puts in one sorted
// list. So the rows of each are put in the order of their keys. Otherwise each row would move all that come after it.
func (f *File) putInParts(find func(*bolt.Tx) (*bolt.Bucket, error), name string, rows sandbox.Rows) error {
	var part []sandbox.Row
	putPart := func() error {
		slices.SortFunc(part, func(a, b sandbox.Row) int {
			return cmp.Or(cmp.Compare(a.World, b.World), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
		})
		err := f.update(func(tx *bolt.Tx) error {
			bank, err := find(tx)
			if err != nil {
				return err
			}
			return putRows(bank, name, part)
		})
		part = part[:0]
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if part = append(part, row); len(part) < rowsTogether {
			continue
		}
		if err := putPart(); err != nil {
			return err
		}
	}
	return putPart()
}

// Drop implements [sandbox.Store].
func (f *File) Drop(_ context.Context, name string, v sandbox.Version, ids ...sandbox.WorldID) error {
	return f.update(func(tx *bolt.Tx) error {
		bank, err := f.bank(tx.Bucket(banksBucket), name, v)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := bank.Bucket(worldsKey).DeleteBucket(worldKey(id))
			if err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
				return err
			}
		}
		return nil
	})
}

func worldKey(id sandbox.WorldID) []byte { return strconv.AppendInt(nil, int64(id), 10) }

func worldPlace(name string, id sandbox.WorldID) string { return name + "/" + string(worldKey(id)) }

// putRows puts and removes rows of worlds.
func putRows(bank *bolt.Bucket, name string, rows []sandbox.Row) error {
	worlds := bank.Bucket(worldsKey)
	var world *bolt.Bucket
	for i, row := range rows {
		if i == 0 || row.World != rows[i-1].World {
			var err error
			if world, err = worlds.CreateBucketIfNotExists(worldKey(row.World)); err != nil {
				return err
			}
		}
		key := []byte(row.Table + "\x00" + row.Key)
		var err error
		if row.Removed {
			err = world.Delete(key)
		} else {
			err = put(world, key, row.Value, worldPlace(name, row.World))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// view reads the file.
func (f *File) view(fn func(banks *bolt.Bucket) error) error {
	return f.guarded(func() error {
		return f.db.View(func(tx *bolt.Tx) error { return fn(tx.Bucket(banksBucket)) })
	})
}

// update writes to the file.
func (f *File) update(fn func(*bolt.Tx) error) error {
	err := f.guarded(func() error { return f.db.Update(fn) })
	f.isFailing.Store(err != nil && !errors.Is(err, sandbox.ErrDeleted) && !errors.Is(err, sandbox.ErrTaken))
	return err
}

// guarded calls a function that reads or writes the file. bbolt panics, or meets a memory fault, where its pages are
// damaged.
func (f *File) guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = f.damaged(p)
		}
	}()
	return fn()
}

// damaged wraps ErrDamaged, and names the remedy.
func (f *File) damaged(what any) error {
	if err, ok := what.(error); ok && errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%s %w (%v): put a back-up in its place, or move it away to begin with new banks",
		f.name, ErrDamaged, what)
}

const checksumBytes = 4

// checksum returns the checksum of a value and of its names.
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
	isRight := len(text) >= checksumBytes &&
		binary.BigEndian.Uint32(text) == checksum(place, key, text[checksumBytes:])
	if !isRight {
		return nil, f.damaged(fmt.Sprintf("the checksum of %s %q is wrong", place, key))
	}
	return append([]byte{}, text[checksumBytes:]...), nil
}

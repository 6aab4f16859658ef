package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/s2"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// databaseTables are the tables of format 1. CockroachDB and YugabyteDB document these statements, and the others here, as well.
var databaseTables = []string{
	`CREATE TABLE IF NOT EXISTS banks (name text PRIMARY KEY, id bigint NOT NULL, meta bytea NOT NULL, start bytea NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS rows (
		bank bigint, world text, kind text, key bytea, value bytea NOT NULL, PRIMARY KEY (bank, world, kind, key))`,
	// A record for each commit: what it changed, or that others have to read the whole bank, and the exchange. The newest is always there.
	`CREATE TABLE IF NOT EXISTS log (
		bank bigint, seq bigint, token bigint NOT NULL, number bigint NOT NULL, meta bytea, rows bytea, whole boolean NOT NULL,
		exchange bytea, PRIMARY KEY (bank, seq))`,
	`CREATE TABLE IF NOT EXISTS format (number bigint PRIMARY KEY)`,
}

// Choices about time.
const (
	// answerTimeout is how long creating the tables may take, and reading a whole bank.
	answerTimeout = time.Minute
	// lockTimeout is how long a statement waits for a lock, and how long the store looks whether a commit was made whose answer was lost.
	lockTimeout = 5 * time.Second
	// stoppedTimeout is how long a process that has stopped in a turn keeps others from the bank.
	stoppedTimeout = 2 * time.Second
)

// Other choices.
const (
	connections = 16  // that a process has at most, unless the URL says pool_max_conns
	attempts    = 3   // at a transaction
	trimEvery   = 256 // records, after which old ones are deleted
)

// Database keeps banks in a PostgreSQL database, which several processes share.
type Database struct {
	pool      *pgxpool.Pool
	schema    string
	place     string
	conflicts atomic.Uint64
}

// IsURL reports whether a text is the URL of a database, rather than a directory.
func IsURL(text string) bool { return strings.Contains(text, "://") }

// OpenDatabase opens the database of a URL, and creates its tables if they aren't there: in the schema that its parameter search_path
// names, or in banksim. It fails if a newer version has written them. Its errors have no user and no password.
func OpenDatabase(url string) (*Database, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the URL of the database is not postgres://USER:PASSWORD@HOST:PORT/DATABASE, or has a wrong parameter")
	}
	if !strings.Contains(url, "pool_max_conns=") {
		cfg.MaxConns = connections
	}
	to := cfg.ConnConfig
	d := &Database{schema: to.RuntimeParams["search_path"]}
	if d.schema == "" {
		d.schema = "banksim"
	}
	to.RuntimeParams["search_path"] = pgx.Identifier{d.schema}.Sanitize()
	to.RuntimeParams["lock_timeout"] = fmt.Sprint(lockTimeout.Milliseconds())
	to.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(stoppedTimeout.Milliseconds())
	if to.ConnectTimeout == 0 {
		to.ConnectTimeout = lockTimeout
	}
	d.place = fmt.Sprintf("database %s of %s, schema %s", to.Database, net.JoinHostPort(to.Host, fmt.Sprint(to.Port)), d.schema)
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	if d.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, d.failed(err)
	}
	if err := d.checkFormat(ctx); err != nil {
		d.pool.Close()
		return nil, err
	}
	return d, nil
}

// checkFormat creates the tables, and refuses those that this version doesn't read. Processes may start at the same time.
func (d *Database) checkFormat(ctx context.Context) error {
	found := 0
	for attempt := 1; ; attempt++ {
		err := d.pool.QueryRow(ctx, "SELECT number FROM format").Scan(&found)
		switch {
		case err == nil && found > format:
			return fmt.Errorf("the %s has format %d, and this version reads formats up to %d: use a newer one", d.place, found, format)
		case err == nil:
			return nil
		case attempt > attempts || !errors.Is(err, pgx.ErrNoRows) && codeOf(err) != "42P01": // there is no such table
			return d.failed(err)
		}
		statements := append([]string{"CREATE SCHEMA IF NOT EXISTS " + pgx.Identifier{d.schema}.Sanitize()}, databaseTables...)
		for _, statement := range append(statements, "INSERT INTO format VALUES (1) ON CONFLICT DO NOTHING") {
			if _, err = d.pool.Exec(ctx, statement); err != nil && attempt == attempts {
				return d.failed(err)
			}
		}
	}
}

// codeOf returns the SQLSTATE of an error of the database; empty: it is none of its.
func codeOf(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// failed returns an error without what is secret in it.
func (d *Database) failed(err error) error {
	var server *pgconn.PgError
	var network *net.OpError
	var unknown *net.DNSError
	why := "the connection was lost"
	switch {
	case errors.As(err, &server) && strings.HasPrefix(server.Code, "28"):
		why = "it doesn't accept the user or the password"
	case server != nil:
		why = server.Message + " (SQLSTATE " + server.Code + ")"
	case errors.Is(err, context.DeadlineExceeded):
		why = "it didn't answer in time"
	case errors.As(err, &network):
		why = network.Error()
	case errors.As(err, &unknown):
		why = unknown.Error()
	}
	return fmt.Errorf("the %s: %s", d.place, why)
}

// Banks implements [sandbox.SharedStore].
func (d *Database) Banks() (all []sandbox.StoredBank, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	names, err := d.Names(ctx)
	for _, name := range names {
		switch b, err := d.Bank(context.Background(), name); {
		case err == nil:
			all = append(all, b)
		case !errors.Is(err, sandbox.ErrNoSandbox): // else it was deleted meanwhile
			return nil, err
		}
	}
	return all, err
}

// Names implements [sandbox.SharedStore].
func (d *Database) Names(ctx context.Context) ([]string, error) {
	rows, _ := d.pool.Query(ctx, "SELECT name FROM banks ORDER BY name") // the rows have the error, too
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, d.failed(err)
	}
	return names, nil
}

// Bank implements [sandbox.SharedStore].
func (d *Database) Bank(ctx context.Context, name string) (sandbox.StoredBank, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	t, err := d.begin(ctx, name, sandbox.StoredVersion{})
	switch {
	case errors.Is(err, sandbox.ErrDeleted):
		return sandbox.StoredBank{}, sandbox.ErrNoSandbox
	case err != nil:
		return sandbox.StoredBank{}, err
	}
	defer t.End()
	return *t.whole, nil
}

// Create implements [sandbox.SharedStore].
func (d *Database) Create(ctx context.Context, name string, c sandbox.StoredChanges) (sandbox.StoredVersion, error) {
	v := sandbox.StoredVersion{Bank: rand.Int64(), Seq: 1, Token: rand.Int64()}
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return v, d.failed(err)
	}
	t := &databaseTurn{store: d, conn: conn, name: name}
	defer t.End()
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("INSERT INTO banks (name, id, meta, start) VALUES ($1, $2, $3, $4)", name, v.Bank, c.Meta, c.Start)
	if err = conn.SendBatch(ctx, batch).Close(); err == nil {
		err = t.change(ctx, v, []sandbox.StoredChanges{c}, 0)
	}
	switch code := codeOf(err); {
	case code == "23505": // the name is there
		return v, sandbox.ErrTaken
	case err != nil && code == "":
		return v, fmt.Errorf("%w: %w", sandbox.ErrUnsure, d.failed(err))
	case err != nil:
		return v, d.failed(err)
	}
	return v, nil
}

// Begin implements [sandbox.SharedStore].
func (d *Database) Begin(ctx context.Context, name string, since sandbox.StoredVersion) (sandbox.SharedTurn, error) {
	t, err := d.begin(ctx, name, since)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// begin begins a turn, and tries again where a connection turns out to be broken, or another transaction came in between.
func (d *Database) begin(ctx context.Context, name string, since sandbox.StoredVersion) (*databaseTurn, error) {
	for attempt := 1; ; attempt++ {
		t, err := d.tryToBegin(ctx, name, since)
		code := codeOf(err)
		switch {
		case err == nil, errors.Is(err, sandbox.ErrDeleted):
			return t, err
		case attempt == attempts, ctx.Err() != nil, code != "" && code != serializationFailure && code != terminated:
			return nil, d.failed(err)
		}
		d.conflicts.Add(1)
	}
}

// The SQLSTATE of errors after which another attempt is worth while.
const (
	serializationFailure = "40001"
	terminated           = "57P01" // the connection, by an administrator
)

// databaseTurn is a transaction that has locked the row of a bank.
type databaseTurn struct {
	store   *Database
	conn    *pgxpool.Conn // nil: the turn has ended
	name    string
	version sandbox.StoredVersion
	news    []sandbox.StoredRecord
	whole   *sandbox.StoredBank // in place of the news
}

func (d *Database) tryToBegin(ctx context.Context, name string, since sandbox.StoredVersion) (_ *databaseTurn, err error) {
	t := &databaseTurn{store: d, name: name}
	if t.conn, err = d.pool.Acquire(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.End()
		}
	}()
	from := since.Seq
	if from == 0 { // nothing is known, so everything has to be read
		from = math.MaxInt64
	}
	known := false
	batch := &pgx.Batch{}
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // so that each statement sees what came before the lock
	batch.Queue("SELECT id FROM banks WHERE name = $1 FOR UPDATE", name).QueryRow(func(row pgx.Row) error {
		return row.Scan(&t.version.Bank)
	})
	batch.Queue(`SELECT seq, token, number, meta, rows, whole, CASE WHEN seq > $2 THEN exchange END
		FROM log WHERE bank = $1 AND seq >= $2 ORDER BY seq`, since.Bank, from).Query(func(rows pgx.Rows) (err error) {
		known, err = t.readNews(rows, since)
		return err
	})
	switch err := t.conn.SendBatch(ctx, batch).Close(); {
	case errors.Is(err, pgx.ErrNoRows), err == nil && since.Bank != 0 && t.version.Bank != since.Bank:
		return nil, sandbox.ErrDeleted
	case err != nil:
		return nil, err
	case !known:
		return t, t.readWhole()
	}
	return t, nil
}

// readNews reads the record of a version and all that came after it. It reports whether they say all that others have done since.
func (t *databaseTurn) readNews(rows pgx.Rows, since sandbox.StoredVersion) (known bool, err error) {
	for rows.Next() {
		before := t.version.Seq
		var r sandbox.StoredRecord
		var written []byte
		var whole bool
		if err := rows.Scan(&t.version.Seq, &t.version.Token, &r.Number, &r.Meta, &written, &whole, &r.Exchange); err != nil {
			return false, err
		}
		if t.version.Seq == since.Seq {
			known = t.version.Token == since.Token
			continue
		}
		if r.Exchange, err = unpacked(r.Exchange); err != nil {
			return false, err
		}
		if len(written) > 0 {
			if err := json.Unmarshal(written, &r.Rows); err != nil {
				return false, err
			}
		}
		known = known && !whole && t.version.Seq == before+1 // else one in between was deleted
		t.news = append(t.news, r)
	}
	return known, rows.Err()
}

// readWhole reads the whole bank, which may have a million rows.
func (t *databaseTurn) readWhole() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	b := &sandbox.StoredBank{Name: t.name, Worlds: map[string][]sim.StoredRow{sandbox.PresentWorld: {}}}
	batch := &pgx.Batch{}
	batch.Queue("SELECT meta, start FROM banks WHERE name = $1", t.name).QueryRow(func(row pgx.Row) error {
		return row.Scan(&b.Meta, &b.Start)
	})
	batch.Queue("SELECT world, kind, key, value FROM rows WHERE bank = $1", t.version.Bank).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var world string
			var key []byte
			var row sim.StoredRow
			if err := rows.Scan(&world, &row.Table, &key, &row.Value); err != nil {
				return err
			}
			row.Key = string(key)
			b.Worlds[world] = append(b.Worlds[world], row)
		}
		return rows.Err()
	})
	const log = "SELECT seq, token, number, exchange FROM log WHERE bank = $1 ORDER BY seq"
	batch.Queue(log, t.version.Bank).Query(func(rows pgx.Rows) error {
		for rows.Next() { // the last one is that of the version
			var r sandbox.StoredRecord
			err := rows.Scan(&t.version.Seq, &t.version.Token, &r.Number, &r.Exchange)
			if err == nil {
				r.Exchange, err = unpacked(r.Exchange)
			}
			if err != nil {
				return err
			}
			b.Journal = append(b.Journal, r)
		}
		return rows.Err()
	})
	if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	b.Version, t.whole, t.news = t.version, b, nil
	return nil
}

// News implements [sandbox.SharedTurn].
func (t *databaseTurn) News() (sandbox.StoredVersion, []sandbox.StoredRecord, *sandbox.StoredBank) {
	return t.version, t.news, t.whole
}

// Commit implements [sandbox.SharedTurn].
func (t *databaseTurn) Commit(ctx context.Context, changes []sandbox.StoredChanges, exchanges int) (sandbox.StoredVersion, error) {
	next := sandbox.StoredVersion{Bank: t.version.Bank, Seq: t.version.Seq + int64(len(changes)), Token: rand.Int64()}
	for attempt := 1; ; attempt++ {
		err := t.change(ctx, next, changes, exchanges)
		switch code := codeOf(err); {
		case err == nil:
			return next, nil
		case code == "":
			return next, t.lookUp(next, err)
		case code != serializationFailure || attempt == attempts:
			return next, t.store.failed(err)
		}
		t.store.conflicts.Add(1)
		t.End()
		again, err := t.store.begin(ctx, t.name, t.version)
		if err != nil {
			return next, err
		}
		t.conn = again.conn
		if again.whole != nil || len(again.news) > 0 { // others were here
			return next, errors.New("the bank was changed by others in between")
		}
	}
}

// lookUp finds out whether a commit was made whose answer was lost. It waits for the end of the transaction.
func (t *databaseTurn) lookUp(made sandbox.StoredVersion, lost error) error {
	t.End()
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	now, err := t.store.begin(ctx, t.name, made)
	switch {
	case errors.Is(err, sandbox.ErrDeleted):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", sandbox.ErrUnsure, t.store.failed(lost))
	}
	defer now.End()
	if now.whole != nil { // it doesn't have the commit
		return t.store.failed(lost)
	}
	return nil
}

// Delete implements [sandbox.SharedTurn].
func (t *databaseTurn) Delete(ctx context.Context) error {
	batch := &pgx.Batch{}
	batch.Queue("DELETE FROM banks WHERE name = $1", t.name)
	batch.Queue("DELETE FROM rows WHERE bank = $1", t.version.Bank)
	batch.Queue("DELETE FROM log WHERE bank = $1", t.version.Bank)
	batch.Queue("COMMIT")
	if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
		return t.store.failed(err)
	}
	t.leave()
	return nil
}

// End implements [sandbox.SharedTurn].
func (t *databaseTurn) End() {
	if t.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	_, _ = t.conn.Exec(ctx, "ROLLBACK") // where that fails, the pool closes the connection, which is one, too
	t.leave()
}

func (t *databaseTurn) leave() {
	t.conn.Release()
	t.conn = nil
}

// change makes changes to a bank that lead to a version, and commits them.
func (t *databaseTurn) change(ctx context.Context, to sandbox.StoredVersion, changes []sandbox.StoredChanges, exchanges int) error {
	batch := &pgx.Batch{}
	send := func() error {
		queued := batch
		batch = &pgx.Batch{}
		return t.conn.SendBatch(ctx, queued).Close()
	}
	var last sandbox.StoredChanges
	for i, c := range changes {
		if c.Worlds != nil { // in place of what came before
			if err := send(); err != nil {
				return err
			}
		}
		for world, rows := range c.Worlds {
			if err := t.replaceWorld(ctx, to.Bank, world, rows); err != nil {
				return err
			}
		}
		if err := queueChange(batch, to, to.Seq-int64(len(changes)-1-i), c); err != nil {
			return err
		}
		if c.Meta != nil {
			last.Meta = c.Meta
		}
		if c.Start != nil {
			last.Start = c.Start
		}
		last.Newest = c.Newest
	}
	if last.Meta == nil { // what was only read may be forgotten if the database crashes
		batch.Queue("SET LOCAL synchronous_commit TO off")
	} else {
		batch.Queue("UPDATE banks SET meta = $2, start = COALESCE($3, start) WHERE name = $1", t.name, last.Meta, last.Start)
	}
	if to.Seq/trimEvery > (to.Seq-int64(len(changes)))/trimEvery {
		batch.Queue("DELETE FROM log WHERE bank = $1 AND (number + $2 <= $3 OR exchange IS NULL AND seq < $4)",
			to.Bank, exchanges, last.Newest, to.Seq-trimEvery)
	}
	batch.Queue("COMMIT")
	err := send()
	if err == nil {
		t.leave()
	}
	return err
}

// queueChange queues the statements for a change, and for its record with a number.
func queueChange(batch *pgx.Batch, to sandbox.StoredVersion, seq int64, c sandbox.StoredChanges) error {
	for _, row := range c.Rows {
		if row.Removed {
			batch.Queue("DELETE FROM rows WHERE bank = $1 AND world = $2 AND kind = $3 AND key = $4",
				to.Bank, sandbox.PresentWorld, row.Table, []byte(row.Key))
		} else {
			batch.Queue(`INSERT INTO rows (bank, world, kind, key, value) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (bank, world, kind, key) DO UPDATE SET value = excluded.value`,
				to.Bank, sandbox.PresentWorld, row.Table, []byte(row.Key), row.Value)
		}
	}
	if c.Restarts {
		batch.Queue("DELETE FROM log WHERE bank = $1", to.Bank)
	}
	var written []byte
	if len(c.Rows) > 0 {
		var err error
		if written, err = json.Marshal(c.Rows); err != nil {
			return err
		}
	}
	batch.Queue("INSERT INTO log (bank, seq, token, number, meta, rows, whole, exchange) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		to.Bank, seq, to.Token, c.Newest, c.Meta, written, c.Worlds != nil, packed(c.Exchange))
	return nil
}

// packed compresses an exchange: a record of more than two kilobytes takes the database half as long again.
func packed(exchange []byte) []byte {
	if exchange == nil {
		return nil
	}
	return s2.Encode(nil, exchange)
}

func unpacked(data []byte) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	return s2.Decode(nil, data)
}

// replaceWorld replaces all rows of a world.
func (t *databaseTurn) replaceWorld(ctx context.Context, bank int64, world string, rows []sim.StoredRow) error {
	if _, err := t.conn.Exec(ctx, "DELETE FROM rows WHERE bank = $1 AND world = $2", bank, world); err != nil {
		return err
	}
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{"rows"}, []string{"bank", "world", "kind", "key", "value"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			return []any{bank, world, rows[i].Table, []byte(rows[i].Key), rows[i].Value}, nil
		}))
	return err
}

// Conflicts implements [sandbox.SharedStore].
func (d *Database) Conflicts() uint64 { return d.conflicts.Load() }

// Place implements [sandbox.SharedStore].
func (d *Database) Place() string { return d.place }

// Close implements [sandbox.SharedStore].
func (d *Database) Close() error {
	d.pool.Close()
	return nil
}

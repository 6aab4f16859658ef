package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/s2"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Postgres keeps banks in a PostgreSQL database that any number of processes share. A commit is one statement: it
// changes the head of the bank if that is still at the base version, and nothing otherwise. So no transaction stays
// open while a process works.
type Postgres struct {
	pool      *pgxpool.Pool
	place     string // for people
	schema    string
	exists    bool        // whether no tables are created
	key       []byte      // of fingerprints
	isFailing atomic.Bool // whether the last commit failed
}

// OpenPostgres opens the database of an address, and creates its tables if they aren't there. It fails if another
// version has written them. Its errors have no user and no password.
func OpenPostgres(ctx context.Context, a Address) (*Postgres, error) {
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	p := &Postgres{place: a.String(), schema: a.schema, exists: a.exists}
	cfg := a.config.Copy()
	isPooled, err := isBehindPooler(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, p.failed(err)
	}
	if isPooled { // one statement may be prepared on a connection, and the next one run on another
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if p.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, p.failed(err)
	}
	err = p.openTables(ctx)
	if err == nil {
		err = p.openKey(ctx)
	}
	if err != nil {
		p.pool.Close()
		return nil, err
	}
	return p, nil
}

// isBehindPooler reports whether a pooler such as PgBouncer is between this process and the database: then the
// process that answers is not the one that the connection was opened to.
func isBehindPooler(ctx context.Context, cfg *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	var answering uint32
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&answering)
	return answering != conn.PgConn().PID(), err
}

// openTables creates the tables in one transaction if they are missing, and refuses tables of another format.
func (p *Postgres) openTables(ctx context.Context) error {
	found := 0
	err := p.pool.QueryRow(ctx, p.statement(readFormat)).Scan(&found)
	if codeOf(err) == undefinedTable && p.exists {
		return fmt.Errorf("%s %w", p.place, ErrNoBanks)
	}
	if codeOf(err) == undefinedTable {
		err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
			if err := p.createTables(ctx, tx); err != nil {
				return err
			}
			return tx.QueryRow(ctx, p.statement(readFormat)).Scan(&found)
		})
	}
	if err != nil {
		return p.failed(err)
	}
	return refuseFormat("the "+p.place, found, "name another schema (?search_path=NAME) to begin with new banks")
}

// openKey reads the key of fingerprints, which is made at first. Tables of an earlier version have no column for it.
func (p *Postgres) openKey(ctx context.Context) error {
	err := p.pool.QueryRow(ctx, p.statement(readKey)).Scan(&p.key)
	if p.key == nil && (err == nil || codeOf(err) == undefinedColumn) {
		err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockTables); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, p.statement(addKey)); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, p.statement(setKey), redact.NewKey()); err != nil {
				return err
			}
			return tx.QueryRow(ctx, p.statement(readKey)).Scan(&p.key)
		})
	}
	return p.failed(err)
}

// FingerprintKey returns the key that is stored with the banks.
func (p *Postgres) FingerprintKey() []byte { return p.key }

// SetFingerprintKey replaces the key, before there are banks.
func (p *Postgres) SetFingerprintKey(ctx context.Context, key []byte) error {
	p.key = key
	_, err := p.pool.Exec(ctx, p.statement(replaceKey), key)
	return p.failed(err)
}

// createTables creates the tables. Processes may start at the same time.
func (p *Postgres) createTables(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, lockTables); err != nil {
		return err
	}
	var isThere bool
	if err := tx.QueryRow(ctx, isSchema, p.schema).Scan(&isThere); err != nil {
		return err
	}
	statements := tables
	if !isThere {
		statements = append([]string{createSchema}, tables...)
	}
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, p.statement(statement)); err != nil {
			return err
		}
	}
	return nil
}

// Location implements [sandbox.Store].
func (p *Postgres) Location() string { return p.place }

// Shared implements [sandbox.Store].
func (p *Postgres) Shared() bool { return true }

// Close closes the connections.
func (p *Postgres) Close() error {
	p.pool.Close()
	return nil
}

// Check implements [sandbox.Store].
func (p *Postgres) Check(ctx context.Context) error {
	statement := readFormat
	if p.isFailing.Load() {
		statement = touchFormat
	}
	_, err := p.pool.Exec(ctx, p.statement(statement))
	if err == nil {
		p.isFailing.Store(false)
	}
	return p.failed(err)
}

// statement returns a statement with the name of the schema.
func (p *Postgres) statement(text string) string {
	return strings.ReplaceAll(text, "$S", pgx.Identifier{p.schema}.Sanitize())
}

// failed rewrites an error for people, without secrets.
func (p *Postgres) failed(err error) error { return explain(p.place, err) }

// codeOf returns the SQLSTATE of an error of the database, or an empty text if it is another error.
func codeOf(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// The SQLSTATE of errors that have a meaning here.
const (
	undefinedTable       = "42P01"
	undefinedColumn      = "42703"
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlock             = "40P01"
	lockNotAvailable     = "55P03"
)

// List implements [sandbox.Store].
func (p *Postgres) List(ctx context.Context) ([]sandbox.Head, error) {
	rows, _ := p.pool.Query(ctx, p.statement(list)) // the rows have the error, too
	heads, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (head sandbox.Head, err error) {
		var data []byte
		err = row.Scan(&head.Name, &head.Version.Bank, &head.Version.Seq, &head.Version.Token, &data)
		if err == nil {
			head.Description, err = descriptionIn(data)
		}
		return head, err
	})
	return heads, p.failed(err)
}

// Load implements [sandbox.Store].
func (p *Postgres) Load(ctx context.Context, name string) (b sandbox.Bank, err error) {
	err = p.atOneMoment(ctx, func(tx pgx.Tx) (err error) {
		if b, err = p.head(ctx, tx, name); err != nil {
			return err
		}
		b.Worlds = map[sandbox.WorldID][]sim.StoredRow{}
		for _, id := range []sandbox.WorldID{sandbox.OwnRows, b.Present} {
			if b.Worlds[id], err = p.rows(ctx, tx, b.Version, id); err != nil {
				return err
			}
		}
		return nil
	})
	return b, err
}

// Export implements [sandbox.Store].
func (p *Postgres) Export(ctx context.Context, name string, fn func(sandbox.Bank, sandbox.Rows) error) error {
	var failure error
	err := p.atOneMoment(ctx, func(tx pgx.Tx) error {
		b, err := p.head(ctx, tx, name)
		if err != nil {
			return err
		}
		failure = fn(b, func(yield func(sandbox.Row, error) bool) {
			found, _ := tx.Query(ctx, p.statement(readAll), b.Version.Bank) // the rows have the error, too
			defer found.Close()
			for found.Next() {
				var row sandbox.Row
				var key, value []byte
				err := found.Scan(&row.World, &row.Table, &key, &value)
				row.Key, row.Value = string(key), value
				if !yield(row, p.failed(err)) {
					return
				}
			}
			if err := found.Err(); err != nil {
				yield(sandbox.Row{}, p.failed(err))
			}
		})
		return nil
	})
	return cmp.Or(err, failure)
}

// atOneMoment reads the banks of one moment, and keeps others from nothing. It fails with ErrNoSandbox if fn finds no
// row.
func (p *Postgres) atOneMoment(ctx context.Context, fn func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, p.pool, options, fn)
	if errors.Is(err, pgx.ErrNoRows) {
		return sandbox.ErrNoSandbox
	}
	return p.failed(err)
}

// head reads a bank without its rows.
func (p *Postgres) head(ctx context.Context, tx pgx.Tx, name string) (b sandbox.Bank, err error) {
	var data []byte
	err = tx.QueryRow(ctx, p.statement(loadHead), name).Scan(
		&b.Version.Bank, &b.Version.Seq, &b.Version.Token, &b.Present, &b.Journal, &b.Last, &b.Scenario, &data)
	if err != nil {
		return b, err
	}
	if b.Description, err = descriptionIn(data); err != nil {
		return b, err
	}
	b.Exchanges, err = p.exchanges(ctx, tx, b.Version.Bank, 0)
	return b, err
}

// querier is a connection, a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

func (p *Postgres) rows(
	ctx context.Context, q querier, v sandbox.Version, id sandbox.WorldID,
) ([]sim.StoredRow, error) {
	found, _ := q.Query(ctx, p.statement(readWorld), v.Bank, id) // the rows have the error, too
	return pgx.CollectRows(found, func(row pgx.CollectableRow) (stored sim.StoredRow, err error) {
		var key, value []byte
		err = row.Scan(&stored.Table, &key, &value)
		stored.Key, stored.Value = string(key), value
		return stored, err
	})
}

func (p *Postgres) exchanges(
	ctx context.Context, q querier, bank int64, after uint64,
) ([]sandbox.NumberedExchange, error) {
	found, _ := q.Query(ctx, p.statement(readExchanges), bank, int64(after)) // the rows have the error, too
	return pgx.CollectRows(found, func(row pgx.CollectableRow) (x sandbox.NumberedExchange, err error) {
		var packed []byte
		if err = row.Scan(&x.Number, &packed); err == nil {
			x.Data, err = s2.Decode(nil, packed)
		}
		return x, err
	})
}

// World implements [sandbox.Store].
func (p *Postgres) World(
	ctx context.Context, _ string, v sandbox.Version, id sandbox.WorldID,
) ([]sim.StoredRow, error) {
	rows, err := p.rows(ctx, p.pool, v, id)
	return rows, p.failed(err)
}

// Create implements [sandbox.Store]. Only a process that creates a bank of the same name waits for it.
func (p *Postgres) Create(
	ctx context.Context, name string, b sandbox.Bank, rows sandbox.Rows,
) (sandbox.Version, error) {
	v := sandbox.Version{Bank: rand.Int64(), Seq: 1, Token: rand.Int64()}
	data, err := json.Marshal(logRecord{Description: b.Description})
	if err != nil {
		return v, err
	}
	var failure error // of the rows, which are none of the database's errors
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, p.statement(createBank), name, v.Bank, b.Scenario); err != nil {
			return err
		}
		if failure, err = p.copyRows(ctx, tx, v, rows); err != nil {
			return err
		}
		if err := p.copyExchanges(ctx, tx, v, b); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, p.statement(createHead),
			v.Bank, v.Seq, v.Token, b.Present, int64(b.Journal), data, int64(b.Last))
		return err
	})
	switch {
	case err == nil:
		return v, nil
	case failure != nil:
		return v, failure
	case codeOf(err) == uniqueViolation:
		return v, sandbox.ErrTaken
	}
	return v, p.resolveLostCreate(v, err)
}

// copier is a connection or a transaction.
type copier interface {
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// copyRows stores rows. failure is the error of the rows themselves: then err is one, too.
func (p *Postgres) copyRows(
	ctx context.Context, to copier, v sandbox.Version, rows sandbox.Rows,
) (failure, err error) {
	next, stop := iter.Pull2(iter.Seq2[sandbox.Row, error](rows))
	defer stop()
	_, err = to.CopyFrom(ctx, pgx.Identifier{p.schema, "rows"}, []string{"bank", "world", "kind", "key", "value"},
		pgx.CopyFromFunc(func() ([]any, error) {
			row, err, ok := next()
			if !ok || err != nil {
				failure = err
				return nil, err
			}
			return []any{v.Bank, int64(row.World), row.Table, []byte(row.Key), []byte(row.Value)}, nil
		}))
	return failure, err
}

func (p *Postgres) copyExchanges(ctx context.Context, to copier, v sandbox.Version, b sandbox.Bank) error {
	_, err := to.CopyFrom(ctx, pgx.Identifier{p.schema, "exchanges"}, []string{"bank", "journal", "number", "data"},
		pgx.CopyFromSlice(len(b.Exchanges), func(i int) ([]any, error) {
			x := b.Exchanges[i]
			return []any{v.Bank, int64(b.Journal), int64(x.Number), s2.Encode(nil, x.Data)}, nil
		}))
	return err
}

// Stage implements [sandbox.Store]. It locks nothing.
func (p *Postgres) Stage(ctx context.Context, _ string, v sandbox.Version, rows sandbox.Rows) error {
	failure, err := p.copyRows(ctx, p.pool, v, rows)
	return cmp.Or(failure, p.failed(err))
}

// Drop implements [sandbox.Store].
func (p *Postgres) Drop(ctx context.Context, _ string, v sandbox.Version, ids ...sandbox.WorldID) error {
	_, err := p.pool.Exec(ctx, p.statement(dropWorlds), v.Bank, ids)
	return p.failed(err)
}

// Delete implements [sandbox.Store]. It deletes the head first, so the bank is gone at once; then its rows. After a
// lost answer it deletes again: then the bank is gone in any case.
func (p *Postgres) Delete(ctx context.Context, _ string, v sandbox.Version) error {
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	isThere, lost := p.deleteHeadOf(ctx, v)
	for pause := firstPause; lost != nil && !wasNotSent(lost) && !wasRefused(lost); pause = min(2*pause, longestPause) {
		if !waitFor(looking, pause) {
			return fmt.Errorf("%w: %w", sandbox.ErrUnsure, p.failed(lost))
		}
		_, lost = p.deleteHeadOf(looking, v)
		isThere = true // or it was, before the first attempt
	}
	switch {
	case lost != nil:
		return p.failed(lost)
	case !isThere:
		return sandbox.ErrDeleted
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), worldTimeout)
	defer cancel()
	for _, statement := range deleteRest {
		_, _ = p.pool.Exec(ctx, p.statement(statement), v.Bank) // rows that stay belong to no bank
	}
	return nil
}

// deleteHeadOf deletes a bank without its rows, and reports whether it was there.
func (p *Postgres) deleteHeadOf(ctx context.Context, v sandbox.Version) (isThere bool, err error) {
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		head, err := tx.Exec(ctx, p.statement(deleteHead), v.Bank)
		if err == nil {
			_, err = tx.Exec(ctx, p.statement(deleteBank), v.Bank)
		}
		isThere = head.RowsAffected() > 0
		return err
	})
	return isThere, err
}

// logRecord is a change in the log, as JSON. The newest record of a bank has its description.
type logRecord struct {
	Description json.RawMessage `json:"description"`
	Rows        []sandbox.Row   `json:"rows,omitempty"`
}

func descriptionIn(record []byte) (json.RawMessage, error) {
	var r logRecord
	err := json.Unmarshal(record, &r)
	return r.Description, err
}

package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/s2"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Choices about commits.
const (
	worldTimeout = time.Minute // for creating the tables, and for the rows of a bank

	// lookTimeout is how long the store looks whether a commit was made whose answer was lost.
	lookTimeout  = 5 * time.Second
	firstPause   = 10 * time.Millisecond // between two looks; it doubles
	longestPause = 500 * time.Millisecond

	followLimit = 8192  // changes that are followed; after more of them the bank is loaded
	logLimit    = 16384 // changes that the log keeps: others make thousands while a large bank is loaded
	trimEvery   = 256   // changes or exchanges after which old ones are deleted
)

// Commit implements [sandbox.Store].
func (p *Postgres) Commit(
	ctx context.Context, _ string, base sandbox.Version, b sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	c, err := newCommit(base, b)
	if err != nil {
		return base, 0, err
	}
	newest, err := p.send(ctx, p.pool, c, "")
	if err != nil && !errors.Is(err, sandbox.ErrConflict) {
		newest, err = p.resolveLostCommit(c, err)
	}
	return p.committed(c, newest, err)
}

// committed returns the outcome of a commit, given the number of its newest exchange.
func (p *Postgres) committed(c *commit, newest uint64, err error) (next sandbox.Version, first uint64, _ error) {
	isOutcome := err == nil || errors.Is(err, sandbox.ErrConflict) || errors.Is(err, sandbox.ErrDeleted)
	p.isFailing.Store(!isOutcome)
	if err != nil {
		return c.base, 0, err
	}
	p.trim(c, newest)
	return c.next, c.first(newest), nil
}

// commit is a Batch, encoded for PostgreSQL.
type commit struct {
	base, next sandbox.Version
	batch      sandbox.Batch
	change     []byte   // in JSON
	exchanges  [][]byte // compressed
}

func newCommit(base sandbox.Version, b sandbox.Batch) (c *commit, err error) {
	c = &commit{base: base, next: base, batch: b}
	if b.Change != nil {
		c.next.Seq, c.next.Token = base.Seq+1, rand.Int64()
		if c.change, err = json.Marshal(logRecord{b.Change.Description, b.Change.Rows}); err != nil {
			return nil, err
		}
	}
	for _, data := range b.Exchanges {
		c.exchanges = append(c.exchanges, s2.Encode(nil, data))
	}
	return c, nil
}

// first returns the number of the first exchange, if the newest one has a number.
func (c *commit) first(newest uint64) uint64 { return newest - uint64(len(c.exchanges)) + 1 }

// columns are rows of a commit.
type columns struct {
	worlds       []int64
	kinds        []string
	keys, values [][]byte
}

func (c *columns) add(row sandbox.Row) {
	c.worlds, c.kinds = append(c.worlds, int64(row.World)), append(c.kinds, row.Table)
	c.keys, c.values = append(c.keys, []byte(row.Key)), append(c.values, []byte(row.Value))
}

func (c *commit) rows() (put, removed columns) {
	for _, row := range c.batch.Change.Rows {
		if row.Removed {
			removed.add(row)
		} else {
			put.add(row)
		}
	}
	return put, removed
}

// send sends a commit, and a last statement if there is one. It returns the number of the newest exchange. It fails
// with ErrConflict if the bank is at another version. After another error, the commit may have been made.
func (p *Postgres) send(ctx context.Context, q querier, c *commit, last string) (newest uint64, err error) {
	statements := &pgx.Batch{} // one transaction
	base := []any{c.base.Bank, c.base.Seq, c.base.Token, int64(len(c.exchanges))}
	scan := func(row pgx.Row) error { return row.Scan(&newest) }
	if change := c.batch.Change; change == nil {
		statements.Queue(p.statement(commitReads), append(base, c.exchanges)...).QueryRow(scan)
	} else {
		put, removed := c.rows()
		statements.Queue(p.statement(commitChange), append(base, c.next.Token, int64(c.batch.Present),
			int64(c.batch.Journal), change.Whole, c.change, c.exchanges,
			put.worlds, put.kinds, put.keys, put.values)...).QueryRow(scan)
		if len(removed.keys) > 0 {
			statements.Queue(p.statement(removeRows), c.base.Bank, c.next.Token,
				removed.worlds, removed.kinds, removed.keys)
		}
		if change.Scenario != nil {
			statements.Queue(p.statement(replaceScenario), c.base.Bank, c.next.Token, change.Scenario)
		}
	}
	if last != "" {
		statements.Queue(last)
	}
	err = q.SendBatch(ctx, statements).Close()
	switch code := codeOf(err); {
	case errors.Is(err, pgx.ErrNoRows), code == lockNotAvailable, code == serializationFailure, code == deadlock:
		return 0, sandbox.ErrConflict
	}
	return newest, err
}

// resolveLostCommit finds out whether a commit was made that has failed with an error, and returns the number of its
// newest exchange. Most errors may hide a commit: the server can end the connection after it has committed. So
// resolveLostCommit commits an empty change on the same base, so that the lost commit can't arrive later. If that is
// refused, the log says whose token the next version has.
func (p *Postgres) resolveLostCommit(c *commit, lost error) (newest uint64, err error) {
	// A read changes nothing, though its exchange may be there.
	if c.change == nil || wasNotSent(lost) || wasRefused(lost) {
		return 0, p.failed(lost)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	token := rand.Int64()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		newest, isCommitted, err := p.fenceAndRead(ctx, c, token)
		switch {
		case err == nil && isCommitted:
			return newest, nil
		case err == nil:
			return 0, p.failed(lost)
		case errors.Is(err, sandbox.ErrDeleted), errors.Is(err, sandbox.ErrUnsure):
			return 0, err
		case !waitFor(ctx, pause):
			return 0, fmt.Errorf("%w: %w", sandbox.ErrUnsure, p.failed(lost))
		}
	}
}

// waitFor waits, and reports whether the context has not ended before.
func waitFor(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// fenceAndRead reports whether a commit was made, and the number of its newest exchange.
func (p *Postgres) fenceAndRead(
	ctx context.Context, c *commit, token int64,
) (newest uint64, isCommitted bool, err error) {
	if _, err = p.pool.Exec(ctx, p.statement(fence), c.base.Bank, c.base.Seq, c.base.Token, token); err != nil {
		return 0, false, err
	}
	var next int64
	err = p.pool.QueryRow(ctx, p.statement(tokenAt), c.base.Bank, c.next.Seq).Scan(&next, &newest)
	if !errors.Is(err, pgx.ErrNoRows) {
		return newest, next == c.next.Token, err
	}
	exists, err := p.bankExists(ctx, c.base)
	switch {
	case err != nil:
		return 0, false, err
	case !exists:
		return 0, false, sandbox.ErrDeleted
	}
	return 0, false, sandbox.ErrUnsure // so much has happened that the log has no record of that version any more
}

func (p *Postgres) bankExists(ctx context.Context, v sandbox.Version) (exists bool, err error) {
	err = p.pool.QueryRow(ctx, p.statement(isBank), v.Bank).Scan(&exists)
	return exists, err
}

// wasNotSent reports whether an error came before the database was sent anything. The driver says that also of a
// connection that was closed before the answer came.
func wasNotSent(err error) bool {
	var connect *pgconn.ConnectError
	return pgconn.SafeToRetry(err) && !errors.Is(err, pgconn.ErrConnClosed) || errors.As(err, &connect)
}

// wasRefused reports whether the database has refused a statement, and so has undone the transaction. A connection
// that ends with a message may end after the commit. PgBouncer says 08P01 if it has lost its own connection.
func wasRefused(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && cmp.Or(server.SeverityUnlocalized, server.Severity) == "ERROR" &&
		!strings.HasPrefix(server.Code, "08")
}

// resolveLostCreate returns the error of a creation that has failed, or nil if the bank is there all the same.
func (p *Postgres) resolveLostCreate(v sandbox.Version, lost error) error {
	if wasNotSent(lost) || wasRefused(lost) {
		return p.failed(lost)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	if exists, err := p.bankExists(ctx, v); err != nil || !exists {
		return fmt.Errorf("%w: %w", sandbox.ErrUnsure, p.failed(lost))
	}
	return nil
}

// trim deletes what the log and the journal of a bank have too much, now and then. What stays is deleted the next time.
func (p *Postgres) trim(c *commit, newest uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	exec := func(text string, args ...any) { _, _ = p.pool.Exec(ctx, p.statement(text), args...) }
	if c.change != nil && c.next.Seq%trimEvery == 0 && c.next.Seq > logLimit {
		exec(trimLog, c.base.Bank, c.next.Seq-logLimit, trimEvery)
	}
	n, kept := uint64(len(c.exchanges)), uint64(c.batch.Keep)
	if newest/trimEvery > (newest-n)/trimEvery && newest > kept {
		exec(trimExchanges, c.base.Bank, int64(c.batch.Journal), int64(newest-kept), trimEvery)
	}
	if c.change != nil && c.batch.Change.Whole {
		exec(trimJournals, c.base.Bank, int64(c.batch.Journal))
	}
}

// Follow implements [sandbox.Store].
func (p *Postgres) Follow(
	ctx context.Context, _ string, since sandbox.Version, after uint64,
) (sandbox.News, error) {
	// The rows have the error of the query, too.
	found, _ := p.pool.Query(ctx, p.statement(follow), since.Bank, since.Seq, followLimit)
	news, err := readNews(found, since)
	switch {
	case errors.Is(err, sandbox.ErrTooOld), errors.Is(err, sandbox.ErrDeleted):
		return news, err
	case err != nil:
		return news, p.failed(err)
	case after == sandbox.NoExchanges:
		return news, nil
	}
	news.Exchanges, err = p.exchanges(ctx, p.pool, since.Bank, after)
	return news, p.failed(err)
}

// readNews reads the head of a bank and the records since a version. It fails with ErrDeleted, or with ErrTooOld if the
// records don't lead from the version to the head one after the other.
func readNews(found pgx.Rows, since sandbox.Version) (news sandbox.News, err error) {
	news.Version = since
	seen, isKnown, isThere := since, true, false
	var seq, before, token *int64
	var whole *bool
	var data []byte
	_, err = pgx.ForEachRow(found, []any{
		&news.Version.Seq, &news.Version.Token, &news.Last, &seq, &before, &token, &whole, &data,
	}, func() error {
		isThere = true
		if seq == nil { // nothing has changed
			return nil
		}
		isKnown = isKnown && *seq == seen.Seq+1 && *before == seen.Token && !*whole
		seen.Seq, seen.Token = *seq, *token
		var r logRecord
		err := json.Unmarshal(data, &r)
		news.Changes = append(news.Changes, sandbox.Change{Description: r.Description, Rows: r.Rows})
		return err
	})
	switch {
	case err != nil:
		return news, err
	case !isThere:
		return news, sandbox.ErrDeleted
	case !isKnown || seen != news.Version:
		return news, sandbox.ErrTooOld
	}
	return news, nil
}

// Locked implements [sandbox.Store]. Others wait until fn has committed or returned, but for no longer than the
// database lets a transaction idle.
func (p *Postgres) Locked(
	ctx context.Context, _ string, v sandbox.Version, fn func(sandbox.Store) error,
) error {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return p.failed(err)
	}
	locked := &lockedPostgres{Postgres: p, conn: conn, since: v}
	defer locked.end(ctx)
	begin := &pgx.Batch{}                               // one round trip
	begin.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // each statement sees what came before the lock
	begin.Queue(p.statement(lock), v.Bank)
	begin.Queue(p.statement(follow), v.Bank, v.Seq, followLimit).Query(func(found pgx.Rows) error {
		locked.news, locked.err = readNews(found, v)
		return nil
	})
	err = conn.SendBatch(ctx, begin).Close()
	switch {
	case codeOf(err) == lockNotAvailable:
		return sandbox.ErrConflict
	case err != nil:
		return p.failed(err)
	}
	return fn(locked)
}

// lockedPostgres is a store with a transaction that has locked the head of a bank.
type lockedPostgres struct {
	*Postgres
	conn  *pgxpool.Conn // or nil after the end of the transaction
	since sandbox.Version
	news  sandbox.News // since that version
	err   error        // in place of the news
}

// end ends the transaction, unless it was committed.
func (p *lockedPostgres) end(ctx context.Context) {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	_, _ = p.conn.Exec(ctx, "ROLLBACK") // if that fails, the pool closes the connection
	p.leave()
}

func (p *lockedPostgres) leave() {
	p.conn.Release()
	p.conn = nil
}

// Follow implements [sandbox.Store]. The news were read with the lock, without exchanges.
func (p *lockedPostgres) Follow(
	_ context.Context, _ string, since sandbox.Version, _ uint64,
) (sandbox.News, error) {
	switch {
	case since != p.since:
		return sandbox.News{}, sandbox.ErrConflict
	case errors.Is(p.err, sandbox.ErrTooOld), errors.Is(p.err, sandbox.ErrDeleted):
		return sandbox.News{}, p.err
	}
	return p.news, p.failed(p.err)
}

// Commit implements [sandbox.Store]. It ends the transaction.
func (p *lockedPostgres) Commit(
	ctx context.Context, _ string, base sandbox.Version, b sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	c, err := newCommit(base, b)
	if err != nil {
		return base, 0, err
	}
	newest, err := p.send(ctx, p.conn, c, "COMMIT")
	if err == nil {
		p.leave()
	} else {
		p.end(ctx) // else the look would wait for the lock
		if !errors.Is(err, sandbox.ErrConflict) {
			newest, err = p.resolveLostCommit(c, err)
		}
	}
	return p.committed(c, newest, err)
}

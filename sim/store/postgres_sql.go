package store

// Statements name their tables with $S, the schema: see [Postgres.statement]. A pooler gives the next statement another
// connection, with settings of its own, so names have to be qualified.

// tables creates the tables of format 2.
var tables = []string{
	"CREATE TABLE IF NOT EXISTS $S.format (number bigint PRIMARY KEY)",
	`CREATE TABLE IF NOT EXISTS $S.banks (name text PRIMARY KEY, id bigint NOT NULL UNIQUE, scenario bytea NOT NULL)`,
	// Each commit updates a head. It is narrow, and its page has room for new versions of it.
	`CREATE TABLE IF NOT EXISTS $S.heads (
		bank bigint PRIMARY KEY, seq bigint NOT NULL, token bigint NOT NULL, world bigint NOT NULL,
		journal bigint NOT NULL, next bigint NOT NULL) WITH (fillfactor = 10)`,
	// A record for each change, with the token of the one before. The newest has the description of the bank.
	`CREATE TABLE IF NOT EXISTS $S.log (
		bank bigint, seq bigint, before bigint NOT NULL, token bigint NOT NULL, whole boolean NOT NULL,
		number bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (bank, seq))`,
	`CREATE TABLE IF NOT EXISTS $S.rows (
		bank bigint, world bigint, kind text, key bytea, value bytea NOT NULL, PRIMARY KEY (bank, world, kind, key))`,
	`CREATE TABLE IF NOT EXISTS $S.exchanges (
		bank bigint, journal bigint, number bigint, data bytea NOT NULL, PRIMARY KEY (bank, journal, number))
		WITH (toast_tuple_target = 8160)`,
	"ALTER TABLE $S.exchanges ALTER COLUMN data SET STORAGE EXTERNAL", // it is compressed already
	"INSERT INTO $S.format SELECT 2 WHERE NOT EXISTS (SELECT FROM $S.format)",
}

// Statements that create the schema, one process at a time. It may be there, and the user without the right to create
// one.
const (
	lockTables   = "SELECT pg_advisory_xact_lock(7065766369)"
	isSchema     = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)"
	createSchema = "CREATE SCHEMA $S"
)

// setLimits bounds how long the transaction waits for locks, and how long a process that has stopped in it keeps others
// from the bank.
const setLimits = `set_config('lock_timeout', '2s', true),
	set_config('idle_in_transaction_session_timeout', '2s', true)`

const (
	readFormat  = "SELECT number FROM $S.format"
	readKey     = "SELECT fingerprints FROM $S.format"
	addKey      = "ALTER TABLE $S.format ADD COLUMN IF NOT EXISTS fingerprints bytea"
	setKey      = "UPDATE $S.format SET fingerprints = $1 WHERE fingerprints IS NULL"
	replaceKey  = "UPDATE $S.format SET fingerprints = $1"
	touchFormat = "UPDATE $S.format SET number = number"
	list        = `SELECT b.name, h.bank, h.seq, h.token, l.data FROM $S.banks b JOIN $S.heads h ON h.bank = b.id
	JOIN $S.log l ON l.bank = h.bank AND l.seq = h.seq ORDER BY b.name`
	loadHead = `SELECT h.bank, h.seq, h.token, h.world, h.journal, h.next, b.scenario, l.data
	FROM $S.banks b JOIN $S.heads h ON h.bank = b.id JOIN $S.log l ON l.bank = h.bank AND l.seq = h.seq
	WHERE b.name = $1`
	readWorld     = "SELECT kind, key, value FROM $S.rows WHERE bank = $1 AND world = $2"
	readAll       = "SELECT world, kind, key, value FROM $S.rows WHERE bank = $1 ORDER BY world, kind, key"
	readExchanges = `SELECT x.number, x.data FROM $S.heads h
	JOIN $S.exchanges x ON x.bank = h.bank AND x.journal = h.journal AND x.number > $2
	WHERE h.bank = $1 ORDER BY x.number`
	createBank = "INSERT INTO $S.banks (name, id, scenario) VALUES ($1, $2, $3)"
	createHead = `WITH head AS (INSERT INTO $S.heads (bank, seq, token, world, journal, next)
		VALUES ($1, $2, $3, $4, $5, $7) RETURNING bank)
	INSERT INTO $S.log (bank, seq, before, token, whole, number, data)
	SELECT bank, $2, 0, $3, true, 0, $6::bytea FROM head`
	dropWorlds = "DELETE FROM $S.rows WHERE bank = $1 AND world = ANY($2::bigint[])"
	deleteHead = "DELETE FROM $S.heads WHERE bank = $1"
	deleteBank = "DELETE FROM $S.banks WHERE id = $1"

	// What was only read may be forgotten if the database crashes.
	commitReads = `WITH settings AS (
		SELECT ` + setLimits + `, set_config('synchronous_commit', 'off', true)),
	head AS (UPDATE $S.heads SET next = next + $4 FROM settings
		WHERE bank = $1 AND seq = $2 AND token = $3 RETURNING journal, next),
	added AS (INSERT INTO $S.exchanges (bank, journal, number, data)
		SELECT $1, head.journal, head.next - $4 + x.place, x.data
		FROM head, unnest($5::bytea[]) WITH ORDINALITY AS x(data, place))
	SELECT next FROM head`
	// $4 exchanges, $5 the token of the change, $6 the world, $7 the journal.
	commitChange = `WITH settings AS (SELECT ` + setLimits + `),
	head AS (UPDATE $S.heads SET seq = seq + 1, token = $5, world = $6, journal = $7,
			next = CASE journal WHEN $7 THEN next ELSE 0 END + $4
		FROM settings WHERE bank = $1 AND seq = $2 AND token = $3 RETURNING next),
	logged AS (INSERT INTO $S.log (bank, seq, before, token, whole, number, data)
		SELECT $1, $2 + 1, $3, $5, $8::boolean, head.next, $9::bytea FROM head),
	added AS (INSERT INTO $S.exchanges (bank, journal, number, data)
		SELECT $1, $7, head.next - $4 + x.place, x.data
		FROM head, unnest($10::bytea[]) WITH ORDINALITY AS x(data, place)),
	put AS (INSERT INTO $S.rows (bank, world, kind, key, value)
		SELECT $1, r.world, r.kind, r.key, r.value
		FROM head, unnest($11::bigint[], $12::text[], $13::bytea[], $14::bytea[]) AS r(world, kind, key, value)
		ON CONFLICT (bank, world, kind, key) DO UPDATE SET value = excluded.value)
	SELECT next FROM head`

	// These follow commitChange in the same transaction, and do nothing if it found another version.
	removeRows = `DELETE FROM $S.rows r USING unnest($3::bigint[], $4::text[], $5::bytea[]) AS gone(world, kind, key)
	WHERE r.bank = $1 AND r.world = gone.world AND r.kind = gone.kind AND r.key = gone.key
		AND EXISTS (SELECT FROM $S.heads WHERE bank = $1 AND token = $2)`
	replaceScenario = `UPDATE $S.banks SET scenario = $3 WHERE id = $1
	AND EXISTS (SELECT FROM $S.heads WHERE bank = $1 AND token = $2)`

	lock = "SELECT " + setLimits + " FROM $S.heads WHERE bank = $1 FOR UPDATE"
	// Two bounds: with one, PostgreSQL reads the whole table.
	follow = `SELECT h.seq, h.token, h.next, l.seq, l.before, l.token, l.whole, l.data
	FROM $S.heads h LEFT JOIN $S.log l ON l.bank = h.bank AND l.seq > $2 AND l.seq <= $2 + $3
	WHERE h.bank = $1 ORDER BY l.seq`

	// A change of nothing. It repeats the record of the base version, whose rows are there already.
	fence = `WITH head AS (UPDATE $S.heads SET seq = seq + 1, token = $4
		WHERE bank = $1 AND seq = $2 AND token = $3 RETURNING next)
	INSERT INTO $S.log (bank, seq, before, token, whole, number, data)
	SELECT l.bank, l.seq + 1, $3, $4, l.whole, head.next, l.data FROM head, $S.log l WHERE l.bank = $1 AND l.seq = $2`
	tokenAt = "SELECT token, number FROM $S.log WHERE bank = $1 AND seq = $2"
	isBank  = "SELECT EXISTS (SELECT FROM $S.banks WHERE id = $1)"

	trimLog       = "DELETE FROM $S.log WHERE bank = $1 AND seq > $2 - 16 * $3 AND seq <= $2"
	trimExchanges = `DELETE FROM $S.exchanges WHERE bank = $1 AND journal = $2 AND number > $3 - 16 * $4
	AND number <= $3`
	trimJournals = "DELETE FROM $S.exchanges WHERE bank = $1 AND journal < $2"
)

// deleteRest deletes the log, the exchanges and the rows of a bank.
var deleteRest = []string{
	"DELETE FROM $S.log WHERE bank = $1",
	"DELETE FROM $S.exchanges WHERE bank = $1",
	"DELETE FROM $S.rows WHERE bank = $1",
}

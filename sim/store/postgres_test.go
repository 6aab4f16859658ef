package store_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// owned returns the URL of the tests' database, and a connection of its owner.
func owned(t *testing.T) (url string, owner *pgx.Conn) {
	t.Helper()
	url = os.Getenv("BANKSIM_POSTGRES")
	if url == "" {
		t.Skip("BANKSIM_POSTGRES has no URL of a PostgreSQL database, such as .ci/postgres starts")
	}
	owner, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	return url, owner
}

// openPostgres opens the database of a URL, and closes it at once.
func openPostgres(ctx context.Context, url string) error {
	address, err := store.ParseAddress(url)
	if err != nil {
		return err
	}
	p, err := store.OpenPostgres(ctx, address)
	if err != nil {
		return err
	}
	return p.Close()
}

// unique returns a name that no test has used.
func unique(prefix string) string { return fmt.Sprintf("%s%d", prefix, time.Now().UnixNano()) }

// newRole makes a role that may create schemas, and returns what executes SQL as the owner.
func newRole(t *testing.T, owner *pgx.Conn) (role string, exec func(sql string)) {
	t.Helper()
	exec = func(sql string) {
		t.Helper()
		_, err := owner.Exec(context.Background(), sql)
		require.NoError(t, err)
	}
	role = unique("role")
	exec("CREATE ROLE " + role + " LOGIN; GRANT CREATE ON DATABASE " + owner.Config().Database + " TO " + role)
	t.Cleanup(func() { exec("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role) })
	return role, exec
}

// A first start that fails leaves nothing behind. The next one creates all.
func TestPostgresIsCreatedWholly(t *testing.T) {
	t.Parallel()
	url, owner := owned(t)
	role, exec := newRole(t, owner)
	schema := role
	url = strings.Replace(url, owner.Config().User, role, 1) + "&search_path=" + schema
	for setting, code := range map[string]string{
		"default_tablespace = pg_global": "42501", // at the first table, after the schema
		"statement_timeout = 1":          "57014", // at any statement, or at the lock that the owner holds
	} {
		exec("ALTER ROLE " + role + " SET " + setting)
		exec("BEGIN")
		if code == "57014" {
			exec("SELECT pg_advisory_xact_lock(7065766369)")
		}
		var server *pgconn.PgError
		require.ErrorAs(t, openPostgres(t.Context(), url), &server, setting)
		require.Equal(t, code, server.Code, setting)
		exec("COMMIT")
		exec("ALTER ROLE " + role + " RESET ALL")
		var left int
		count := owner.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", schema)
		require.NoError(t, count.Scan(&left))
		require.Zero(t, left, "the schema after %s", setting)
	}
	require.NoError(t, openPostgres(t.Context(), url))
	require.NoError(t, openPostgres(t.Context(), url), "the tables are there")
}

// A change that the database was never sent, or that it refuses, is surely not made. Whoever wants it learns that at
// once.
func TestPostgresIsAway(t *testing.T) {
	t.Parallel()
	url, owner := owned(t)
	role, exec := newRole(t, owner)
	address, err := store.ParseAddress(strings.Replace(url, owner.Config().User, role, 1) + "&search_path=" + role)
	require.NoError(t, err)
	p, err := store.OpenPostgres(t.Context(), address)
	require.NoError(t, err)
	defer p.Close()
	b, change := newBank, putting(group("a", "1"))
	b.Description, change.Change.Description = []byte("{}"), []byte("{}") // in JSON
	v, err := p.Create(t.Context(), "one", b, rowsIn(present))
	require.NoError(t, err)

	for _, problem := range [][2]string{
		{"SET default_transaction_read_only = on", "it is read-only"}, // as on a standby
		{"NOLOGIN", "it doesn't accept the user"},
	} {
		exec("ALTER ROLE " + role + " " + problem[0])
		exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'")
		require.Eventually(t, func() bool { // it may still have connections that were ended
			err := p.Drop(t.Context(), "one", v)
			return err != nil && strings.Contains(err.Error(), problem[1])
		}, 10*time.Second, time.Millisecond)
		_, _, committed := p.Commit(t.Context(), "one", v, change)
		_, created := p.Create(t.Context(), "two", b, rowsIn(present))
		for _, err := range []error{committed, created, p.Delete(t.Context(), "one", v)} {
			assert.ErrorContains(t, err, problem[1])
			assert.NotErrorIs(t, err, sandbox.ErrUnsure)
		}
	}
}

// Of several replicas, one makes up for a reset that was missed. One whose clock is behind doesn't repeat the reset.
func TestReplicasResetOnce(t *testing.T) {
	t.Parallel()
	t.Run("missed", func(t *testing.T) { testReplicasReset(t, "2020-01-01T12:00:00Z", "resets", 2) })
	ahead := time.Now().UTC().Add(time.Minute).Format(time.RFC3339)
	t.Run("by a clock that is ahead", func(t *testing.T) { testReplicasReset(t, ahead, "", 1) })
}

// testReplicasReset starts replicas of a bank that began at a time.
func testReplicasReset(t *testing.T, began, by string, generation int) {
	t.Helper()
	url, _ := owned(t)
	address, err := store.ParseAddress(url + "&search_path=" + unique("resets"))
	require.NoError(t, err)
	p, err := store.OpenPostgres(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	sc := simtest.Scenario(t, "resets: {daily: '00:00'}\n"+simtest.FrozenRetail)
	wasCreated := regexp.MustCompile(`("created"|"since"):"[^"]+"`)
	err = sandbox.NewRegistry(sandbox.Config{Scenario: sc}).Export(t.Context(), "default",
		func(b sandbox.Bank, rows sandbox.Rows) error {
			b, err := sandbox.ForImport("default", b)
			require.NoError(t, err)
			b.Description = wasCreated.ReplaceAll(b.Description, []byte(`$1:"`+began+`"`))
			_, err = p.Create(t.Context(), "default", b, rows)
			return err
		})
	require.NoError(t, err)

	var replicas [3]*sandbox.Registry
	var starting sync.WaitGroup
	for i := range replicas {
		starting.Go(func() {
			r, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: sc}, p)
			assert.NoError(t, err)
			replicas[i] = r
		})
	}
	starting.Wait()
	for _, r := range replicas {
		defer r.Close()
		require.Eventually(t, func() bool {
			v, err := r.Default().Latest(t.Context())
			return err == nil && r.Default().InfoAt(v).LastReset.By == by
		}, 10*time.Second, time.Millisecond)
	}
	heads, err := p.List(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(heads[0].Description), fmt.Sprintf(`"generation":%d,`, generation))
}

// Processes that start at the same time on a new schema all start.
func TestPostgresIsCreatedOnce(t *testing.T) {
	t.Parallel()
	url, _ := owned(t)
	for range 10 {
		to := url + "&search_path=" + unique("once")
		var starting sync.WaitGroup
		for range 2 {
			starting.Go(func() { assert.NoError(t, openPostgres(t.Context(), to)) })
		}
		starting.Wait()
	}
}

// A database that another version has written is refused. The error says what to do.
func TestPostgresIsRefused(t *testing.T) {
	t.Parallel()
	url, owner := owned(t)
	for format, want := range map[int]string{
		3: "has format 3, and this version reads format 2: use a newer version",
		1: "has format 1, and this version reads format 2 alone: save each bank with the version that wrote it " +
			"(GET /v1/sandboxes/NAME/state?format=scenario of the control API), " +
			"and name another schema (?search_path=NAME) to begin with new banks",
	} {
		schema := unique("format")
		_, err := owner.Exec(t.Context(), fmt.Sprintf("CREATE SCHEMA %[1]s; "+
			"CREATE TABLE %[1]s.format (number bigint PRIMARY KEY); "+
			"INSERT INTO %[1]s.format VALUES (%[2]d)", schema, format))
		require.NoError(t, err)
		to := owner.Config()
		assert.EqualError(t, openPostgres(t.Context(), url+"&search_path="+schema),
			fmt.Sprintf("the database %s of %s:%d, schema %s %s", to.Database, to.Host, to.Port, schema, want))
	}
}

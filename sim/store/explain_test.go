package store

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is a database server that refuses all connections.
type server struct {
	// Without a certificate, the server refuses TLS.
	certificate *tls.Certificate
	// Without a refusal, the server closes the connection.
	refusal      func(encrypted bool) *pgproto3.ErrorResponse
	asksPassword bool // first
}

// start returns the address of a server that listens until the end of the test.
func (s server) start(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.answer(conn)
		}
	}()
	return listener.Addr().String()
}

func (s server) answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	encrypted := false
	for {
		backend := pgproto3.NewBackend(conn, conn)
		message, err := backend.ReceiveStartupMessage()
		if err != nil {
			return
		}
		if _, ok := message.(*pgproto3.SSLRequest); !ok {
			if s.asksPassword {
				backend.Send(&pgproto3.AuthenticationCleartextPassword{})
				_ = backend.Flush()
			}
			if s.refusal != nil {
				backend.Send(s.refusal(encrypted))
				_ = backend.Flush()
			}
			return
		}
		if s.certificate == nil {
			_, _ = conn.Write([]byte("N"))
			continue
		}
		_, _ = conn.Write([]byte("S"))
		conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{*s.certificate}})
		encrypted = true
	}
}

// refusing is a server's answer with an SQLSTATE and a message that has a secret.
func refusing(code, message string) func(bool) *pgproto3.ErrorResponse {
	return func(bool) *pgproto3.ErrorResponse {
		return &pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: message}
	}
}

// noEntry is the answer of a PostgreSQL server that lets users in only with TLS, only without it, or not at all.
func noEntry(encrypted bool) *pgproto3.ErrorResponse {
	how := "no encryption"
	if encrypted {
		how = "SSL encryption"
	}
	return refusing("28000", `no pg_hba.conf entry for host "127.0.0.1", user "hanako", database "d", `+how)(encrypted)
}

// newCertificate makes a certificate for a host, and the file of the authority that signed it: itself.
func newCertificate(t *testing.T, host string, end time.Time) (*tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.AddDate(-1, 0, 0), NotAfter: end,
		DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "root.crt")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// connected connects to the database of a URL, and returns the error in plain words.
func connected(t *testing.T, url string, use func(ctx context.Context, pool *pgxpool.Pool, schema string) error) error {
	t.Helper()
	a, err := ParseAddress(url)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(ctx, a.config)
	require.NoError(t, err)
	defer pool.Close()
	return explain(a.String(), use(ctx, pool, a.schema))
}

func ping(ctx context.Context, pool *pgxpool.Pool, _ string) error { return pool.Ping(ctx) }

// The errors of connections say what to do, and have no user and no password.
func TestConnectionsAreExplained(t *testing.T) {
	withoutEnvironment(t)
	later := time.Now().AddDate(0, 1, 0)
	local, authority := newCertificate(t, "localhost", later)
	other, otherAuthority := newCertificate(t, "dbhost.example", later)
	old, oldAuthority := newCertificate(t, "localhost", time.Now().AddDate(0, -1, 0))
	_, anotherAuthority := newCertificate(t, "localhost", later)
	refuses := func(code, message string) server { return server{refusal: refusing(code, message)} }
	const entry = `no pg_hba.conf entry for host "::1", user "hanako", database "d", `
	for _, test := range []struct {
		name       string
		server     server
		parameters string
		code       string
		why        string
	}{
		{"no TLS", server{}, "sslmode=require", "",
			"the server doesn't have TLS: configure it there, or set sslmode=disable in the URL"},
		{"no authority", server{certificate: local}, "sslmode=verify-full", "",
			"its certificate isn't trusted: name the file of the authority that signed it with sslrootcert"},
		{"another authority", server{certificate: local}, "sslmode=verify-full&sslrootcert=" + anotherAuthority, "",
			"its certificate isn't trusted"},
		{"another host", server{certificate: other}, "sslmode=verify-full&sslrootcert=" + otherAuthority, "",
			"its certificate is for another host: give a host of the certificate in the URL, " +
				"or set sslmode=verify-ca (certificate is valid for dbhost.example, not localhost)"},
		{"too old", server{certificate: old}, "sslmode=verify-full&sslrootcert=" + oldAuthority, "",
			"its certificate isn't valid: renew it, or name the right authority with sslrootcert " +
				"(certificate has expired"},
		{"closes", server{certificate: local}, "sslmode=verify-ca&sslrootcert=" + authority, "",
			"the connection was lost"},
		{"has no way to bind", server{asksPassword: true}, "sslmode=disable&channel_binding=require", "",
			"no connection was made: channel binding required"},
		{"wants TLS", server{refusal: noEntry}, "sslmode=disable", "28000",
			"it doesn't let this user in without TLS: set sslmode=require in the URL, or correct"},
		{"old, wants TLS", refuses("28000", entry+"SSL off"), "sslmode=disable", "28000",
			"it doesn't let this user in without TLS: set sslmode=require in the URL, or correct"},
		{"wants no TLS", server{certificate: local, refusal: noEntry}, "sslmode=require", "28000",
			"it refuses TLS for this user: correct pg_hba.conf there, or set sslmode=disable in the URL"},
		{"has no entry", server{certificate: local, refusal: noEntry}, "sslmode=prefer", "28000",
			"its pg_hba.conf doesn't let this user connect to this database from here"},
		{"password", refuses("28P01", `password authentication failed for user "hanako"`), "", "28P01",
			"it doesn't accept the user or the password"},
		{"certificate", refuses("28000", "connection requires a valid client certificate"), "", "28000",
			"it wants another certificate of the client"},
		{"database", refuses("3D000", `database "hanako" does not exist`), "", "3D000",
			"the server has no database of that name"},
		{"full", refuses("53300", `too many connections for role "hanako"`), "", "53300",
			"the server has no connection left: give fewer with pool_max_conns"},
		{"no right", refuses("42501", `permission denied for database "hanako"`), "", "42501",
			"the user may not connect to it: run GRANT CONNECT ON DATABASE"},
		{"pooler", refuses("08P01", "no such user: hanako"), "", "08P01", "it refused the connection (SQLSTATE 08P01)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, port, err := net.SplitHostPort(test.server.start(t))
			require.NoError(t, err)
			host := "127.0.0.1"
			if strings.Contains(test.parameters, "verify-full") {
				host = "localhost" // it may have another IP address as well, where the connection is refused
			}
			err = connected(t, "postgres://hanako:S3KRET@"+host+":"+port+"/d?"+test.parameters, ping)
			require.ErrorContains(t, err, "the database d of "+host+":"+port+", schema banksim: "+test.why)
			assertNoSecrets(t, err)
			var server *pgconn.PgError
			if errors.As(err, &server); test.code != "" {
				require.NotNil(t, server)
				assert.Equal(t, test.code, server.Code)
			}
		})
	}
}

// assertNoSecrets checks that an error and all that it wraps have no user and no password.
func assertNoSecrets(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "hanako")
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "S3KRET")
	}
}

// A server that isn't there, and one that is silent.
func TestSilenceIsExplained(t *testing.T) {
	withoutEnvironment(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	place := listener.Addr().String()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	silent := func(_ context.Context, pool *pgxpool.Pool, _ string) error { return pool.Ping(ctx) }
	err = connected(t, "postgres://hanako:S3KRET@"+place+"/d?sslmode=disable", silent)
	assert.EqualError(t, err, "the database d of "+place+", schema banksim: it didn't answer in time")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assertNoSecrets(t, err)

	cancelled, stop := context.WithCancel(t.Context())
	stop()
	err = connected(t, "postgres://hanako:S3KRET@"+place+"/d?sslmode=disable",
		func(_ context.Context, pool *pgxpool.Pool, _ string) error { return pool.Ping(cancelled) })
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "the work was cancelled")

	require.NoError(t, listener.Close())
	err = connected(t, "postgres://hanako:S3KRET@dbhost.invalid/d", ping)
	require.ErrorContains(t, err, "schema banksim: lookup dbhost.invalid")
	assertNoSecrets(t, err)
}

// Errors of statements, and of what isn't a connection.
func TestStatementsAreExplained(t *testing.T) {
	t.Parallel()
	const place = `database d of dbhost:5432, schema My "Own"`
	const message = "user hanako does not have CREATE privilege"
	for _, test := range []struct {
		err error
		why string
	}{
		{&pgconn.PgError{Code: "42501", Message: message}, "the user may not create the schema or use it: " +
			"run GRANT CREATE ON DATABASE … TO the user, or make the schema for it with " +
			`CREATE SCHEMA "My ""Own""" AUTHORIZATION …, or run GRANT CREATE, USAGE ON SCHEMA "My ""Own""" ` +
			"TO the user if another user has made it"},
		{&pgconn.PgError{Code: "25006", Message: "cannot execute INSERT"},
			"it is read-only: give the URL of the primary server"},
		{&pgconn.PgError{Code: "42P01", Message: `relation "x" does not exist`},
			`relation "x" does not exist (SQLSTATE 42P01)`},
		{fmt.Errorf("S3KRET: %w", io.ErrUnexpectedEOF), "the connection was lost"},
		{&net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}, "write tcp: broken pipe"},
	} {
		explained := explain(place, fmt.Errorf("hanako: %w", test.err))
		assert.EqualError(t, explained, "the "+place+": "+test.why)
		assertNoSecrets(t, explained)
		assert.Same(t, explained, explain(place, explained), "an error is explained once")
	}
	assert.NoError(t, explain(place, nil))
}

// An error says whether the database has undone a transaction. A connection that ends may end after the commit.
func TestRefusedTransactions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&pgconn.PgError{SeverityUnlocalized: "ERROR", Severity: "FEHLER", Code: "53100"}, true},
		{&pgconn.PgError{Severity: "ERROR", Code: "53100"}, true},
		{&pgconn.PgError{SeverityUnlocalized: "FATAL", Severity: "FATAL", Code: "57P01"}, false},
		{&pgconn.PgError{Severity: "FATAL", Code: "08P01", Message: "server conn crashed?"}, false}, // PgBouncer's
		{&pgconn.PgError{Severity: "ERROR", Code: "08P01"}, false},
		{io.ErrUnexpectedEOF, false},
	} {
		assert.Equal(t, test.want, wasRefused(fmt.Errorf("commit: %w", test.err)), "%#v", test.err)
	}
}

// A PostgreSQL server says the same as the ones above.
func TestPostgresIsExplained(t *testing.T) {
	url := os.Getenv("BANKSIM_POSTGRES")
	if url == "" {
		t.Skip("BANKSIM_POSTGRES is empty")
	}
	withoutEnvironment(t)
	role := fmt.Sprintf("hanako%d", time.Now().UnixNano())
	owner, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = owner.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := owner.Exec(context.Background(), "DROP ROLE "+role)
		assert.NoError(t, err)
		_ = owner.Close(context.Background())
	})
	user := strings.Replace(url, owner.Config().User, role, 1)
	create := func(ctx context.Context, pool *pgxpool.Pool, schema string) error {
		_, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize())
		return err
	}
	err = connected(t, user+"&search_path=denied", create)
	require.ErrorContains(t, err, `CREATE SCHEMA "denied" AUTHORIZATION`)
	assertNoSecrets(t, err)

	database := "/" + owner.Config().Database
	// The server takes the name of the user for the name of the database.
	err = connected(t, strings.Replace(user, database, "", 1), ping)
	require.ErrorContains(t, err, "the server has no database of that name")
	assertNoSecrets(t, err)
}

func TestDirectoryIsExplained(t *testing.T) {
	t.Parallel()
	denied := &fs.PathError{Op: "open", Path: "/data/banks.db", Err: syscall.EACCES}
	err := explainDirectory("/data", denied)
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.EqualError(t, err, fmt.Sprintf("the program runs as user id %d and may not use the directory /data: "+
		"make that user the owner of the directory and its file (open /data/banks.db: permission denied)", os.Getuid()))

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.ErrorContains(t, explainDirectory(file, os.MkdirAll(file, 0o700)), file+" is not a directory")
	readOnly := &fs.PathError{Op: "mkdir", Path: "/data", Err: syscall.EROFS}
	assert.ErrorContains(t, explainDirectory("/data", readOnly), "the directory /data is on a read-only file system")
	assert.EqualError(t, explainDirectory("/data", errors.New("no space")),
		"opening the file for banks in the directory /data: no space")
	assert.NoError(t, explainDirectory("/data", nil))
}

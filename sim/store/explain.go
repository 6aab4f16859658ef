package store

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// explained is an error of a database in the words of people who run a server.
type explained struct {
	text  string
	cause error // without secrets
}

func (e *explained) Error() string { return e.text }

// Unwrap returns a context's error, or a [pgconn.PgError] that has a code but no message.
func (e *explained) Unwrap() error { return e.cause }

// explain returns err in the words of people who run a server, without user and password. It says what the database at
// a place said, and what to do where that is certain.
func explain(place string, err error) error {
	var before *explained
	if err == nil || errors.As(err, &before) {
		return err
	}
	e := &explained{}
	var server *pgconn.PgError
	var why string
	switch {
	case errors.As(err, &server):
		e.cause = &pgconn.PgError{Severity: server.Severity, Code: server.Code}
		why = explainServer(place, server, err)
	case errors.Is(err, context.DeadlineExceeded):
		e.cause = context.DeadlineExceeded
		why = "it didn't answer in time"
	case errors.Is(err, context.Canceled):
		e.cause = context.Canceled
		why = "the work was cancelled before it answered"
	default:
		why = explainConnection(err)
	}
	e.text = fmt.Sprintf("the %s: %s", place, why)
	return e
}

// IsAway reports whether an error of [OpenPostgres] says that the database isn't there, or doesn't accept connections
// yet: it may later.
func IsAway(err error) bool {
	var ours *explained
	var server *pgconn.PgError
	switch {
	case !errors.As(err, &ours) || errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &server):
		return slices.Contains([]string{"57P03", "57P01", "53300"}, server.Code) // it starts, ends, or is full
	}
	return true
}

// serverHints says what to do about an error of the server, by its SQLSTATE. The server's own message isn't shown: it
// may have the name of the user.
var serverHints = map[string]string{
	"28P01": "it doesn't accept the user or the password",
	"28000": "it doesn't accept the user",
	"3D000": "the server has no database of that name: create it, or correct the URL",
	"53300": "the server has no connection left: give fewer with pool_max_conns, or raise max_connections there",
	"57P03": "the server doesn't accept connections yet: it starts up, recovers or shuts down",
	"25006": "it is read-only: give the URL of the primary server",
}

// explainServer explains an error of the server. err has it, and perhaps others of further attempts.
func explainServer(place string, server *pgconn.PgError, err error) string {
	var connect *pgconn.ConnectError
	connecting := errors.As(err, &connect)
	hint, known := serverHints[server.Code]
	switch {
	case server.Code == "28000" && connecting:
		return explainAccess(server.Message, connect.Unwrap().Error())
	case server.Code == "42501" && connecting:
		return "the user may not connect to it: run GRANT CONNECT ON DATABASE … TO the user"
	case server.Code == "42501":
		_, name, _ := strings.Cut(place, schemaMark)
		schema := pgx.Identifier{name}.Sanitize()
		return fmt.Sprintf("the user may not create the schema or use it: "+
			"run GRANT CREATE ON DATABASE … TO the user, "+
			"or make the schema for it with CREATE SCHEMA %[1]s AUTHORIZATION …, "+
			"or run GRANT CREATE, USAGE ON SCHEMA %[1]s TO the user if another user has made it", schema)
	case known:
		return hint
	case connecting && hasCredentials(server.Message, connect.Config):
		return "it refused the connection (SQLSTATE " + server.Code + ")"
	}
	return server.Message + " (SQLSTATE " + server.Code + ")"
}

// explainAccess explains why a server refuses a user before it looks at a password. all has the messages of all
// attempts.
func explainAccess(message, all string) string {
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(all, part) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.Contains(message, "certificate"):
		return "it wants another certificate of the client: name one that it knows with sslcert and sslkey"
	case !has("pg_hba.conf"):
		return serverHints["28000"]
	case has("no encryption", "SSL off") && !has("SSL encryption", "SSL on", tlsRefused):
		return "it doesn't let this user in without TLS: set sslmode=require in the URL, or correct pg_hba.conf there"
	case has("SSL encryption", "SSL on") && !has("no encryption", "SSL off"):
		return "it refuses TLS for this user: correct pg_hba.conf there, or set sslmode=disable in the URL"
	}
	return "its pg_hba.conf doesn't let this user connect to this database from here"
}

// tlsRefused is the driver's error where a server doesn't have TLS.
const tlsRefused = "server refused TLS connection"

// explainConnection explains why there is no connection, or no longer.
func explainConnection(err error) string {
	var connect *pgconn.ConnectError
	connecting := errors.As(err, &connect)
	if connecting {
		err = connect.Unwrap() // the text around it has the name of the user
	}
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var network *net.OpError
	var unknown *net.DNSError
	root := rootOf(err).Error()
	switch {
	case connecting && root == tlsRefused: // else the driver went on without TLS, and failed again
		return "the server doesn't have TLS: configure it there, or set sslmode=disable in the URL"
	case errors.As(err, &authority):
		return "its certificate isn't trusted: name the file of the authority that signed it with sslrootcert"
	case errors.As(err, &host):
		return "its certificate is for another host: give a host of the certificate in the URL, " +
			"or set sslmode=verify-ca (" + strings.TrimPrefix(host.Error(), "x509: ") + ")"
	case errors.As(err, &invalid):
		return "its certificate isn't valid: renew it, or name the right authority with sslrootcert (" +
			strings.TrimPrefix(invalid.Error(), "x509: ") + ")"
	case errors.As(err, &network):
		return network.Error()
	case errors.As(err, &unknown):
		return unknown.Error()
	case connecting && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!hasCredentials(root, connect.Config):
		return "no connection was made: " + root
	}
	return "the connection was lost"
}

// rootOf returns the error at the root of another one, or of the last attempt.
func rootOf(err error) error {
	for {
		next := errors.Unwrap(err)
		if all, ok := err.(interface{ Unwrap() []error }); ok {
			next = all.Unwrap()[len(all.Unwrap())-1]
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// hasCredentials reports whether a text has the user or the password of a connection.
func hasCredentials(text string, c *pgconn.Config) bool {
	return c.User != "" && strings.Contains(text, c.User) || c.Password != "" && strings.Contains(text, c.Password)
}

// explainDirectory explains why a directory or the file in it can't be opened.
func explainDirectory(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the program runs as user id %d and may not use the directory %s: "+
			"make that user the owner of the directory and its file (%w)", os.Getuid(), dir, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is not a directory: name one for banks (%w)", dir, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the directory %s is on a read-only file system: name one that can be written (%w)", dir, err)
	}
	return fmt.Errorf("opening the file for banks in the directory %s: %w", dir, err)
}

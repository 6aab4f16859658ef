package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Address says where banks are stored: in a file of a directory, or in a database.
type Address struct {
	directory string
	config    *pgxpool.Config // of a database
	schema    string          // of a database
	exists    bool            // whether opening the address creates nothing
}

// Defaults of a database (choices).
const (
	defaultSchema         = "banksim"
	defaultConnections    = 8               // unless the URL says pool_max_conns
	defaultConnectTimeout = 5 * time.Second // unless the URL says connect_timeout
)

// urlForm is how a URL of a database looks.
const urlForm = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"

// schemaMark stands before the name of the schema in the text of an address.
const schemaMark = ", schema "

// refusal is a pattern of values that are refused, and the reason.
type refusal struct {
	pattern string
	why     string
}

// notURL is why a value is refused that doesn't begin with postgres://. The first pattern that matches counts.
var notURL = []refusal{
	{`^\s*$`, "is empty: give a directory or " + urlForm},
	{`^\s*["']`, "begins with a quotation mark: leave out the quotation marks"},
	{`(?i)^\s*jdbc:`, "begins with jdbc: leave out jdbc: and write " + urlForm},
	{`[\x00-\x1f\x7f]`, "has a line break or another control character"},
	{`(?i)^ *postgres(ql)?:`,
		"must begin with postgres:// in lower case and with two slashes: write " + urlForm},
	{`^[\w ]+=`, parameterList},
	{`://|^ *[\w+.-]{2,}:|:.*@|^[^/]*@`,
		"is not a postgres:// URL or a directory: write " + urlForm + ", or ./ before the name of a directory"},
	{`(?i)password.*=|=.*password`, parameterList},
}

const parameterList = "is a list of parameters: write it as " + urlForm

// wrongURL is why a value is refused that begins with postgres://. The first pattern that matches counts.
var wrongURL = []refusal{
	{`[\x00-\x20\x7f]`, "is a URL with a space or a line break: write a space as %20"},
	{`^\w+://.*[/?#@].*@`, "is a URL with a character that must be escaped: " +
		"write @ as %40, / as %2F, ? as %3F and # as %23 in the user, in the password and in the value of a parameter"},
	{`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$|00)`,
		"is a URL with a % that has no two hexadecimal digits after it: write % itself as %25"},
	{`^[^?]*\?([^&]*&)*([^=&]+(&|$)|[^&]*=[^&]*=|&)`,
		"is a URL with a parameter that is not NAME=VALUE: write & between parameters, and = in a value as %3D"},
}

// ParseAddress reads the value of --data. Its errors never show any of the value, because a mistyped URL may hold a
// password.
func ParseAddress(value string) (Address, error) {
	isURL := strings.HasPrefix(value, "postgres://") || strings.HasPrefix(value, "postgresql://")
	refusals := notURL
	if isURL {
		refusals = wrongURL
	}
	for _, r := range refusals {
		if regexp.MustCompile(r.pattern).MatchString(value) {
			return Address{}, refused(r.why)
		}
	}
	if !isURL {
		return Address{directory: value}, nil
	}
	config, err := pgxpool.ParseConfig(value)
	if err != nil {
		return Address{}, refused(wrongPart(value))
	}
	a := Address{config: config, schema: defaultSchema}
	to := config.ConnConfig
	if name := to.RuntimeParams["search_path"]; name != "" {
		a.schema = name
	}
	delete(to.RuntimeParams, "search_path") // poolers refuse it
	if strings.Contains(a.schema, ",") {
		return Address{}, refused("is a URL with several schemas in search_path: name one")
	}
	named := func(p string) bool { return strings.HasPrefix(p, "pool_max_conns=") }
	if !slices.ContainsFunc(parametersOf(value), named) {
		config.MaxConns = defaultConnections
	}
	if to.ConnectTimeout == 0 {
		to.ConnectTimeout = defaultConnectTimeout
	}
	return a, nil
}

// refused returns the error for a value that is refused.
func refused(why string) error { return errors.New("the value of --data " + why) }

// parametersOf returns the parameters of a URL, each as NAME=VALUE.
func parametersOf(text string) []string {
	_, query, _ := strings.Cut(text, "?")
	return strings.FieldsFunc(query, func(r rune) bool { return r == '&' })
}

// parameterHints says how the value of a parameter looks.
var parameterHints = map[string]string{
	"sslmode":              "it is disable, allow, prefer, require, verify-ca or verify-full",
	"sslrootcert":          "the file has no certificate in PEM",
	"sslcert":              "it needs sslkey, and both files must be PEM",
	"sslkey":               "it needs sslcert, and both files must be PEM",
	"port":                 "it is a number from 1 to 65535",
	"connect_timeout":      "it is a number of seconds",
	"pool_max_conns":       "it is a number from 1",
	"target_session_attrs": "it is any, read-write, read-only, primary, standby or prefer-standby",
}

// wrongPart says which part of a URL the driver doesn't read. It tries each part alone: the texts of the driver's own
// errors may show a password.
func wrongPart(text string) string {
	fails := func(part string) error {
		_, err := pgxpool.ParseConfig(part)
		return err
	}
	const plain = "postgres://localhost/"
	if fails(plain) != nil {
		return "can't be read with the variables of the environment: check those that begin with PG"
	}
	place, _, _ := strings.Cut(text, "?")
	if fails(place) != nil {
		return "is a URL with a wrong host or port: a port is a number from 1 to 65535"
	}
	parameters := parametersOf(text)
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		together := []string{p}
		if isKeyPair(name) {
			together = slices.DeleteFunc(slices.Clone(parameters), func(other string) bool {
				name, _, _ := strings.Cut(other, "=")
				return !isKeyPair(name)
			})
		}
		err := fails(plain + "?" + strings.Join(together, "&"))
		if err == nil {
			continue
		}
		var file *fs.PathError
		if !errors.As(err, &file) {
			return wrongParameter(name, parameterHints[name])
		}
		if path, err := url.PathUnescape(value); err != nil || path != file.Path {
			continue // the file is that of another parameter
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return wrongParameter(name, "file not found")
		case errors.Is(err, fs.ErrPermission):
			return wrongParameter(name, "permission to read the file is denied")
		}
		return wrongParameter(name, "the file can't be read")
	}
	return "is a URL with parameters that don't fit together"
}

// isKeyPair reports whether a parameter is about the client's certificate. The driver reads these together.
func isKeyPair(name string) bool {
	return name == "sslcert" || name == "sslkey" || name == "sslpassword"
}

// wrongParameter names a parameter of the URL. The driver knows its name, so the name is no secret.
func wrongParameter(name, hint string) string {
	why := "is a URL with a wrong value of the parameter " + name
	if hint != "" {
		why += ": " + hint
	}
	return why
}

// Existing returns the address of banks that are there already. To open it creates nothing, but may fail with
// ErrNoBanks. For a directory, Existing itself does.
func (a Address) Existing() (Address, error) {
	a.exists = true
	if _, err := os.Stat(a.String()); !a.IsDatabase() && errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("%s %w", a.directory, ErrNoBanks)
	}
	return a, nil
}

// ErrNoBanks is the error of an existing address without banks.
var ErrNoBanks = errors.New("holds no banks: name the directory or the database of --data")

// IsDatabase reports whether banks are stored in a database.
func (a Address) IsDatabase() bool { return a.config != nil }

// Directory returns the directory of a file. It is empty for a database.
func (a Address) Directory() string { return a.directory }

// String describes an address for people. It has no user and no password.
func (a Address) String() string {
	if !a.IsDatabase() {
		return filepath.Join(a.directory, fileName)
	}
	to := a.config.ConnConfig
	hosts := []string{net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port)))}
	for _, other := range to.Fallbacks { // a host is there twice if TLS is optional
		host := net.JoinHostPort(other.Host, strconv.Itoa(int(other.Port)))
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	database := "database " + to.Database
	if to.Database == "" { // the server takes the user's name
		database = "default database"
	}
	return fmt.Sprintf("%s of %s%s%s", database, strings.Join(hosts, " and "), schemaMark, a.schema)
}

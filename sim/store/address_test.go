package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutEnvironment keeps PG… variables of the machine, and files in its home, out of a test.
func withoutEnvironment(t *testing.T) {
	t.Helper()
	for _, text := range os.Environ() {
		if name, _, _ := strings.Cut(text, "="); strings.HasPrefix(name, "PG") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", t.TempDir())
}

// A value that is neither a postgres:// URL nor a directory is refused. The error says what to do, and shows nothing of
// the value.
func TestMistypedAddressIsRefusedWithoutSecrets(t *testing.T) {
	withoutEnvironment(t)
	unreadable := filepath.Join(t.TempDir(), "S3KRET-file")
	require.NoError(t, os.WriteFile(unreadable, []byte("no certificate"), 0o600))
	for _, test := range [][2]string{
		{"", "is empty"},
		{`"postgres://hanako:S3KRET@dbhost/d"`, "leave out the quotation marks"},
		{"jdbc:postgresql://dbhost/d?user=hanako&password=S3KRET", "leave out jdbc:"},
		{"postgres:/hanako:S3KRET@dbhost/d", "with two slashes"},
		{"POSTGRES://hanako:S3KRET@dbhost/d", "in lower case"},
		{" postgres://hanako:S3KRET@dbhost/d", "must begin with postgres://"},
		{"host=dbhost user=hanako password=S3KRET dbname=d", "is a list of parameters"},
		{"Data Source=dbhost;User Id=hanako;Password=S3KRET", "is a list of parameters"},
		{"mysql://hanako:S3KRET@dbhost/d", "is not a postgres:// URL or a directory"},
		{"pg:hanako:S3KRET@dbhost", "is not a postgres:// URL or a directory"},
		{"hanako:S3KRET@dbhost:5432/d", "is not a postgres:// URL or a directory"},
		{"hanako@dbhost/S3KRET", "is not a postgres:// URL or a directory"},
		{"data\nS3KRET hanako", "has a line break"},
		{"postgres://hanako:12/S3KRET@dbhost/d", "/ as %2F"},
		{"postgres://hanako:a#S3KRET@dbhost/d", "# as %23"},
		{"postgres://hanako:a?S3KRET@dbhost/d", "? as %3F"},
		{"postgres://hanako:a@S3KRET@dbhost/d", "@ as %40"},
		{"postgres://hanako:S3KRET%@dbhost/d", "write % itself as %25"},
		{"postgres://hanako:S3KRET%00@dbhost/d", "write % itself as %25"},
		{"postgres://hanako:S3 KRET@dbhost/d", "write a space as %20"},
		{"postgres://hanako:S3KRET@dbhost/d\n", "a line break"},
		{"postgres://hanako:S3KRET@dbhost:0/d", "a port is a number"},
		{"postgres://hanako:S3KRET@[::1/d", "a wrong host or port"},
		{"postgres://hanako:S3KRET@dbhost/d?port=x", "of the parameter port: it is a number"},
		{"postgres://hanako:S3KRET@dbhost/d?sslmode=S3KRET", "of the parameter sslmode: it is disable, allow"},
		{"postgres://hanako:S3KRET@dbhost/d?password=S3KRET;sslmode=a", "not NAME=VALUE"},
		{"postgres://hanako:S3KRET@dbhost/d?pool_max_conns=S3KRET",
			"of the parameter pool_max_conns: it is a number from 1"},
		{"postgres://hanako:S3KRET@dbhost/d?pool_ping_timeout=S3KRET", "of the parameter pool_ping_timeout"},
		{"postgres://hanako:S3KRET@dbhost/d?target_session_attrs=S3KRET",
			"of the parameter target_session_attrs: it is any"},
		{"postgres://hanako:S3KRET@dbhost/d?default_query_exec_mode=x", "of the parameter default_query_exec_mode"},
		{"postgres://hanako:S3KRET@dbhost/d?sslrootcert=%2FS3KRET", "of the parameter sslrootcert: file not found"},
		{"postgres://hanako:S3KRET@dbhost/d?sslrootcert=" + unreadable,
			"of the parameter sslrootcert: the file has no"},
		{"postgres://hanako:S3KRET@dbhost/d?sslcert=/S3KRET", "of the parameter sslcert: it needs sslkey"},
		{"postgres://hanako:S3KRET@dbhost/d?sslcert=/a&sslkey=/S3KRET", "of the parameter sslkey: file not found"},
		{"postgres://hanako:S3KRET@dbhost/d?sslcert=/a&sslkey=" + unreadable,
			"of the parameter sslcert: it needs sslkey, and both"},
		{"postgres://hanako:S3KRET@dbhost/d?min_protocol_version=3.2&max_protocol_version=3.0", "don't fit together"},
		{"postgres://hanako:S3KRET@dbhost/d?search_path=hanako,public", "several schemas in search_path"},
	} {
		value, why := test[0], test[1]
		a, err := ParseAddress(value)
		require.ErrorContains(t, err, why, value)
		assert.True(t, strings.HasPrefix(err.Error(), "the value of --data "), err.Error())
		assert.Equal(t, Address{}, a)
		shown := fmt.Sprintf("%v %+v %#v", err, err, err)
		for _, secret := range []string{"S3", "KRET", "hanako", "dbhost"} {
			assert.NotContains(t, shown, secret, value)
		}
	}
}

// A variable of the environment isn't taken for a fault of the URL.
func TestWrongEnvironmentIsNamed(t *testing.T) {
	withoutEnvironment(t)
	t.Setenv("PGSSLMODE", "S3KRET")
	_, err := ParseAddress("postgres://hanako:S3KRET@dbhost/d")
	assert.EqualError(t, err,
		"the value of --data can't be read with the variables of the environment: check those that begin with PG")
}

func TestDirectoryAddress(t *testing.T) {
	withoutEnvironment(t)
	for _, dir := range []string{
		"/data", "../a/b c", ".", "./a:b", "./a@b", `C:\data`, "./x=y", "postgres", "データ",
	} {
		a, err := ParseAddress(dir)
		require.NoError(t, err, dir)
		assert.False(t, a.IsDatabase())
		assert.Equal(t, dir, a.Directory())
		assert.Equal(t, filepath.Join(dir, "banks.db"), a.String())
	}
}

func TestDatabaseAddress(t *testing.T) {
	withoutEnvironment(t)
	for _, test := range [][2]string{
		{"postgres://hanako:S3KRET@dbhost/d", "database d of dbhost:5432, schema banksim"},
		{"postgresql://hanako:S3KRET@dbhost:6432/d?search_path=x", "database d of dbhost:6432, schema x"},
		{"postgres://hanako:S3KRET@dbhost/d?search_path=My%20Own", "database d of dbhost:5432, schema My Own"},
		{"postgres://hanako:S3KRET@dbhost", "default database of dbhost:5432, schema banksim"},
		{"postgres://dbhost/d?user=hanako&password=S3KRET", "database d of dbhost:5432, schema banksim"},
		{"postgres://hanako:S3KRET@[::1]:6432/d?sslmode=disable", "database d of [::1]:6432, schema banksim"},
		{"postgres:///d?host=dbhost&user=hanako&sslmode=require", "database d of dbhost:5432, schema banksim"},
		{"postgres://hanako:S3KRET@a:1,b:2/d?sslmode=prefer", "database d of a:1 and b:2, schema banksim"},
	} {
		url, text := test[0], test[1]
		a, err := ParseAddress(url)
		require.NoError(t, err, url)
		assert.True(t, a.IsDatabase())
		assert.Empty(t, a.Directory())
		assert.Equal(t, text, a.String())
		assert.Equal(t, text, fmt.Sprintf("%+v", &a))
		assert.NotContains(t, a.config.ConnConfig.RuntimeParams, "search_path")
		assert.EqualValues(t, 8, a.config.MaxConns)
		assert.Equal(t, 5*time.Second, a.config.ConnConfig.ConnectTimeout)
	}
	a, err := ParseAddress("postgres://dbhost/d?connect_timeout=9&pool_max_conns=3&application_name=x")
	require.NoError(t, err)
	assert.EqualValues(t, 3, a.config.MaxConns)
	assert.Equal(t, 9*time.Second, a.config.ConnConfig.ConnectTimeout)
	assert.Equal(t, map[string]string{"application_name": "x"}, a.config.ConnConfig.RuntimeParams)
}

package tlsca_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// Simulators that start at the same time with one directory have one CA, whose key only its owner may read.
func TestKeptCA(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "ca")
	const replicas = 32
	cas := make([]string, replicas)
	var all sync.WaitGroup
	for i := range replicas {
		all.Go(func() {
			certificates, err := tlsca.Open(tlsca.Config{Dir: dir})
			if assert.NoError(t, err) {
				cas[i] = string(certificates.CA())
			}
		})
	}
	all.Wait()
	for _, ca := range cas {
		assert.Equal(t, cas[0], ca)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	modes := map[string]fs.FileMode{}
	for _, file := range files {
		info, err := file.Info()
		require.NoError(t, err)
		modes[file.Name()] = info.Mode()
	}
	want := map[string]fs.FileMode{"ca.pem": 0o644, "ca-key.pem": 0o600}
	if runtime.GOOS == "windows" { // it has no such modes
		want = map[string]fs.FileMode{"ca.pem": 0o666, "ca-key.pem": 0o666}
	}
	assert.Equal(t, want, modes)
	folder, err := os.Stat(dir)
	require.NoError(t, err)
	usual := filepath.Join(t.TempDir(), "usual")
	require.NoError(t, os.MkdirAll(usual, 0o755))
	like, err := os.Stat(usual)
	require.NoError(t, err)
	assert.Equal(t, like.Mode(), folder.Mode(), "others may read the certificate")
	written, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	require.NoError(t, err)
	assert.Equal(t, cas[0], string(written))

	// Where only the key is left, such as after a crash between the two, the certificate comes back.
	require.NoError(t, os.Remove(filepath.Join(dir, "ca.pem")))
	p := newPeer(t, tlsca.Config{Dir: dir})
	_, err = p.shake("localhost", nil)
	assert.NoError(t, err)
	restored, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	require.NoError(t, err)
	assert.Equal(t, cas[0], string(restored))
	again := newPeer(t, tlsca.Config{Dir: dir})
	again.client = p.client
	_, err = again.shake("localhost", nil)
	assert.NoError(t, err, "another replica's certificates are of the same CA")
}

// A CA that can't be used is not replaced in silence: clients trust it.
func TestBadCA(t *testing.T) {
	t.Parallel()
	read := func(dir, name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	made := func() string {
		dir := t.TempDir()
		_, err := tlsca.Open(tlsca.Config{Dir: dir})
		require.NoError(t, err)
		return dir
	}
	good, other := made(), made()
	cert, key := read(good, "ca.pem"), read(good, "ca-key.pem")
	for name, test := range map[string]struct {
		cert, key string // empty: there is none; " ": it is empty
		want      string
	}{
		"half of a key": {cert: cert, key: key[:100], want: "failed to find any PEM data in key input"},
		"an empty key":  {cert: cert, key: " ", want: "failed to find any PEM data in key input"},
		"a damaged key": {cert: cert, key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
			want: "failed to parse private key"},
		"no key": {cert: cert, want: "ca-key.pem: no such file"},
		"half of a certificate": {cert: cert[:len(cert)/2], key: key,
			want: "failed to find any PEM data in certificate input"},
		"another's certificate":  {cert: read(other, "ca.pem"), key: key, want: "private key does not match"},
		"a certificate of no CA": {cert: leafOf(t, key), key: key, want: "is not the certificate of a CA"},
		"a key alone": {key: key[:strings.Index(key, "-----BEGIN CERT")],
			want: "there is no ca.pem, and ca-key.pem: "},
	} {
		dir := t.TempDir()
		for file, content := range map[string]string{"ca.pem": test.cert, "ca-key.pem": test.key} {
			if content != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
			}
		}
		_, err := tlsca.Open(tlsca.Config{Dir: dir})
		for _, part := range []string{test.want, dir, "restore ca.pem and ca-key.pem"} {
			assert.ErrorContains(t, err, part, name)
		}
		assert.NotContains(t, err.Error(), key[40:60], "%s: nothing of the key is shown", name)
		for file, content := range map[string]string{"ca.pem": test.cert, "ca-key.pem": test.key} {
			if content != "" {
				assert.Equal(t, content, read(dir, file), "%s: it is left as it is", name)
			} else {
				assert.NoFileExists(t, filepath.Join(dir, file), name)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		dir := made()
		time.Sleep(11 * 365 * day)
		_, err := tlsca.Open(tlsca.Config{Dir: dir})
		assert.ErrorContains(t, err, "ca.pem expired at 20")
	})
}

// leafOf returns a certificate that may not sign others, with the key of a CA.
func leafOf(t *testing.T, key string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(key))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	require.NoError(t, err)
	return certFor(t, parsed.(*ecdsa.PrivateKey), time.Now().Add(time.Hour))
}

// certFor returns a self-signed certificate for localhost that is valid until a time.
func certFor(t *testing.T, key *ecdsa.PrivateKey, until time.Time) string {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(until.Unix()),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     until,
		DNSNames:     []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// pair writes a certificate and its key, and returns their files.
func pair(t *testing.T, dir string, until time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	require.NoError(t, os.WriteFile(certFile, []byte(certFor(t, key, until)), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return certFile, keyFile
}

// A certificate that was given is used for every name, and read again when its files are replaced.
func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		certFile, keyFile := pair(t, dir, time.Now().Add(time.Hour))
		var told []string
		certificates, err := tlsca.Open(tlsca.Config{CertFile: certFile, KeyFile: keyFile, Replaced: func(
			until time.Time, problem error,
		) {
			told = append(told, fmt.Sprint(time.Until(until).Round(time.Hour), " ", problem))
		}})
		require.NoError(t, err)
		assert.Nil(t, certificates.CA())
		assert.Nil(t, certificates.Hosts())
		p := &peer{
			server: certificates.TLS(func(string) { t.Error("every name is known") }),
			client: &tls.Config{InsecureSkipVerify: true},
		}
		until := func() time.Time {
			state, err := p.shake("other.example", nil)
			require.NoError(t, err)
			return state.PeerCertificates[0].NotAfter
		}
		first := until()
		pair(t, dir, time.Now().Add(48*time.Hour))
		time.Sleep(11 * time.Second)
		second := until()
		assert.Greater(t, second.Sub(first), 40*time.Hour)

		require.NoError(t, os.WriteFile(certFile, []byte("half"), 0o600))
		time.Sleep(11 * time.Second)
		assert.Equal(t, second, until(), "while the files don't fit, the old one stays")
		assert.NoError(t, certificates.Problem(), "they may fit soon")
		for range 3 {
			time.Sleep(11 * time.Second)
			assert.Equal(t, second, until())
		}
		assert.ErrorContains(t, certificates.Problem(), "can't be used, the one before stays until")
		pair(t, dir, time.Now().Add(-time.Hour))
		for range 2 {
			time.Sleep(11 * time.Second)
			assert.Equal(t, second, until(), "one that has expired isn't used")
		}
		pair(t, dir, time.Now().Add(72*time.Hour))
		time.Sleep(11 * time.Second)
		assert.Greater(t, until().Sub(second), 20*time.Hour)
		assert.NoError(t, certificates.Problem())
		require.Len(t, told, 3, "each is told once")
		assert.Equal(t, "48h0m0s <nil>", told[0])
		assert.Contains(t, told[1], "48h0m0s the certificate ")
		assert.Equal(t, "72h0m0s <nil>", told[2])

		// A probe of readiness finds a mistake, too, where no client connects anew.
		require.NoError(t, os.WriteFile(certFile, []byte("half"), 0o600))
		time.Sleep(11 * time.Second)
		assert.NoError(t, certificates.Problem())
		time.Sleep(11 * time.Second)
		assert.Error(t, certificates.Problem())
	})
}

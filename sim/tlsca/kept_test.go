package tlsca_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
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
	assert.Equal(t, map[string]fs.FileMode{"ca.pem": 0o644, "ca-key.pem": 0o600}, modes)
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

	// Where only the key is left, such as after a crash between the two, there is a certificate again.
	require.NoError(t, os.Remove(filepath.Join(dir, "ca.pem")))
	p := newPeer(t, tlsca.Config{Dir: dir})
	_, err = p.shake("localhost", nil)
	assert.NoError(t, err)
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
		now       time.Duration
		want      []string
	}{
		"half of a key":            {cert: cert, key: key[:len(key)/2], want: []string{"private key", "is damaged", "ca-key.pem", "restore it"}},
		"an empty key":             {cert: cert, key: " ", want: []string{"is empty", "ca-key.pem", "remove it and"}},
		"a key that isn't one":     {cert: cert, key: cert, want: []string{"has a CERTIFICATE instead of a private key"}},
		"a damaged key":            {cert: cert, key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", want: []string{"ca-key.pem, is damaged: restore it"}},
		"no key":                   {cert: cert, want: []string{"has ca.pem, but not its private key ca-key.pem", "restore that"}},
		"half of a certificate":    {cert: cert[:len(cert)/2], key: key, want: []string{"certificate of the CA", "ca.pem", "is damaged", "remove it"}},
		"another's certificate":    {cert: read(other, "ca.pem"), key: key, want: []string{"is not that of the private key ca-key.pem beside it"}},
		"a certificate of no CA":   {cert: leafOf(t, key), key: key, want: []string{"is not one of a CA"}},
		"an expired certificate":   {cert: cert, key: key, now: 11 * 365 * day, want: []string{"expired at 20", "remove it"}},
		"one that isn't valid yet": {cert: cert, key: key, now: -10 * day, want: []string{"is valid from 20"}},
	} {
		dir := t.TempDir()
		for file, content := range map[string]string{"ca.pem": test.cert, "ca-key.pem": test.key} {
			if content != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
			}
		}
		_, err := tlsca.Open(tlsca.Config{Dir: dir, Now: func() time.Time { return time.Now().Add(test.now) }})
		for _, part := range append(test.want, dir) {
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
}

// leafOf returns a certificate that may not sign others, with the key of a CA.
func leafOf(t *testing.T, key string) string {
	t.Helper()
	parsed, err := x509.ParsePKCS8PrivateKey(decode(t, []byte(key)).Bytes)
	require.NoError(t, err)
	return certFor(t, parsed.(*ecdsa.PrivateKey), time.Now().Add(time.Hour))
}

// certFor returns a self-signed certificate for localhost that is valid until a time.
func certFor(t *testing.T, key *ecdsa.PrivateKey, until time.Time) string {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(until.Unix()), NotBefore: time.Now().Add(-time.Hour), NotAfter: until, DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestDirectoryThatCantBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := tlsca.Open(tlsca.Config{Dir: filepath.Join(file, "ca")})
	assert.ErrorContains(t, err, file)
	assert.ErrorContains(t, err, "name one that can be written")
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
	dir, at := t.TempDir(), newClock()
	at.now.Store(time.Now().UnixNano())
	certFile, keyFile := pair(t, dir, time.Now().Add(time.Hour))
	certificates, err := tlsca.Open(tlsca.Config{CertFile: certFile, KeyFile: keyFile, Now: at.Now})
	require.NoError(t, err)
	assert.Nil(t, certificates.CA())
	assert.Nil(t, certificates.Hosts())
	p := &peer{server: certificates.TLS(func(string) { t.Error("every name is known") }), client: &tls.Config{InsecureSkipVerify: true}}
	until := func() time.Time {
		state, err := p.shake("other.example", nil)
		require.NoError(t, err)
		return state.PeerCertificates[0].NotAfter
	}
	first := until()
	pair(t, dir, time.Now().Add(48*time.Hour))
	require.NoError(t, os.Chtimes(certFile, time.Time{}, time.Now().Add(time.Minute))) // whatever the file system's clock can tell
	at.advance(11 * time.Second)
	second := until()
	assert.Greater(t, second.Sub(first), 40*time.Hour)

	require.NoError(t, os.WriteFile(certFile, []byte("half"), 0o600))
	at.advance(11 * time.Second)
	assert.Equal(t, second, until(), "while the files don't fit, the old one stays")
}

func TestBadOwnCertificate(t *testing.T) {
	t.Parallel()
	certFile, keyFile := pair(t, t.TempDir(), time.Now().Add(-time.Minute))
	other, _ := pair(t, t.TempDir(), time.Now().Add(time.Hour))
	for want, cfg := range map[string]tlsca.Config{
		"expired at":                 {CertFile: certFile, KeyFile: keyFile},
		"private key does not match": {CertFile: other, KeyFile: keyFile},
		"name both files":            {CertFile: certFile},
		"no such file":               {CertFile: certFile, KeyFile: keyFile + "x"},
		"name no directory of a CA":  {CertFile: certFile, KeyFile: keyFile, Dir: t.TempDir()},
	} {
		_, err := tlsca.Open(cfg)
		assert.ErrorContains(t, err, want)
	}
}

package tlsca

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The files of a CA.
const (
	certName = "ca.pem"     // for everybody
	keyName  = "ca-key.pem" // for its owner alone
)

const (
	pemCertificate = "CERTIFICATE"
	pemKey         = "PRIVATE KEY"
)

// keptAuthority returns the CA of the directory, and makes what isn't there yet. Each file comes into being once and whole, so
// that simulators that start at the same time agree about it.
func (c Config) keptAuthority() (*authority, error) {
	dir, now := c.Dir, c.Now()
	certFile, keyFile := filepath.Join(dir, certName), filepath.Join(dir, keyName)
	if err := os.MkdirAll(dir, 0o755); err != nil { // everybody may read the certificate, and the key guards itself
		return nil, fmt.Errorf("the directory of the CA: %w: name one that can be written", err)
	}
	hadCert := exists(certFile) // looked at first: one who makes both makes the key first
	if !exists(keyFile) {
		if hadCert {
			return nil, fmt.Errorf("the directory %s has %s, but not its private key %s: restore that or, to have a new CA that "+
				"clients must be made to trust, remove %s", dir, certName, keyName, certName)
		}
		if err := makeKey(keyFile); err != nil {
			return nil, err
		}
	}
	key, err := c.readKey(keyFile)
	if err != nil {
		return nil, fmt.Errorf("the private key of the CA, %s, %w: restore it or, to have a new CA that clients must be made to trust, "+
			"remove it and %s", keyFile, err, certFile)
	}
	if !exists(certFile) {
		made, err := selfSigned(key, now)
		if err != nil {
			return nil, fmt.Errorf("a certificate with the key %s: %w", keyFile, err)
		}
		if err := createOnce(certFile, made.pem, 0o644); err != nil {
			return nil, err
		}
	}
	a, err := c.readCert(certFile, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the CA, %s, %w: restore it or, to have a new one that clients must be made to trust, "+
			"remove it", certFile, err)
	}
	return a, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

func makeKey(file string) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return createOnce(file, pem.EncodeToMemory(&pem.Block{Type: pemKey, Bytes: der}), 0o600)
}

// createOnce creates a file with its whole content, unless there is one.
func createOnce(file string, content []byte, mode fs.FileMode) error {
	if err := tryCreate(file, content, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keeping the CA: %w: name a directory that can be written and that has hard links, "+
			"or make the CA elsewhere with 'banksim ca --tls-ca DIR' and copy its files %s and %s", err, certName, keyName)
	}
	return nil
}

func tryCreate(file string, content []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".new-*") // readable by its owner alone
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file) // which fails if there is one
}

func (c Config) readKey(file string) (crypto.Signer, error) {
	block, err := c.readPEM(file)
	if err != nil {
		return nil, err
	}
	var key any
	switch block.Type {
	case pemKey:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("has a %s instead of a private key", block.Type)
	}
	if err != nil {
		return nil, errors.New("is damaged") // the cause could hold a part of it
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("has a key that can't sign")
	}
	return signer, nil
}

func (c Config) readCert(file string, key crypto.Signer) (*authority, error) {
	block, err := c.readPEM(file)
	if err != nil {
		return nil, err
	}
	if block.Type != pemCertificate {
		return nil, fmt.Errorf("has a %s instead of a certificate", block.Type)
	}
	now := c.Now()
	cert, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is damaged (%w)", err)
	case !sameKey(cert.PublicKey, key.Public()):
		return nil, fmt.Errorf("is not that of the private key %s beside it", keyName)
	case !cert.IsCA || cert.KeyUsage != 0 && cert.KeyUsage&x509.KeyUsageCertSign == 0:
		return nil, errors.New("is not one of a CA: it may not sign others")
	case now.After(cert.NotAfter):
		return nil, fmt.Errorf("expired at %s", cert.NotAfter.Format(time.RFC3339))
	case now.Before(cert.NotBefore):
		return nil, fmt.Errorf("is valid from %s on", cert.NotBefore.Format(time.RFC3339))
	}
	return &authority{cert, key, pem.EncodeToMemory(block)}, nil
}

func sameKey(a, b crypto.PublicKey) bool {
	known, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && known.Equal(b)
}

// readPEM reads the first block of a file. Its error says what is wrong with the file.
func (c Config) readPEM(file string) (*pem.Block, error) {
	data, err := c.Read(file)
	if err != nil {
		return nil, fmt.Errorf("can't be read (%w)", err)
	}
	block, _ := pem.Decode(data)
	switch {
	case block != nil:
		block.Headers = nil
		return block, nil
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("is empty")
	}
	return nil, errors.New("is damaged: it has no whole block of PEM")
}

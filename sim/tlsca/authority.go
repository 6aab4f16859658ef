package tlsca

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// How long certificates are valid (choice, but for leafLife: some clients accept no longer ones).
const (
	day           = 24 * time.Hour
	backdated     = day // for clients whose clocks are slow
	authorityLife = 10 * 365 * day
	leafLife      = 397 * day
	renewedBefore = 30 * day
)

// The files of a CA.
const (
	certName = "ca.pem"     // for everybody
	keyName  = "ca-key.pem" // for its owner alone; one that was made here has the certificate as well
)

// signed makes a key and its certificate, signed by a CA or, if that is nil, by the key itself.
func signed(template *x509.Certificate, ca *tls.Certificate) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	made := &tls.Certificate{PrivateKey: key, Certificate: make([][]byte, 1)}
	parent, signer := template, crypto.Signer(key)
	if ca != nil {
		parent, signer = ca.Leaf, ca.PrivateKey.(crypto.Signer)  // all keys that X509KeyPair reads can sign
		made.Certificate = append(made.Certificate, ca.Leaf.Raw) // some clients want the chain whole
	}
	made.Certificate[0], err = x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, err
	}
	made.Leaf, err = x509.ParseCertificate(made.Certificate[0])
	return made, err
}

// newCA makes a CA.
func newCA() (*tls.Certificate, error) {
	return signed(&x509.Certificate{
		// Trust stores show the name, and some keep one certificate of each.
		Subject: pkix.Name{
			Organization: []string{"banksim"},
			CommonName:   "banksim CA " + rand.Text()[:8],
		},
		NotBefore:             time.Now().Add(-backdated),
		NotAfter:              time.Now().Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}, nil)
}

// newLeaf makes a certificate for hosts.
func newLeaf(ca *tls.Certificate, hosts []string) (*tls.Certificate, error) {
	template := &x509.Certificate{
		// Names are in the SAN, where clients look for them (RFC 9525 2).
		Subject:     pkix.Name{Organization: []string{"banksim"}},
		NotBefore:   time.Now().Add(-backdated),
		NotAfter:    time.Now().Add(leafLife - backdated - time.Second), // its last second counts
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if host != "*" { // which a certificate can't say
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return signed(template, ca)
}

// keptCA returns the CA of the directory.
func (c Config) keptCA() (*tls.Certificate, error) {
	ca, err := c.openFiles(filepath.Join(c.Dir, certName), filepath.Join(c.Dir, keyName))
	switch {
	case err != nil:
	case !ca.Leaf.IsCA || ca.Leaf.KeyUsage != 0 && ca.Leaf.KeyUsage&x509.KeyUsageCertSign == 0:
		err = fmt.Errorf("%s is not the certificate of a CA: it may not sign others", certName)
	case time.Now().After(ca.Leaf.NotAfter):
		err = fmt.Errorf("%s expired at %s", certName, ca.Leaf.NotAfter.Format(time.RFC3339))
	}
	if err != nil {
		return nil, fmt.Errorf(
			"the CA in the directory %s: %w: restore %s and %s, which 'banksim print ca --tls-ca DIR' "+
				"makes in a directory that can be written and has hard links; for a new CA, to be trusted anew, remove both",
			c.Dir,
			err,
			certName,
			keyName,
		)
	}
	return ca, nil
}

// openFiles reads the files of a CA, and makes them if there is no certificate. The certificate is the one beside the
// key, whose file comes into being once and whole, so that simulators that start at the same time agree about it.
func (c Config) openFiles(certFile, keyFile string) (*tls.Certificate, error) {
	if _, err := os.Stat(certFile); !errors.Is(err, fs.ErrNotExist) {
		return c.readPair(certFile, keyFile)
	}
	made, err := newCA()
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil { // everybody may read the certificate, and the key guards itself
		return nil, err
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), certPEM(made)...)
	if err := createOnce(keyFile, both, 0o600); err != nil {
		return nil, err
	}
	kept, err := c.readPair(keyFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("there is no %s, and %s: %w", certName, keyName, err)
	}
	return kept, createOnce(certFile, certPEM(kept), 0o644)
}

func certPEM(cert *tls.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Leaf.Raw})
}

// createOnce creates a file with its whole content, unless there is one.
func createOnce(file string, content []byte, mode fs.FileMode) error {
	draft := file + "." + rand.Text()
	if err := os.WriteFile(draft, content, mode); err != nil {
		return err
	}
	err := os.Link(draft, file)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(draft))
}

// readPair reads a certificate and its private key. No error shows the key.
func (c Config) readPair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := c.Read(certFile)
	if err != nil {
		return nil, err
	}
	key, err := c.Read(keyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	return &pair, err
}

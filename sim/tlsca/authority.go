package tlsca

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

const (
	day = 24 * time.Hour
	// backdated is how far certificates reach back, for clients whose clocks are slow (choice).
	backdated = day
	// authorityLife is how long a CA is valid (choice).
	authorityLife = 10 * 365 * day
)

// authority is a CA.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  []byte // of the certificate
}

// newAuthority makes a CA.
func newAuthority(now time.Time) (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	return selfSigned(key, now)
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// selfSigned makes the certificate of a CA with a key.
func selfSigned(key crypto.Signer, now time.Time) (*authority, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	// Trust stores show the name, and some keep one certificate of each.
	name := pkix.Name{Organization: []string{"banksim"}, CommonName: fmt.Sprintf("banksim CA %x", serial.Bytes()[:4])}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber:          serial,
		Subject:               name,
		NotBefore:             now.Add(-backdated).UTC(),
		NotAfter:              now.Add(authorityLife).UTC(),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}, &x509.Certificate{Subject: name}, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: der})}, nil
}

// newSerial returns a serial number that no other certificate has: positive, of 16 bytes (RFC 5280 4.1.2.2).
func newSerial() (*big.Int, error) {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return nil, err
	}
	bytes[0] = bytes[0]&0x7f | 0x40
	return new(big.Int).SetBytes(bytes[:]), nil
}

package tlsca

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// ownCheck is how often the files of a certificate are looked at, when clients come (choice).
const ownCheck = 10 * time.Second

// own is a certificate that was given. When its files are replaced, as tools that renew certificates do, it is read again.
type own struct {
	cfg Config

	mu      sync.Mutex
	cert    *tls.Certificate
	version [2]fileVersion
	looked  time.Time
}

// fileVersion tells the contents that a file had from each other.
type fileVersion struct {
	modified time.Time
	size     int64
}

func newOwn(cfg Config) (*own, error) {
	o := &own{cfg: cfg, looked: cfg.Now()}
	o.version = o.versions()
	cert, err := o.load()
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", o.cfg.CertFile, o.cfg.KeyFile, err)
	}
	if now := cfg.Now(); now.After(cert.Leaf.NotAfter) {
		return nil, fmt.Errorf("the certificate %s expired at %s: renew it", o.cfg.CertFile, cert.Leaf.NotAfter.Format(time.RFC3339))
	}
	o.cert = &cert
	return o, nil
}

// get returns the certificate, whatever name a client asks for: the client decides whether it is the right one.
func (o *own) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.cfg.Now()
	if now.Sub(o.looked) < ownCheck {
		return o.cert, nil
	}
	o.looked = now
	if version := o.versions(); version != o.version {
		// While only one of the files is replaced, they don't fit: then the old certificate stays, for now.
		if cert, err := o.load(); err == nil {
			o.cert, o.version = &cert, version
		}
	}
	return o.cert, nil
}

func (o *own) load() (tls.Certificate, error) {
	cert, err := o.cfg.Read(o.cfg.CertFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := o.cfg.Read(o.cfg.KeyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

func (o *own) versions() (v [2]fileVersion) {
	for i, file := range []string{o.cfg.CertFile, o.cfg.KeyFile} {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() { // a pipe is read once
			v[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return v
}

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
	certFile, keyFile string
	now               func() time.Time

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
	o := &own{certFile: cfg.CertFile, keyFile: cfg.KeyFile, now: cfg.Now, looked: cfg.Now()}
	o.version = o.versions()
	cert, err := tls.LoadX509KeyPair(o.certFile, o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", o.certFile, o.keyFile, err)
	}
	if now := cfg.Now(); now.After(cert.Leaf.NotAfter) {
		return nil, fmt.Errorf("the certificate %s expired at %s: renew it", o.certFile, cert.Leaf.NotAfter.Format(time.RFC3339))
	}
	o.cert = &cert
	return o, nil
}

// get returns the certificate, whatever name a client asks for: the client decides whether it is the right one.
func (o *own) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if now.Sub(o.looked) < ownCheck {
		return o.cert, nil
	}
	o.looked = now
	if version := o.versions(); version != o.version {
		// While only one of the files is replaced, they don't fit: then the old certificate stays, for now.
		if cert, err := tls.LoadX509KeyPair(o.certFile, o.keyFile); err == nil {
			o.cert, o.version = &cert, version
		}
	}
	return o.cert, nil
}

func (o *own) versions() (v [2]fileVersion) {
	for i, file := range []string{o.certFile, o.keyFile} {
		if info, err := os.Stat(file); err == nil {
			v[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return v
}

package tlsca

import (
	"container/list"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"sync"
	"time"
)

const (
	// leafLife is how long a certificate is valid: some clients accept no longer ones.
	leafLife = 397 * day
	// renewedBefore is how long before its end a certificate is made again (choice).
	renewedBefore = 30 * day
	// maxLeaves is how many certificates for names of wildcards are kept (choice). Making one takes less time than the
	// handshake.
	maxLeaves = 100
)

// leaves are the certificates that a CA signs. One is for all hosts that are known. Names that only a wildcard has get
// certificates of their own, because clients disagree about wildcards in certificates.
type leaves struct {
	authority *authority
	hosts     hostSet
	now       func() time.Time

	mu     sync.Mutex
	kept   map[string]*list.Element // by name; empty: the one for all hosts
	recent *list.List               // of *leaf: the one used last comes first
}

// leaf is a certificate and its name.
type leaf struct {
	name  string
	cert  *tls.Certificate
	renew time.Time
}

func newLeaves(authority *authority, hosts []string, now func() time.Time) *leaves {
	return &leaves{authority: authority, hosts: newHostSet(hosts), now: now, kept: map[string]*list.Element{}, recent: list.New()}
}

// get returns the certificate for a client; nil: there is none for the name that it asks for. A client that asks for no name,
// because it has the address of the server alone, gets the one for all hosts.
func (l *leaves) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := normal(hello.ServerName)
	if name == "" {
		return l.of("")
	}
	matches, exactly := l.hosts.matches(name)
	switch {
	case exactly:
		return l.of("")
	case matches && CheckHost(name) == nil:
		return l.of(name)
	}
	return nil, nil
}

// of returns the certificate for a name, or that for all hosts. It makes one that isn't there, or that will expire soon.
func (l *leaves) of(name string) (*tls.Certificate, error) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if found, ok := l.kept[name]; ok {
		if kept := found.Value.(*leaf); now.Before(kept.renew) {
			l.recent.MoveToFront(found)
			return kept.cert, nil
		}
		l.recent.Remove(found)
		delete(l.kept, name)
	}
	made, err := l.sign(name, now)
	if err != nil {
		return nil, err
	}
	l.kept[name] = l.recent.PushFront(made)
	if l.recent.Len() > maxLeaves {
		if l.recent.Back().Value.(*leaf).name == "" {
			l.recent.MoveToFront(l.recent.Back()) // most clients want it
		}
		oldest := l.recent.Remove(l.recent.Back()).(*leaf)
		delete(l.kept, oldest.name)
	}
	return made.cert, nil
}

// sign makes a certificate.
func (l *leaves) sign(name string, now time.Time) (*leaf, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	end := now.Add(leafLife - backdated - time.Second) // its last second counts
	if last := l.authority.cert.NotAfter; end.After(last) {
		end = last
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{Organization: []string{"banksim"}}, // names are in the SAN, which is what clients read (RFC 9525 2)
		NotBefore:    now.Add(-backdated).UTC(),
		NotAfter:     end.UTC().Truncate(time.Second),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if name == "" {
		template.DNSNames, template.IPAddresses = l.hosts.dnsNames, l.hosts.ips
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, l.authority.cert, key.Public(), l.authority.key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	renew := end.Add(-renewedBefore)
	if !renew.After(now) { // the CA ends soon: another certificate would end as early
		renew = end
	}
	// The CA goes along: some clients want the chain whole.
	return &leaf{name, &tls.Certificate{Certificate: [][]byte{der, l.authority.cert.Raw}, PrivateKey: key, Leaf: parsed}, renew}, nil
}

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// nets are the listeners of a server, before anything is served.
type nets struct {
	service, control net.Listener
	secure           net.Listener // nil: there is none
}

// listen opens all listeners, or none.
func (c Config) listen(ctx context.Context) (n nets, err error) {
	if c.Certificates == nil && (c.ServiceTLS != "" || c.ControlTLS) {
		return n, errors.New("a listener that speaks https needs certificates")
	}
	var listen net.ListenConfig
	for _, one := range []struct {
		name, address string
		on            *net.Listener
	}{{"service", c.Service, &n.service}, {"https", c.ServiceTLS, &n.secure}, {"control", c.Control, &n.control}} {
		if one.on == &n.secure && one.address == "" {
			continue
		}
		if *one.on, err = listen.Listen(ctx, "tcp", one.address); err != nil {
			*one.on = nil
			return n, errors.Join(fmt.Errorf("%s listener: %w", one.name, err), n.close())
		}
	}
	return n, nil
}

// close closes those that are open.
func (n nets) close() error {
	var errs []error
	for _, l := range []net.Listener{n.service, n.secure, n.control} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(errs...)
}

// protocol is what a listener speaks.
type protocol interface {
	scheme() string
	serve(*http.Server, net.Listener) error
	// mistaken returns what a client is answered whose first byte is none of the protocol; empty: it may be one of it.
	mistaken(first byte, on net.Addr) (answer string)
}

// plain is HTTP/1, and HTTP/2 for clients that know that it is spoken (RFC 9113 3.3).
type plain struct {
	https string // URL of the listener that speaks https; empty: there is none
	flag  string // that would have one
}

func (plain) scheme() string { return "http" }

func (plain) serve(server *http.Server, on net.Listener) error {
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server.Serve(on)
}

// tlsHandshake is the first byte of what a client of TLS sends (RFC 8446 5.1). No method of HTTP begins with it.
const tlsHandshake = 0x16

func (p plain) mistaken(first byte, on net.Addr) string {
	switch {
	case first != tlsHandshake:
		return ""
	case p.https != "":
		return fmt.Sprintf("this port speaks http: ask for http://%s, or for https at %s", on, p.https)
	}
	return fmt.Sprintf("this port speaks http: ask for http://%s, or for https start banksim serve with %s", on, p.flag)
}

// secured is HTTP/1 and HTTP/2 over TLS.
type secured struct {
	config *tls.Config
	http   string // URL of the listener that speaks http; empty: there is none
}

// speaksTLS returns the protocol of a listener that speaks https.
func (s *Server) speaksTLS(http string) secured {
	return secured{s.certs.TLS(s.noteUnknownName), http}
}

func (secured) scheme() string { return "https" }

func (p secured) serve(server *http.Server, on net.Listener) error {
	server.TLSConfig = p.config
	return server.ServeTLS(on, "", "")
}

func (p secured) mistaken(first byte, on net.Addr) string {
	switch {
	case first < 'A' || first > 'Z': // methods begin so
		return ""
	case p.http != "":
		return fmt.Sprintf("this port speaks https: ask for https://%s, or for http at %s", on, p.http)
	}
	return fmt.Sprintf("this port speaks https: ask for https://%s", on)
}

// HTTPSURL returns the URL of the service listener that speaks https, empty if there is none; see ServiceURL.
func (s *Server) HTTPSURL() string {
	if s.secure == nil {
		return ""
	}
	return s.secure.url()
}

// givenHTTPSURL returns the URL that the control API gives clients for https. Where they have a URL of their own, none.
func (s *Server) givenHTTPSURL(public string) string {
	if public != "" {
		return ""
	}
	return s.HTTPSURL()
}

// CA returns the certificate that clients must trust (PEM). Nil: the simulator speaks no https, or by a certificate that it
// was given.
func (s *Server) CA() []byte {
	if s.certs == nil {
		return nil
	}
	return s.certs.CA()
}

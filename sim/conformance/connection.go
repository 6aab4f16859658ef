package conformance

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"regexp"
	"strings"
)

var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 5.6.2
	headerValue = regexp.MustCompile(`^[\t -~\x80-\x{10ffff}]*$`)
)

// ReadHeader reads headers such as "Name: value". Its errors show no value.
func ReadHeader(lines []string) (http.Header, error) {
	h := http.Header{}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || !headerName.MatchString(name) {
			return nil, fmt.Errorf("header number %d has no name and value: write 'Name: value'", i+1)
		}
		if !headerValue.MatchString(value) {
			return nil, fmt.Errorf("the value of the header %s has control characters: remove them", name)
		}
		h.Add(name, textproto.TrimString(value))
	}
	return h, nil
}

// ReadTLS reads the client certificate and its key, and the certificates that the service's must be signed by, from PEM
// files. Each may be left out, but not the key alone, or the certificate alone. Nil: all are.
func ReadTLS(cert, key, ca string) (*tls.Config, error) {
	if cert == "" && key == "" && ca == "" {
		return nil, nil
	}
	if (cert == "") != (key == "") {
		return nil, errors.New("--client-cert and --client-key belong together: give both, or none")
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s: %w", cert, key, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if ca != "" {
		data, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("ca: %s has no certificates in PEM", ca)
		}
	}
	return cfg, nil
}

package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// readHeader reads headers such as "Name: value". Its errors show no value.
func readHeader(lines []string) (http.Header, error) {
	h := http.Header{}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsFunc(line, unicode.IsControl) || strings.Contains(name, " ") {
			return nil, fmt.Errorf("header number %d has no name and value: write 'Name: value'", i+1)
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}

// readTLS reads PEM: the client certificate, its key, and the certificates of authorities to trust. Each
// may be nil.
func readTLS(cert, key, ca []byte) (*tls.Config, error) {
	if cert == nil && key == nil && ca == nil {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != nil || key != nil {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("--client-cert with --client-key: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if ca != nil {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("the file of certificates to trust has none in PEM")
		}
	}
	return cfg, nil
}

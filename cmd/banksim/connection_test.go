package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadTLS(t *testing.T) {
	t.Parallel()
	service := httptest.NewTLSServer(nil)
	defer service.Close()
	encode := func(kind string, data []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}) }
	der, err := x509.MarshalPKCS8PrivateKey(service.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	cert, key := encode("CERTIFICATE", service.Certificate().Raw), encode("PRIVATE KEY", der)

	settings, err := readTLS(cert, key, cert)
	require.NoError(t, err)
	assert.Equal(t, service.TLS.Certificates[0].Certificate, settings.Certificates[0].Certificate)
	trusted := x509.NewCertPool()
	trusted.AddCert(service.Certificate())
	assert.True(t, trusted.Equal(settings.RootCAs))

	for _, files := range [][3][]byte{{cert, nil, nil}, {nil, key, nil}, {cert, cert, nil}, {nil, nil, key}} {
		_, err := readTLS(files[0], files[1], files[2])
		assert.Error(t, err)
	}
}

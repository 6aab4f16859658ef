package fault

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Forward says which service answers in place of a stub. Its JSON is the URL, or an object.
type Forward struct {
	// The URL below which the path of the request is called.
	URL string `json:"url"`
	// PEM of the authorities that are trusted for it, in place of the system's.
	CA string `json:"ca,omitzero"`
}

// MarshalJSON writes the URL alone if there is no more.
func (f Forward) MarshalJSON() ([]byte, error) {
	if f.CA == "" {
		return json.Marshal(f.URL)
	}
	type plain Forward
	return json.Marshal(plain(f))
}

// UnmarshalJSON reads a URL or an object.
func (f *Forward) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &f.URL)
	}
	type plain Forward
	return json.Unmarshal(data, (*plain)(f))
}

// Service is a service that requests are forwarded to.
type Service struct {
	Base      *url.URL
	Transport http.RoundTripper // of its own, so that nothing is sent by the connections of another service
}

// parse returns the base URL of the service, and the authorities that are trusted for it, or nil
// for the authorities of the system.
func (f Forward) parse() (base *url.URL, trusted *x509.CertPool, err error) {
	base, err = url.Parse(f.URL)
	switch {
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return nil, nil, fmt.Errorf("%s is not a URL such as https://other.example/base", wording.Quote(redact.URL(f.URL)))
	case len(base.Port()) > len("65535"), strings.ContainsAny(base.Path, "{}"),
		base.Path != "" && path.Clean(base.Path) != strings.TrimSuffix(base.Path, "/") && base.Path != "/":
		return nil, nil, fmt.Errorf("%s has a port, or a path with braces or dots, that no service has: correct it",
			wording.Quote(redact.URL(f.URL)))
	case base.User != nil:
		return nil, nil, errors.New("the URL has a user or a password: remove it")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, nil, fmt.Errorf("the URL %s has a query or a fragment: remove it", wording.Quote(redact.URL(f.URL)))
	case f.CA == "":
		return base, nil, nil
	case base.Scheme != "https":
		return nil, nil, errors.New("ca is for a URL with https: change the URL, or remove ca")
	}
	trusted = x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(f.CA)) {
		return nil, nil, errors.New(
			`ca holds no certificate: write PEM, which begins with "-----BEGIN CERTIFICATE-----"`)
	}
	return base, trusted, nil
}

// Check returns why the URL or the authorities can't be used, or nil.
func (f Forward) Check() error {
	_, _, err := f.parse()
	return err
}

// service returns a function that returns the service. It always returns the same one. It fails as Check does.
func (f Forward) service() func() (*Service, error) {
	return sync.OnceValues(func() (*Service, error) {
		base, trusted, err := f.parse()
		if err != nil {
			return nil, err
		}
		transport := &http.Transport{
			TLSClientConfig:        &tls.Config{RootCAs: trusted},
			Protocols:              new(http.Protocols),
			DisableCompression:     true, // the client gets the answer as it is
			IdleConnTimeout:        10 * time.Second,
			MaxIdleConnsPerHost:    16,
			MaxResponseHeaderBytes: 64 << 10,
		}
		transport.Protocols.SetHTTP1(true)
		transport.Protocols.SetHTTP2(true)
		return &Service{base, transport}, nil
	})
}

// ForwardTo returns a firing of a rule that forwards a request.
func ForwardTo(name, url string) *Firing {
	forward := &Forward{URL: url}
	return &Firing{Rule: &Rule{Name: name, Then: Then{Forward: forward}}, Phase: Before, Service: forward.service()}
}

// forward checks a rule that forwards requests.
func (c *check) forward(then Then) {
	const at = "then.forward"
	c.reject(!c.rule.IsStub(), at,
		"forward goes with a path that the interface doesn't have: add path, or remove forward")
	for _, name := range then.answer() {
		c.reject(name != "headers", "then."+name, "forward answers as the other service does: remove %s", name)
	}
	err := then.Forward.Check()
	c.reject(err != nil, at, "%v", err)
}

package fault

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
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

// Service returns the service. It fails if the URL or the authorities can't be used.
func (f Forward) Service() (*Service, error) {
	base, err := url.Parse(f.URL)
	switch {
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return nil, fmt.Errorf("%s is not a URL such as https://other.example/base", phrase.Quote(f.URL))
	case base.User != nil:
		return nil, errors.New("the URL has a user or a password: remove it")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, fmt.Errorf("the URL %s has a query or a fragment: remove it", phrase.Quote(f.URL))
	}
	trusted := x509.NewCertPool()
	switch {
	case f.CA == "":
		trusted = nil // those of the system
	case base.Scheme != "https":
		return nil, errors.New("ca is for a URL with https: change the URL, or remove ca")
	case !trusted.AppendCertsFromPEM([]byte(f.CA)):
		return nil, errors.New(`ca holds no certificate: write PEM, which begins with "-----BEGIN CERTIFICATE-----"`)
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
}

// ForwardTo returns a firing of a rule that forwards a request. It panics if the URL has a mistake.
func ForwardTo(name, url string) *Firing {
	rule := Rule{Name: name, Then: Then{Forward: &Forward{URL: url}}}
	service, err := rule.Then.Forward.Service()
	if err != nil {
		panic("fault: a URL that was not checked: " + err.Error())
	}
	return &Firing{Rule: &rule, Phase: Before, Service: service}
}

// Forward returns the first firing that forwards the request. It returns nil if no rule does, or if an earlier rule
// answers.
func (v Verdict) Forward() *Firing {
	for i := range v.Fired {
		switch f := &v.Fired[i]; {
		case f.Service != nil:
			return f
		case f.Rule.Answers() && f.Phase == Before:
			return nil
		}
	}
	return nil
}

// follows reports whether the other rule forwards requests, and this one replaces or damages the answer.
func (r *Rule) follows(other *Rule) bool {
	return other.Then.Forward != nil && r.Then.Forward == nil && r.InPhase() == After
}

// forward checks a rule that forwards requests.
func (c *check) forward(then Then) {
	const at = "then.forward"
	c.reject(!c.rule.IsStub(), at,
		"forward goes with a path that the interface doesn't have: add path, or remove forward")
	for _, name := range then.answer() {
		c.reject(name != "headers", "then."+name, "forward answers as the other service does: remove %s", name)
	}
	_, err := then.Forward.Service()
	c.reject(err != nil, at, "%v", err)
}

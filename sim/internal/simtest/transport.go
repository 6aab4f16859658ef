package simtest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// checkedTransport checks every exchange of a client with the bank API against the OpenAPI document.
type checkedTransport struct {
	http.RoundTripper
	bank *Bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil || "http://"+r.URL.Host != c.bank.Server.ServiceURL() {
		return res, err
	}
	got, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil { // it was cut off: the caller sees that, and there is nothing to check
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), failingReader{err}))
		return res, nil
	}
	res.Body = io.NopCloser(bytes.NewReader(got))
	if err := c.bank.Check(r, res, got); err != nil {
		c.bank.t.Errorf("%s %s answered %d %s\nis not in the contract: %v", r.Method, r.URL, res.StatusCode, strings.TrimSpace(string(got)), err)
	}
	return res, nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

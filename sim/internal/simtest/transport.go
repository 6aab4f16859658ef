package simtest

import (
	"bytes"
	"io"
	"net/http"
)

// checkedTransport checks every exchange of a client against the OpenAPI document of the API.
type checkedTransport struct {
	http.RoundTripper
	bank *Bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return res, err
	}
	check := CheckControl
	switch "http://" + r.URL.Host {
	case c.bank.Server.ControlURL():
	case c.bank.Server.ServiceURL():
		check = c.bank.Check
	default:
		return res, nil
	}
	if isStream(res) {
		if err := check(r, res, nil); err != nil {
			c.bank.t.Error(err)
		}
		return res, nil
	}
	got, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil { // it was cut off: the caller sees that, and there is nothing to check
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), failingReader{err}))
		return res, nil
	}
	res.Body = io.NopCloser(bytes.NewReader(got))
	if err := check(r, res, got); err != nil {
		c.bank.t.Errorf("%s %s answered %d %.2000s\nis not in the contract: %v", r.Method, r.URL, res.StatusCode, bytes.TrimSpace(got), err)
	}
	return res, nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

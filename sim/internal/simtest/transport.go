package simtest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing/iotest"
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
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), iotest.ErrReader(err)))
		return res, nil
	}
	res.Body = io.NopCloser(bytes.NewReader(got))
	if err := check(r, res, got); err != nil {
		c.bank.t.Errorf(
			"%s %s answered %d %.2000s\nis not in the contract: %v", r.Method, r.URL, res.StatusCode,
			bytes.TrimSpace(got), err,
		)
	}
	return res, nil
}

// isStream reports whether an answer goes on until its stream ends.
func isStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

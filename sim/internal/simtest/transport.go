package simtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
)

// checkedTransport checks every exchange of a client: with the bank API against the OpenAPI document and that of the
// sandbox's behaviour, with the control API against its own.
type checkedTransport struct {
	http.RoundTripper
	bank *Bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	before := c.bank.periodOf(r)
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return res, err
	}
	check := CheckControl
	switch "http://" + r.URL.Host {
	case c.bank.Server.ControlURL():
	case c.bank.Server.ServiceURL():
		check = func(r *http.Request, res *http.Response, got []byte) error {
			return c.bank.checkIn(before, r, res, got)
		}
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

// checkIn checks an exchange with the bank API, also against the document of the sandbox's behaviour if the period in
// which the request was sent has not ended.
func (b *Bank) checkIn(sent period, r *http.Request, res *http.Response, got []byte) error {
	now := b.periodOf(r)
	if err := b.Check(r, res, got); err != nil || now.generation == nil || now.generation != sent.generation || !reflect.DeepEqual(now.behavior, sent.behavior) {
		return err
	}
	if err := b.checkUnder(&now.behavior, r, res, got); err != nil {
		return fmt.Errorf("under the behavior %s: %w", JSON(now.behavior), err)
	}
	return nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

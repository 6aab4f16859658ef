package simtest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// checkedTransport checks every exchange of a client with the bank API against the OpenAPI document.
type checkedTransport struct {
	http.RoundTripper
	bank *Bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if "http://"+r.URL.Host != c.bank.Server.ServiceURL() {
		return c.RoundTripper.RoundTrip(r)
	}
	sent := &capture{}
	if r.Body != nil && r.Body != http.NoBody {
		again := *r
		again.Body = sent.tee(r.Body)
		if getBody := r.GetBody; getBody != nil { // for a request that has to be sent once more
			again.GetBody = func() (io.ReadCloser, error) {
				body, err := getBody()
				return sent.tee(body), err
			}
		}
		r = &again
	}
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(got))
	if err != nil { // it was cut off: the caller sees that, and there is nothing to check
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), failingReader{err}))
		return res, nil
	}
	if err := c.bank.Check(r, sent.bytes(), res, got); err != nil {
		c.bank.t.Errorf("%s %s answered %d %s\nis not in the contract: %v", r.Method, r.URL, res.StatusCode, strings.TrimSpace(string(got)), err)
	}
	return res, nil
}

// capture is what is sent of a request's body.
type capture struct {
	mu   sync.Mutex
	body *bytes.Buffer
}

// tee returns the body, which is captured anew as it is read.
func (c *capture) tee(body io.ReadCloser) io.ReadCloser {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.body = &bytes.Buffer{}
	return teeBody{body, c, c.body}
}

func (c *capture) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body == nil {
		return nil
	}
	return bytes.Clone(c.body.Bytes())
}

type teeBody struct {
	io.ReadCloser
	capture *capture
	into    *bytes.Buffer
}

func (t teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.capture.mu.Lock()
	defer t.capture.mu.Unlock()
	t.into.Write(p[:n])
	return n, err
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

package simtest

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// checkedTransport checks every exchange of a client with the bank API against the OpenAPI document, and against that of the
// sandbox's behaviour.
type checkedTransport struct {
	http.RoundTripper
	bank *Bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	before := c.bank.behaviorOf(r)
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
	behaviors := []*sim.Behavior{nil} // of any
	if before != nil && reflect.DeepEqual(before, c.bank.behaviorOf(r)) {
		behaviors = append(behaviors, before)
	}
	for _, behavior := range behaviors {
		if err := c.bank.checkUnder(behavior, r, res, got); err != nil {
			c.bank.t.Errorf("%s %s answered %d %s\nis not in the contract (under the behavior %s): %v",
				r.Method, r.URL, res.StatusCode, strings.TrimSpace(string(got)), JSON(behavior), err)
		}
	}
	return res, nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

package bankapi

import (
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// call is one request to an operation, at one moment of its sandbox. All that a handler sees of the bank is that
// moment's.
type call struct {
	sandbox.Moment
	generation *sandbox.Generation // of the sandbox, when the request began
	operation  *operation
	request    *http.Request
	pathVars   map[string]string
	query      url.Values
	baseURL    string // that the caller used: scheme, host and the sandbox's prefix
	content    content
	mayChange  bool // whether the world may be written to
	strict     bool // whether nothing is answered that rests on a choice alone
	lints      []journal.Lint
	used       []string // entries of the ledger that this request's answer rests on, too
	leans      []string // those of them without which the request would have been refused
}

// lint notes something about the request that changes no answer, but that its sender may want to know.
func (c *call) lint(code, message string) {
	c.lints = append(c.lints, journal.Lint{Code: code, Message: message})
}

func (c *call) behavior() *sim.Behavior { return c.World.Behavior() }

// pathVar returns a path variable, unescaped.
func (c *call) pathVar(name string) string {
	value, err := url.PathUnescape(c.pathVars[name])
	if err != nil {
		panic("bankapi: a path that net/http has parsed doesn't unescape: " + err.Error())
	}
	return value
}

// parameter returns a required query parameter.
func (c *call) parameter(name string) (string, error) {
	switch values := c.query[name]; {
	case len(values) == 0 || values[0] == "":
		return "", sim.Refuse(parameterMissing, "query parameter %s is missing", name)
	case len(values) > 1:
		return "", sim.Refuse(parameterRepeated, "query parameter %s is given more than once", name)
	default:
		return values[0], nil
	}
}

// requestID returns the header that identifies the request, empty where it is missing.
func (c *call) requestID() string { return c.request.Header.Get(c.operation.family.requestID) }

// requireRequestID refuses a request without the header that identifies it.
func (c *call) requireRequestID() error {
	if c.requestID() == "" {
		return sim.Refuse(requestIDMissing, "header %s is missing", c.operation.family.requestID)
	}
	return nil
}

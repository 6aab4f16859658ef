package bankapi

import (
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// call is the argument of an operation's function: a request, and the bank to carry it out in.
type call struct {
	*request
	op         *contract.Operation // in the dialect of the answer
	documented *contract.Answer    // that the policy selects
	policy     *sim.Policy
	world      *sim.World // written to only by operations that change the bank
	now        time.Time
	remembers  bool           // whether the bank remembers the id of the request
	lints      []journal.Lint // see lint
}

func newCall(req *request, m moment) *call {
	return &call{
		request: req, op: m.op, documented: m.op.Answer(m.policy), policy: m.policy, world: m.World, now: m.Now,
		remembers: m.remembersRequestID(),
	}
}

// lint notes something about the request that changes no answer, but that its sender may want to know.
func (c *call) lint(code, message string) {
	c.lints = append(c.lints, journal.Lint{Code: code, Message: message})
}

// answer is the result of an operation's function for a request that it accepts.
type answer struct {
	documented *contract.Answer
	body       []byte // in JSON, or nil if there is none
	about      any    // the value that the evidence of the operation reads, or nil
}

// answer returns the answer that the policy selects, with a value as its body and a value for the evidence.
func (c *call) answer(body, about any) answer {
	return answer{documented: c.documented, body: wire.MustEncode(body), about: about}
}

// empty returns the answer that the policy selects, without a body.
func (c *call) empty(about any) answer { return answer{documented: c.documented, about: about} }

// reply returns the answer as the reply of an operation.
func (a answer) reply(op *contract.Operation) reply {
	rep := reply{status: a.documented.Status, body: a.body}
	if op.NoStore && a.body != nil {
		for _, h := range []contract.Header{contract.CacheControl, contract.Pragma} {
			rep = rep.with(h.Name, h.About)
		}
	}
	return rep
}

// link returns the address of an operation on the caller's base URL, in the dialect of its path. Variables are given
// with their values.
func (c *call) link(op *contract.Operation, variables ...string) string {
	path := contract.In(c.asked.Dialect).Operation(op.Name).Path
	for i := 0; i < len(variables); i += 2 {
		path = strings.Replace(path, "{"+variables[i]+"}", variables[i+1], 1)
	}
	return c.baseURL + path
}

// takesHeader reports whether the operation reads a header.
func (c *call) takesHeader(name string) bool {
	return slices.ContainsFunc(c.op.Parameters, func(p contract.Parameter) bool {
		return p.In == "header" && strings.EqualFold(p.Name, name)
	})
}

// requestID returns the header that identifies the request, or "" if it is missing.
func (c *call) requestID() string { return c.header(c.op.Family.RequestID) }

// requireRequestID refuses a request without the header that identifies it, or with one that the family doesn't take.
func (c *call) requireRequestID() error {
	switch {
	case c.requestID() == "":
		return sim.Refuse(contract.RequestIDMissing, "header %s is missing", c.op.Family.RequestID)
	case c.op.Family.RequestIDs != nil:
		return c.requireUUID()
	}
	return nil
}

// requireUUID refuses a request unless a UUID identifies it.
func (c *call) requireUUID() error {
	if !contract.UUID.MatchString(c.requestID()) {
		return sim.Refuse(contract.RequestIDMalformed, "header %s must be a UUID", c.op.Family.RequestID)
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

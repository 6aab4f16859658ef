package fault

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// IsStub reports whether the rule answers requests to a path that the interface doesn't have.
func (r *Rule) IsStub() bool { return r.Path != "" }

// concerns reports whether the rule is switched on, and has the operation of a request, or the path if it is a stub.
func (r *Rule) concerns(q *Query) bool {
	if r.IsStub() {
		return q.Operation == "" && r.stubs(q.Method, q.Path)
	}
	return q.Operation != "" && r.Operation.Include(q.Operation) && !r.Off
}

// stubs reports whether the rule is a stub of this method and escaped path, and is switched on. A stub answers HEAD
// like GET (RFC 9110 9.3.2). No stub answers CONNECT and TRACE: a service that it forwards to could open a tunnel, or
// send the credentials back.
func (r *Rule) stubs(method, path string) bool {
	if method == http.MethodHead && r.Method != http.MethodHead {
		method = http.MethodGet
	}
	if method == http.MethodConnect || method == http.MethodTrace {
		return false
	}
	return r.IsStub() && !r.Off && (r.Method == "" || r.Method == method) && match.Covers(r.Path, match.OfRequest(path))
}

// Stubs reports whether a rule of the set is a stub of this method and escaped path.
func (s *Set) Stubs(method, path string) bool {
	return slices.ContainsFunc(s.rules, func(c *compiledRule) bool { return c.rule.stubs(method, path) })
}

// HasStub reports whether a rule of the set is a stub of this escaped path, for any method. The rule may be switched
// off.
func (s *Set) HasStub(path string) bool {
	return slices.ContainsFunc(s.rules, func(c *compiledRule) bool {
		return c.rule.IsStub() && match.Covers(c.rule.Path, match.OfRequest(path))
	})
}

// stub checks a rule that has a method or a path.
func (c *check) stub() {
	r := c.rule
	c.reject(r.Method != "" && r.Path == "", "method",
		"method goes with path: add the path to answer, or name an operation instead")
	if !r.IsStub() {
		return
	}
	c.reject(len(r.Operation) > 0, "operation",
		"a fault has an operation, or the path that it is a stub of: remove one of them")
	hasPath := c.path(r.Method, r.Path)
	if request := r.When.Request; request != nil {
		c.reject(request.Dialect != "", "when.request.dialect",
			"a path that isn't the interface's has no dialect: remove it")
	}
	if then := r.Then; then.Forward == nil {
		needsBody := !slices.Contains([]int{0, http.StatusNoContent, http.StatusNotModified}, then.Status)
		hasError := c.reject(then.Error != nil, "then.error",
			"a stub has no error body that this could be a part of: write body")
		c.reject(hasPath && needsBody && !hasError && !then.HasBody() && then.BodyFile == "", "then.status",
			`a stub has no body of its own: add body, or body: "" for none`)
	}
	if hasPath {
		c.variables()
	}
}

// Body is the whole body of an answer. Its JSON is a text, an object or an array.
type Body struct {
	Text   string
	IsJSON bool // whether it was given as an object or an array: then that of a stub may have variables
}

// MarshalJSON writes the body as it was given.
func (b Body) MarshalJSON() ([]byte, error) {
	if b.IsJSON {
		return []byte(b.Text), nil
	}
	return strictjson.Encode(b.Text)
}

// UnmarshalJSON reads a text, or keeps the bytes of an object or an array.
func (b *Body) UnmarshalJSON(data []byte) error {
	if data[0] == '{' || data[0] == '[' {
		*b = Body{string(data), true}
		return nil
	}
	return json.Unmarshal(data, &b.Text)
}

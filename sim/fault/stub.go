package fault

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// IsStub reports whether the rule answers requests to a path that the interface doesn't have, instead of operations.
func (r *Rule) IsStub() bool { return r.Path != "" }

// concerns reports whether the rule is switched on, and is for the operation of a request. A stub is for its method and
// path.
func (r *Rule) concerns(q *Query) bool {
	if r.IsStub() {
		return q.Operation == "" && r.stubs(q.Method, q.Path)
	}
	return q.Operation != "" && r.Operation.Include(q.Operation) && !r.Off
}

// stubs reports whether the rule is a stub of a method and an escaped path. It answers HEAD like GET (RFC 9110 9.3.2).
func (r *Rule) stubs(method, path string) bool {
	if method == http.MethodHead && r.Method != http.MethodHead {
		method = http.MethodGet
	}
	return r.IsStub() && !r.Off && (r.Method == "" || r.Method == method) && covers(r.Path, path)
}

// covers reports whether a template with variables such as {id} matches a path. If the path is a template too, the
// first must match all paths that the second matches.
func covers(template, path string) bool {
	known, given := strings.Split(template, "/"), strings.Split(path, "/")
	if len(known) != len(given) {
		return false
	}
	for i, segment := range known {
		isVariable := strings.HasPrefix(segment, "{")
		if isVariable && given[i] == "" || !isVariable && segment != given[i] {
			return false
		}
	}
	return true
}

// Stubs reports whether a rule of the set is a stub of a method and an escaped path.
func (s *Set) Stubs(method, path string) bool {
	return slices.ContainsFunc(s.rules, func(c *compiledRule) bool { return c.rule.stubs(method, path) })
}

// stub checks a rule that has a method or a path. A stub cannot answer a path of the interface.
func (c *check) stub() {
	r := c.rule
	c.reject(r.Method != "" && r.Path == "", "method",
		"method goes with path: add the path to answer, or name an operation instead")
	if !r.IsStub() {
		return
	}
	c.reject(len(r.Operation) > 0, "operation",
		"a fault has an operation, or the path that it is a stub of: remove one of them")
	c.reject(strings.HasPrefix(r.Path, "/sandboxes/"), "path",
		"path begins after the base URL: leave out /sandboxes/NAME")
	for _, op := range contract.AllOperations() {
		if covers(op.Path, r.Path) {
			c.reject(true, "path", "the interface has this path: name its operation instead, such as %s", op.Name)
			break
		}
	}
	if request := r.When.Request; request != nil {
		c.reject(request.Dialect != "", "when.request.dialect",
			"a path that isn't the interface's has no dialect: remove it")
	}
	noBody := r.Then.Status == http.StatusNoContent || r.Then.Status == http.StatusNotModified
	c.reject(r.Then.Error != nil, "then.error", "a stub has no error body that this could be a part of: write body")
	c.reject(r.Then.Status != 0 && r.Then.Error == nil && r.Then.Body == nil && !noBody, "then.status",
		`a stub has no body of its own: add body, or body: "" for none`)
}

// Body is the whole body of an answer. Its JSON is a text, an object or an array.
type Body string

// UnmarshalJSON reads a text, or keeps the bytes of an object or an array.
func (b *Body) UnmarshalJSON(data []byte) error {
	if data[0] == '{' || data[0] == '[' {
		*b = Body(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(b))
}

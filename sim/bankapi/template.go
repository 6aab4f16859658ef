package bankapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// template is the method and the path of an operation. It is compared by hand because a regular expression, as mux makes it of a
// path, costs a request that has little else to do a tenth of its time.
type template struct {
	method    string
	literals  []string // what stands before, between and after the variables
	variables []string // each is a whole segment
}

// newTemplate returns the template of an operation.
func newTemplate(op *contract.Operation) template {
	t := template{method: op.Method}
	rest := op.Path
	for {
		literal, after, more := strings.Cut(rest, "{")
		t.literals = append(t.literals, literal)
		if !more {
			return t
		}
		variable, after, _ := strings.Cut(after, "}")
		t.variables, rest = append(t.variables, variable), after
	}
}

// matches reports whether a request is one to the operation. It is a mux.MatcherFunc.
func (t template) matches(r *http.Request, _ *mux.RouteMatch) bool {
	return r.Method == t.method && strings.HasPrefix(r.URL.Path, t.literals[0]) && t.match(r.URL.EscapedPath(), nil)
}

// match reports whether an escaped path is one of the template's, and passes its segments to a function, which may be nil.
func (t template) match(path string, segment func(i int, value string)) bool {
	for i, literal := range t.literals {
		rest, ok := strings.CutPrefix(path, literal)
		if !ok || i == len(t.variables) {
			return ok && rest == ""
		}
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return false
		}
		if segment != nil {
			segment(i, rest[:end])
		}
		path = rest[end:]
	}
	return false
}

// variable returns the segment of an escaped path that stands for a variable, still escaped.
func (t template) variable(path, name string) (value string) {
	t.match(path, func(i int, segment string) {
		if i == slices.Index(t.variables, name) {
			value = segment
		}
	})
	return value
}

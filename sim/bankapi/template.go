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
	if r.Method != t.method || !strings.HasPrefix(r.URL.Path, t.literals[0]) {
		return false
	}
	_, ok := t.match(r.URL.EscapedPath(), -1)
	return ok
}

// match reports whether an escaped path is one of the template's, and returns the segment that stands for a variable, by its
// index; -1: none is asked for.
func (t template) match(path string, variable int) (segment string, ok bool) {
	for i, literal := range t.literals {
		rest, begins := strings.CutPrefix(path, literal)
		if !begins || i == len(t.variables) {
			return segment, begins && rest == ""
		}
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return "", false
		}
		if i == variable {
			segment = rest[:end]
		}
		path = rest[end:]
	}
	return "", false
}

// variable returns the segment of an escaped path that stands for a variable, still escaped; empty: the template has no such variable.
func (t template) variable(path, name string) string {
	segment, _ := t.match(path, slices.Index(t.variables, name))
	return segment
}

package match

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// hasMethod reports whether one of some methods is as expected. A mistake in a regular expression is not reported here.
func (r Requests) hasMethod(methods []string) bool {
	var c Conditions[string]
	c.Text("method", r.Method, strings.EqualFold, func(method string) string { return method })
	return r.Method == "" || c.Mistakes != nil || slices.ContainsFunc(methods, c.Fulfilled)
}

// methods are the methods of HTTP (RFC 9110 9, RFC 5789).
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}

func (r Requests) checkMethod() []Mistake {
	known, problem := methods, wording.DidYouMean(r.Method, methods, "the methods are")
	asked := r.Operations
	if r.Outside {
		isOther := func(op *contract.Operation) bool { return !isLiteral(r.Path) || !r.hasPath(op) }
		asked = slices.DeleteFunc(slices.Clone(asked), isOther)
	}
	if len(asked) > 0 || !r.Outside {
		known = nil
		for _, op := range asked {
			known = append(known, op.Methods()...)
		}
		problem = ": " + Requests{Operations: asked}.have(known)
	}
	if r.hasMethod(known) {
		return nil
	}
	problem = "method is " + wording.Quote(r.Method) + problem
	return []Mistake{{[]string{"method"}, problem, equals(strings.ToUpper(r.Method))}}
}

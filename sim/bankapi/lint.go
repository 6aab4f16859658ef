package bankapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// lintRequest notes what is odd about a request to an operation, whatever it was answered. What an entry of the ledger is
// about is for citeRequest, and what a handler sees on its way it notes itself.
func (x *exchange) lintRequest() {
	header := x.request.Header
	if header.Get(fault.Header) != "" && !x.behavior.FaultHeader {
		x.lint("fault-header-ignored",
			"header "+fault.Header+" is ignored: behavior.faultHeader: true in the scenario lets a request ask for a fault")
	}
	scheme, _, ok := strings.Cut(header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, bearerScheme) && scheme != bearerScheme {
		x.lint("bearer-case", "header Authorization spells the word Bearer in another case than the interface does")
	}
	if x.op.Method == http.MethodDelete && x.op.Request != nil && len(x.content.data) == 0 {
		x.lint("delete-without-body", x.whyNoBody())
	}
	if x.op.Form != nil && x.op.Form.Permits && !x.op.FormOnly && x.mediaType() == mediaForm {
		x.lint("form-body", "the interface documents a JSON body for the revocation; this one is form-urlencoded")
	}
}

// lintSpelling notes which names of a request are nearly ones that the operation has.
func (x *exchange) lintSpelling(what string, names, known []string) {
	for _, name := range names {
		if near, ok := phrase.Slip(name, known); ok {
			x.lint(journal.Misspelt, fmt.Sprintf("the %s %s was sent: did you mean %s?", what, phrase.Quote(name), near))
		}
	}
}

// lintMembers notes which members of a JSON body are nearly ones that the operation has.
func (x *exchange) lintMembers() {
	var sent map[string]json.RawMessage
	if json.Unmarshal(x.content.data, &sent) == nil {
		unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(sent)), func(name string) bool { return x.op.Request.Has(name) })
		x.lintSpelling("member", unknown, x.op.Request.Names())
	}
}

// citeRequest notes the entries about how the request is made, and what is odd about that, whatever it is answered.
func (x *exchange) citeRequest() {
	if x.op.Dialect != x.asked.op.Dialect {
		x.restsOn(contract.EverywhereDialect)
	}
	if slices.ContainsFunc(x.route.headers, func(name string) bool { return len(x.request.Header[name]) > 1 }) {
		x.lint("repeated-header", "a header that has one value is given more than once: the first value counts, and of Authorization none")
	}
	x.unwrapPageable()
	for name := range x.query {
		if x.op.TakesQuery(name) {
			continue
		}
		unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(x.query)), x.op.TakesQuery)
		x.restsOn(contract.EverywhereUnknownParameters)
		x.lint("unknown-parameter", "the operation has no query parameter of a name that was given")
		x.lintSpelling("query parameter", unknown, x.op.ParameterNames("query"))
		break
	}
	if x.unread {
		x.restsOn(contract.EverywhereUnknownParameters)
		x.lint("unreadable-parameter",
			"a query parameter has a broken escape, or a semicolon that isn't escaped: it is left out; write % as %25 and ; as %3B")
	}
}

// lintHeaders notes which headers of a request that is refused are nearly ones that it lacks.
func (x *exchange) lintHeaders() {
	missing := slices.DeleteFunc(x.op.ParameterNames("header"), func(name string) bool { return x.header(name) != "" })
	x.lintSpelling("header", slices.Sorted(maps.Keys(x.request.Header)), missing)
}

// whyNoBody says why a DELETE that needs a body has none.
func (x *exchange) whyNoBody() string {
	none := "the operation names in its body what is deleted or revoked, and this request has none: "
	if x.request.ProtoMajor == 1 && x.request.ContentLength == 0 && len(x.request.Header["Content-Length"]) == 0 {
		return none + "the request has neither Content-Length nor Transfer-Encoding: chunked, so a body that followed was " +
			"not read, and the connection was closed; some clients leave both out of a DELETE (Node's http.request does), " +
			"so set Content-Length to the body's size in bytes"
	}
	return none + "a client or a proxy may drop the body of a DELETE"
}

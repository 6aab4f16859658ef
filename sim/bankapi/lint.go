package bankapi

import (
	"cmp"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// oddity is something that any request can have, and that its sender may want to know.
type oddity struct {
	code    string          // of its lint
	entry   *contract.Entry // that the answer cites even if it is a refusal, or nil
	holds   func(facts) bool
	message string
}

// oddities stand in the order that answers cite their entries in. The functions of operations add lints of their own.
var oddities = []oddity{
	{"pageable-parameter", contract.GroupsListPageable, func(f facts) bool { return f.wrapped },
		"page, size or sort is a member of pageable, which the public description has had until version 1.8 only: " +
			"send it at the top"},
	{"accept-not-json", contract.EverywhereAccept, func(f facts) bool { return !acceptsJSON(f.Header["Accept"]) },
		"header Accept doesn't take application/json, and the answer is JSON all the same (RFC 9110 12.5.1)"},
	{"repeated-header", contract.EverywhereRepeatedHeader, facts.repeatsHeader,
		"a header that has one value is given more than once: the first value counts, and of Authorization none"},
	{"unknown-parameter", contract.EverywhereUnknownParameters,
		func(f facts) bool { return len(f.unknownParameters) > 0 },
		"the operation has no query parameter of a name that was given"},
	{"unreadable-parameter", contract.EverywhereUnknownParameters, func(f facts) bool { return f.unread },
		"a query parameter has a broken escape, or a semicolon that isn't escaped: it is left out; " +
			"write % as %25 and ; as %3B"},
	{"byte-order-mark", nil, facts.hasMark,
		"the body begins with a byte order mark, which is ignored: not every service does that (RFC 8259 8.1)"},
	{"fault-header-ignored", nil, func(f facts) bool { return f.header(fault.Header) != "" && !f.policy.FaultHeader },
		"header " + fault.Header + " is ignored: " +
			"behavior.faultHeader: true in the scenario lets a request ask for a fault"},
	{"bearer-case", nil, facts.hasBearerInOtherCase,
		"header Authorization spells the word Bearer in another case than the interface does"},
	{"bare-token", nil, facts.hasBareToken,
		"header Authorization is a bare token: write Bearer, a space and the token"},
	{"basic-form-encoded", nil, func(f facts) bool { return f.op.Security == contract.Basic && f.hasEncodedKeys() },
		"the keys in header Authorization are form-encoded before Base64 (RFC 6749 2.3.1): " +
			"not every service reads them so"},
	{"delete-without-body", nil, func(f facts) bool { return f.lacksBody() && f.unframed },
		noBody + "the request has neither Content-Length nor Transfer-Encoding: chunked, so a body that " +
			"followed was not read, and the connection was closed; some clients leave both out of a DELETE " +
			"(Node's http.request does), so set Content-Length to the body's size in bytes"},
	{"delete-without-body", nil, func(f facts) bool { return f.lacksBody() && !f.unframed },
		noBody + "a client or a proxy may drop the body of a DELETE"},
	{"form-body", nil, facts.hasFormForJSON,
		"the interface documents a JSON body for the revocation; this one is form-urlencoded"},
}

const noBody = "the operation names in its body what is deleted or revoked, and this request has none: "

// requestLints returns the oddities of a request, whatever its answer was.
func (f facts) requestLints(refused bool) (lints []journal.Lint) {
	for _, o := range f.oddities {
		lints = append(lints, journal.Lint{Code: o.code, Message: o.message})
	}
	lints = append(lints, misspelt("query parameter", f.unknownParameters, f.served.parameters)...)
	lints = append(lints, misspelt("member", f.members.unknown, f.served.members)...)
	if refused {
		isSent := func(name string) bool { return f.header(name) != "" }
		lacking := slices.DeleteFunc(f.op.ParameterNames("header"), isSent)
		lints = append(lints, misspelt("header", slices.Sorted(maps.Keys(f.Header)), lacking)...)
	}
	return lints
}

// misspelt says which names of a request are nearly names of the operation.
func misspelt(what string, names, known []string) (lints []journal.Lint) {
	for _, name := range names {
		if near, ok := wording.Slip(name, known); ok {
			lints = append(lints, journal.Lint{Code: journal.Misspelt,
				Message: fmt.Sprintf("the %s %s was sent: did you mean %s?", what, wording.Quote(name), near)})
		}
	}
	return lints
}

// unknownParameters returns the names of query parameters that the operation doesn't have, sorted.
func (e *endpoint) unknownParameters(query url.Values) []string {
	var unknown []string
	for name := range query {
		if !slices.Contains(e.parameters, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// repeatsHeader reports whether a header that has one value is given more than once.
func (f facts) repeatsHeader() bool {
	return slices.ContainsFunc(f.served.singleHeaders, func(name string) bool { return len(f.Header[name]) > 1 })
}

// acceptsJSON reports whether the header Accept takes JSON, or is missing.
func acceptsJSON(accept []string) bool {
	ranges := strings.Join(accept, ",")
	if ranges == "" {
		return true
	}
	for mediaRange := range strings.SplitSeq(ranges, ",") {
		media, parameters, err := mime.ParseMediaType(mediaRange)
		weight, weightErr := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
		isNone := weightErr == nil && weight == 0
		if err == nil && !isNone && slices.Contains([]string{mediaJSON, "application/*", "*/*"}, media) {
			return true
		}
	}
	return false
}

func (f facts) hasBearerInOtherCase() bool {
	scheme, _, ok := strings.Cut(f.header("Authorization"), " ")
	return ok && strings.EqualFold(scheme, bearerScheme) && scheme != bearerScheme
}

// lacksBody reports whether a DELETE that needs a body comes without it.
func (f facts) lacksBody() bool {
	return f.op.Method == http.MethodDelete && f.op.Request != nil && len(f.content.data) == 0
}

// hasFormForJSON reports whether the body is a form, where the interface documents JSON and takes a form nevertheless.
func (f facts) hasFormForJSON() bool {
	return f.op.Form != nil && f.op.Form.Permits && !f.op.FormOnly && isForm(f)
}

// readHeaders returns the names of the headers with one value that an operation reads, as net/http spells them.
func readHeaders(op *contract.Operation) []string {
	names := []string{"Authorization"}
	if op.Request != nil {
		names = append(names, "Content-Type")
	}
	for _, name := range op.ParameterNames("header") {
		names = append(names, http.CanonicalHeaderKey(name))
	}
	return names
}

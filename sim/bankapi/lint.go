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

// oddities are what can be odd about any request, in this order. The functions of operations add their own.
var oddities = []struct {
	code string
	find func(facts) string // returns the message, or "" if the request isn't odd
}{
	{"repeated-header", repeatedHeader},
	{"accept-not-json", refusesJSON},
	{"unknown-parameter", unknownParameter},
	{"unreadable-parameter", unreadableParameter},
	{"pageable-parameter", wrappedParameter},
	{"byte-order-mark", ignoredMark},
	{"fault-header-ignored", faultHeader},
	{"bearer-case", bearerCase},
	{"bare-token", bareToken},
	{"basic-form-encoded", encodedKeys},
	{"delete-without-body", missingBody},
	{"form-body", formBody},
}

// requestLints returns the oddities of a request, whatever its answer was.
func (f facts) requestLints(refused bool) (lints []journal.Lint) {
	for _, l := range oddities {
		if message := l.find(f); message != "" {
			lints = append(lints, journal.Lint{Code: l.code, Message: message})
		}
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

func repeatedHeader(f facts) string {
	if !f.repeatsHeader() {
		return ""
	}
	return "a header that has one value is given more than once: the first value counts, and of Authorization none"
}

// repeatsHeader reports whether a header that has one value is given more than once.
func (f facts) repeatsHeader() bool {
	return slices.ContainsFunc(f.served.singleHeaders, func(name string) bool { return len(f.Header[name]) > 1 })
}

func refusesJSON(f facts) string {
	if f.acceptsJSON {
		return ""
	}
	return "header Accept doesn't take application/json, and the answer is JSON all the same (RFC 9110 12.5.1)"
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

func unknownParameter(f facts) string {
	if len(f.unknownParameters) == 0 {
		return ""
	}
	return "the operation has no query parameter of a name that was given"
}

func unreadableParameter(f facts) string {
	if !f.unread {
		return ""
	}
	return "a query parameter has a broken escape, or a semicolon that isn't escaped: it is left out; " +
		"write % as %25 and ; as %3B"
}

func wrappedParameter(f facts) string {
	if !f.wrapped {
		return ""
	}
	return "page, size or sort is a member of pageable, which the public description has had until version 1.8 only: " +
		"send it at the top"
}

func ignoredMark(f facts) string {
	if !f.hasMark() {
		return ""
	}
	return "the body begins with a byte order mark, which is ignored: not every service does that (RFC 8259 8.1)"
}

func faultHeader(f facts) string {
	if f.header(fault.Header) == "" || f.policy.FaultHeader {
		return ""
	}
	return "header " + fault.Header + " is ignored: " +
		"behavior.faultHeader: true in the scenario lets a request ask for a fault"
}

func bearerCase(f facts) string {
	scheme, _, ok := strings.Cut(f.header("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, bearerScheme) || scheme == bearerScheme {
		return ""
	}
	return "header Authorization spells the word Bearer in another case than the interface does"
}

func bareToken(f facts) string {
	if !f.hasBareToken() {
		return ""
	}
	return "header Authorization is a bare token: write Bearer, a space and the token"
}

func encodedKeys(f facts) string {
	if f.op.Security != contract.Basic || !f.hasEncodedKeys() {
		return ""
	}
	return "the keys in header Authorization are form-encoded before Base64 (RFC 6749 2.3.1): " +
		"not every service reads them so"
}

// missingBody says why a DELETE that needs a body comes without it.
func missingBody(f facts) string {
	if f.op.Method != http.MethodDelete || f.op.Request == nil || len(f.content.data) > 0 {
		return ""
	}
	none := "the operation names in its body what is deleted or revoked, and this request has none: "
	if f.ProtoMajor == 1 && f.ContentLength == 0 && len(f.Header["Content-Length"]) == 0 {
		return none + "the request has neither Content-Length nor Transfer-Encoding: chunked, so a body that " +
			"followed was not read, and the connection was closed; some clients leave both out of a DELETE " +
			"(Node's http.request does), so set Content-Length to the body's size in bytes"
	}
	return none + "a client or a proxy may drop the body of a DELETE"
}

func formBody(f facts) string {
	if f.op.Form == nil || !f.op.Form.Permits || f.op.FormOnly || !isForm(f) {
		return ""
	}
	return "the interface documents a JSON body for the revocation; this one is form-urlencoded"
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

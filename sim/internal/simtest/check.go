package simtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// beyondContract has the entries that accept requests outside the OpenAPI document.
var beyondContract = []*contract.Entry{
	contract.EverywhereRefusals,
	contract.GroupsListFallback, contract.EverywhereNullMembers, contract.EstatementsCorrelationID,
	contract.EverywhereByteOrderMark, contract.AlertsHeaders, contract.AlertsChannels, contract.GroupsCreateNameLimit,
	contract.GroupsCreateDescriptionLimit, contract.GroupsUploadTypeCase, contract.GroupsUploadUnknownPart,
}

// The validator knows some media types only, and needs to be told that others are like them.
func init() {
	for other, like := range map[string]string{
		"application/vnd.ms-excel":          "application/octet-stream",
		"text/csv":                          "application/octet-stream",
		"text/html":                         "application/octet-stream",
		"application/xml":                   "application/octet-stream",
		"application/pem-certificate-chain": "application/octet-stream",
	} {
		openapi3filter.RegisterBodyDecoder(other, openapi3filter.RegisteredBodyDecoder(like))
	}
}

// errorCode returns the code of a rule that every family shares.
func errorCode(rule sim.Code) string { return contract.GroupsList.Family.Refusal(rule).Code }

// Check checks an exchange against the ledger (see checkEntries) and against the OpenAPI document. The document must
// have the answer. A request that the document does not have must be refused, unless an entry of the ledger accepts
// it. A request whose body can't be read a second time (see [http.Request.GetBody]) or is larger than a megabyte is
// not checked. Every exchange of a bank's client is.
func (b *Bank) Check(r *http.Request, res *http.Response, got []byte) error {
	code := contract.ErrorCode(got)
	switch code {
	case errorCode(contract.SandboxMissing), errorCode(contract.SandboxContradiction):
		return nil
	}
	if res.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return nil // the listener answers so before it knows the operation
	}
	sb, path := b.addressed(r)
	if sb == nil || code == errorCode(contract.SandboxUnknown) {
		return checkRouting(res, code)
	}
	behavior := sb.Known().World.Behavior()
	x, _ := sb.Known().Journal.Get(res.Header.Get("Banksim-Exchange")) // empty where it is no longer there
	if err := checkEntries(x); err != nil {
		return err
	}
	input := bankDocument().find(r.Method, path)
	if x.Decision.Outcome == journal.Stubbed || x.Decision.Rule == contract.KeySet {
		return nil
	}
	wasReset := x.Decision.Rule == string(contract.GenerationEnded) // while the key of a key set was made
	if input == nil && (x.Fault != nil || wasReset) {
		return nil
	}
	if input == nil {
		return checkRouting(res, code)
	}
	if behavior.ForcedDialect != sim.DialectByPath {
		input.Route = bankDocument().answeredIn(behavior.ForcedDialect, input.Route)
	}
	whole, err := again(r, input)
	if err != nil {
		return err
	}
	if x.Fault == nil { // whoever injects a fault decides what it answers
		if err := checkAnswer(r, input, res, got); err != nil {
			return err
		}
		if err := checkCode(input, res.StatusCode, code); err != nil {
			return err
		}
	}
	userIsNamedOtherwise := behavior.Estatements.User == sim.EstatementUserAny && !r.URL.Query().Has("hostUserId")
	if res.StatusCode >= 300 || !whole || userIsNamedOtherwise {
		return nil
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		entries := x.Decision.Entries
		isCited := func(e *contract.Entry) bool { return slices.Contains(entries, e.ID) }
		if !slices.ContainsFunc(beyondContract, isCited) {
			return fmt.Errorf("it accepts a request that the contract does not have, by %v: %w", entries, err)
		}
	}
	return nil
}

// addressed returns the sandbox that a request to the bank API names, if there is one, and its path below the base URL.
func (b *Bank) addressed(r *http.Request) (*sandbox.Sandbox, string) {
	name, path := sandbox.Default, r.URL.EscapedPath()
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	for _, pattern := range b.sandboxHosts {
		if label, ok := strings.CutSuffix(strings.TrimSuffix(host, "."), pattern[1:]); ok && label != "" {
			name = label
		}
	}
	if rest, ok := strings.CutPrefix(path, "/sandboxes/"); ok {
		name, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	} else if header := r.Header.Get(contract.SandboxHeader); header != "" {
		name = header
	}
	sb, _ := b.Sandboxes.Find(context.Background(), name)
	return sb, path
}

// checkEntries checks that each entry of the ledger that a decision cites exists and concerns the operation, and that
// it cites one. An exchange that the journal doesn't have is not checked.
func checkEntries(x journal.Exchange) error {
	if x.ID != "" && len(x.Decision.Entries) == 0 {
		return errors.New("its decision cites no entry of the ledger")
	}
	for _, id := range x.Decision.Entries {
		if e, ok := contract.FindEntry(id); !ok || x.Operation != "" && !e.Concerns(x.Operation) {
			return fmt.Errorf("its decision cites %s, which the ledger does not have for %q", id, x.Operation)
		}
	}
	return nil
}

// again gives an input the request with its body from the start, and reports whether that has all of it.
func again(r *http.Request, input *openapi3filter.RequestValidationInput) (whole bool, err error) {
	request := *r
	request.Header = r.Header.Clone()
	maps.DeleteFunc(request.Header, func(_ string, values []string) bool { // an empty header is none
		return len(values) > 0 && strings.TrimSpace(values[0]) == ""
	})
	if media, rest, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); media == "multipart/mixed" {
		request.Header.Set("Content-Type", "multipart/form-data;"+rest) // the document says in words that both are read
	}
	if r.GetBody != nil {
		request.Body, err = r.GetBody()
	}
	input.Request = &request
	return (r.GetBody != nil || r.Body == nil || r.Body == http.NoBody) && r.ContentLength <= 1<<20, err
}

// checkAnswer checks the answer to an operation. It must have no body if the document has no body, and none to HEAD.
func checkAnswer(r *http.Request, input *openapi3filter.RequestValidationInput, res *http.Response, got []byte) error {
	described := input.Route.Operation.Responses.Status(res.StatusCode)
	if described == nil {
		return errors.New("the contract does not have the status")
	}
	content := described.Value.Content
	switch {
	case r.Method == http.MethodHead && len(got) > 0:
		return errors.New("the answer to HEAD has a body")
	case r.Method == http.MethodHead && res.ContentLength <= 0:
		return errors.New("the answer to HEAD has not the headers of the answer to GET")
	case r.Method == http.MethodHead:
		return nil
	case len(got) > 0 && (len(content) == 0 || len(content) == 1 && content["*/*"] != nil):
		return errors.New("the contract has no body")
	case len(got) > 0 && content.Get(res.Header.Get("Content-Type")) == content["*/*"]:
		return errors.New("the contract does not have the Content-Type of the body")
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(got)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			ExcludeResponseBody:   isStream(res),
		},
	})
}

// checkCode checks that the operation lists the code of an error for a status that the document has. An answer without
// a code passes.
func checkCode(input *openapi3filter.RequestValidationInput, status int, code string) error {
	if code == "" || status < 400 {
		return nil
	}
	operation := input.Route.Operation
	described := operation.Responses.Status(status).Value.Extensions
	errorsOf, _ := operation.Extensions["x-errors"].(map[string]any)
	if own, ok := errorsOf[strconv.Itoa(status)].(map[string]any); ok {
		described = own
	}
	if codes, _ := described["x-codes"].([]any); !slices.Contains(codes, any(code)) {
		return fmt.Errorf("the contract has the codes %v for the status, and not %q", codes, code)
	}
	return nil
}

// checkRouting checks the answer to a request that names no operation. Preflights of a browser are answered on any
// path.
func checkRouting(res *http.Response, code string) error {
	preflight := res.Request.Method == http.MethodOptions &&
		res.Request.Header.Get("Access-Control-Request-Method") != ""
	switch {
	case preflight && (res.StatusCode == contract.PreflightStatus || res.StatusCode == http.StatusForbidden):
		return nil
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return errors.New("a 405 without Allow")
	case res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusMethodNotAllowed:
		return errors.New("no operation has the path: the answer must be 404 or 405")
	case res.Request.Method == http.MethodHead,
		code == errorCode(contract.SandboxUnknown),
		code == errorCode(contract.PathUnknown),
		code == errorCode(contract.MethodNotAllowed):
		return nil
	}
	return errors.New("the body has none of the codes for it")
}

// CheckControl checks an exchange with the control API against its OpenAPI document: it has the answer, and a call that
// it does not have is refused. Of a stream it checks only the header. Every exchange of a bank's client is checked.
func CheckControl(r *http.Request, res *http.Response, got []byte) error {
	if res.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return nil // the listener answers so before it knows the call
	}
	input := controlDocument().find(r.Method, r.URL.EscapedPath())
	if input == nil {
		return checkNoCall(r, res)
	}
	input.Request = r
	return checkAnswer(r, input, res, got)
}

// checkNoCall checks the answer to a request that is no call of the control API.
func checkNoCall(r *http.Request, res *http.Response) error {
	switch {
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return errors.New("a 405 without Allow")
	case res.StatusCode < 400:
		return errors.New("the document has no such call: it must be refused")
	case r.Method != http.MethodHead && res.Header.Get("Content-Type") != "application/problem+json":
		return errors.New("the answer is no problem document")
	}
	return nil
}

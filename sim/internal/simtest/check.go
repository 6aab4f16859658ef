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
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// beyondContract are the entries by which the simulator accepts requests that the OpenAPI document does not have.
var beyondContract = []*contract.Entry{
	contract.GroupsListFallback, contract.EverywhereNullMembers, contract.EstatementsCorrelationID, contract.AlertsHeaders, contract.AlertsChannels,
	contract.GroupsCreateNameLimit, contract.GroupsCreateDescriptionLimit, contract.GroupsUploadTypeCase, contract.GroupsUploadUnknownPart,
}

// The validator knows the bodies of multipart/form-data and CSV files, and needs to be told that these are like them.
func init() {
	for other, like := range map[string]string{"multipart/mixed": "multipart/form-data", "application/vnd.ms-excel": "application/octet-stream", "text/csv": "application/octet-stream"} {
		openapi3filter.RegisterBodyDecoder(other, openapi3filter.RegisteredBodyDecoder(like))
	}
}

// Codes that every family shares.
var (
	unknownSandbox = contract.GroupsList.Family.Refusal(contract.SandboxUnknown).Code
	misdirected    = []string{contract.GroupsList.Family.Refusal(contract.SandboxMissing).Code,
		contract.GroupsList.Family.Refusal(contract.SandboxContradiction).Code}
	routingCodes = []string{unknownSandbox, contract.GroupsList.Family.Refusal(contract.PathUnknown).Code,
		contract.GroupsList.Family.Refusal(contract.MethodNotAllowed).Code}
)

// Check checks an exchange against the ledger (see checkLedger) and against the OpenAPI document, both ways: the document
// has the answer, and a request that it does not have is refused, unless an entry of the ledger says otherwise. A request
// whose body can't be read a second time (see [http.Request.GetBody]) or is larger than a megabyte is not checked. Every
// exchange of a bank's client is.
func (b *Bank) Check(r *http.Request, res *http.Response, got []byte) error {
	name, path := b.addressed(r)
	switch {
	case res.StatusCode == http.StatusRequestHeaderFieldsTooLarge:
		return nil // the listener answers so before it knows the operation
	case slices.Contains(misdirected, contract.ErrorCode(got)):
		return nil
	}
	if err := checkLedger(r, b.exchange(name, res)); err != nil {
		return err
	}
	route, pathValues := findRoute(routes(), r, path)
	if dialect := b.dialectOf(r); route != nil && dialect != sim.DialectByPath && dialect != "" {
		route = answeredIn(dialect, route)
	}
	if route == nil || res.StatusCode == http.StatusNotFound && contract.ErrorCode(got) == unknownSandbox {
		return checkRouting(res, got)
	}
	request, sent, err := again(r)
	if err != nil {
		return err
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: pathValues, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := checkAnswer(r, input, res, got); err != nil {
		if b.exchange(name, res).Fault != nil {
			return nil // whoever injects a fault decides what it answers
		}
		return err
	}
	if res.StatusCode >= 300 || !sent {
		return nil
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil && !b.namesUserOtherwise(name, input) {
		entries := b.exchange(name, res).Decision.Entries
		if !slices.ContainsFunc(beyondContract, func(e *contract.Entry) bool { return slices.Contains(entries, e.ID) }) {
			return fmt.Errorf("it accepts a request that the contract does not have, by %v: %w", entries, err)
		}
	}
	return nil
}

// namesUserOtherwise reports whether the sandbox lets something else than hostUserId, which the OpenAPI document requires,
// name the user, and the request has no hostUserId.
func (b *Bank) namesUserOtherwise(sandboxName string, input *openapi3filter.RequestValidationInput) bool {
	sb, ok := b.Sandboxes.Get(sandboxName)
	return ok && sb.Now().World.Behavior().Estatements.User == sim.EstatementUserAny && !input.Request.URL.Query().Has("hostUserId")
}

// addressed returns the sandbox that a request to the bank API names, and its path below the base URL.
func (b *Bank) addressed(r *http.Request) (name, path string) {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/sandboxes/")
	if !ok {
		return b.namedOtherwise(r), r.URL.EscapedPath()
	}
	name, path, _ = strings.Cut(rest, "/")
	return name, "/" + path
}

// namedOtherwise returns the sandbox that a request names by its header or its host, if the simulator lets it.
func (b *Bank) namedOtherwise(r *http.Request) string {
	if name := r.Header.Get(contract.SandboxHeader); name != "" {
		return name
	}
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	for _, pattern := range b.config.SandboxHosts {
		if name, ok := strings.CutSuffix(strings.TrimSuffix(host, "."), pattern[1:]); ok && name != "" {
			return name
		}
	}
	return sandbox.Default
}

// dialectOf returns the dialect of the sandbox that a request names, and "" if there is no such sandbox.
func (b *Bank) dialectOf(r *http.Request) sim.Dialect {
	name, _ := b.addressed(r)
	sb, ok := b.Sandboxes.Get(name)
	if !ok {
		return ""
	}
	return sb.Now().World.Behavior().Dialect
}

// again returns a request with its body from the start, and reports whether it has all of it.
func again(r *http.Request) (request *http.Request, whole bool, err error) {
	copied := *r
	copied.Header = r.Header.Clone()
	maps.DeleteFunc(copied.Header, func(_ string, values []string) bool { // an empty header is none
		return len(values) > 0 && strings.TrimSpace(values[0]) == ""
	})
	if r.GetBody != nil {
		copied.Body, err = r.GetBody()
	}
	return &copied, (r.GetBody != nil || r.Body == nil || r.Body == http.NoBody) && r.ContentLength <= 1<<20, err
}

// checkAnswer checks the answer to an operation. It has no body where the contract has none, nor to HEAD.
func checkAnswer(r *http.Request, input *openapi3filter.RequestValidationInput, res *http.Response, got []byte) error {
	described := input.Route.Operation.Responses.Status(res.StatusCode)
	if described == nil {
		return errors.New("the contract does not have the status")
	}
	if r.Method == http.MethodHead {
		return checkHead(res, got)
	}
	if content := described.Value.Content; len(got) > 0 && content["application/json"] == nil {
		return errors.New("the contract has no body")
	} else if len(got) > 0 && content.Get(res.Header.Get("Content-Type")) == content["*/*"] {
		return errors.New("the contract does not have the Content-Type of the body")
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(got)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// checkHead checks the answer to HEAD: the headers of a body, and none.
func checkHead(res *http.Response, got []byte) error {
	switch {
	case len(got) > 0:
		return errors.New("the answer to HEAD has a body")
	case res.ContentLength <= 0 || res.Header.Get("Content-Type") != contract.ContentType.About:
		return errors.New("the answer to HEAD has not the headers of the answer to GET")
	}
	return nil
}

// checkRouting checks the answer to a request that names no operation.
func checkRouting(res *http.Response, got []byte) error {
	if isPreflightAnswer(res) {
		return nil
	}
	switch {
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return errors.New("a 405 without Allow")
	case res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusMethodNotAllowed:
		return errors.New("no operation has the path: the answer must be 404 or 405")
	case !slices.Contains(routingCodes, contract.ErrorCode(got)) && res.Request.Method != http.MethodHead:
		return errors.New("the body has none of the codes for it")
	}
	return nil
}

// isPreflightAnswer reports whether an answer is one to a preflight of a browser, which it may forbid.
func isPreflightAnswer(res *http.Response) bool {
	return res.Request.Method == http.MethodOptions && res.Request.Header.Get("Access-Control-Request-Method") != "" &&
		(res.StatusCode == contract.PreflightStatus || res.StatusCode == http.StatusForbidden)
}

// exchange returns the journal's entry of an answer; an empty one where it is no longer there.
func (b *Bank) exchange(sandboxName string, res *http.Response) journal.Exchange {
	sb, ok := b.Sandboxes.Get(sandboxName)
	if !ok {
		return journal.Exchange{}
	}
	x, _ := sb.Now().Journal.Get(res.Header.Get("Banksim-Exchange"))
	return x
}

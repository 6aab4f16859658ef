package simtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// controlRoutes returns the operations of the control API's OpenAPI document, as any tool reads it. An object that is
// answered may have no other members than it has, though clients must be ready for more.
var controlRoutes = sync.OnceValue(func() []route {
	var document map[string]any
	if err := json.Unmarshal(controlapi.Document("http://control.test"), &document); err != nil {
		panic(err)
	}
	for _, component := range document["components"].(map[string]any)["schemas"].(map[string]any) {
		if component := component.(map[string]any); component["properties"] != nil {
			component["additionalProperties"] = false
		}
	}
	closed, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	return newRoutes(closed)
})

// CheckControl checks an exchange with the control API against its OpenAPI document, both ways: the document has the
// answer, and a request that it does not have is refused. Of a stream it checks only the header. Every exchange of a
// bank's client is checked.
func CheckControl(r *http.Request, res *http.Response, got []byte) error {
	if res.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return nil // the listener answers so before it knows the call
	}
	route, pathValues := findRoute(controlRoutes(), r, r.URL.EscapedPath())
	if route == nil {
		return checkNoCall(r, res, got)
	}
	request, whole, err := again(r)
	if err != nil {
		return err
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: pathValues, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := checkControlAnswer(input, res, got); err != nil || res.StatusCode >= 300 || !whole {
		return err
	}
	if err := nameMedia(request, route.Operation); err != nil {
		return err
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		return fmt.Errorf("it accepts a call that the document does not have: %w", err)
	}
	return nil
}

func checkControlAnswer(input *openapi3filter.RequestValidationInput, res *http.Response, got []byte) error {
	described := input.Route.Operation.Responses.Status(res.StatusCode)
	switch {
	case described == nil:
		return errors.New("the document does not have the status")
	case len(described.Value.Content) == 0 && len(got) > 0:
		return errors.New("the document has no body")
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(got)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: isStream(res)},
	})
}

// nameMedia gives a request the content type of its body, which the control API doesn't ask for. A call without a body
// has none.
func nameMedia(r *http.Request, call *openapi3.Operation) error {
	r.Header = r.Header.Clone()
	r.Header.Del("Content-Type")
	if r.Body == nil || r.Body == http.NoBody || call.RequestBody == nil {
		return nil
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	content := call.RequestBody.Value.Content
	switch {
	case len(bytes.TrimSpace(sent)) == 0:
		r.Body = http.NoBody
	case content["text/plain"] != nil: // any text, which need not be what application/yaml says
		r.Header.Set("Content-Type", "text/plain")
	case content["application/json"] != nil && (content["application/yaml"] == nil || json.Valid(sent)):
		r.Header.Set("Content-Type", "application/json")
	default:
		r.Header.Set("Content-Type", "application/yaml")
	}
	return nil
}

// checkNoCall checks the answer to a request that is no call.
func checkNoCall(r *http.Request, res *http.Response, got []byte) error {
	switch {
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return errors.New("a 405 without Allow")
	case res.StatusCode < 400:
		return errors.New("the document has no such call: it must be refused")
	case r.Method == http.MethodHead:
		return nil
	case res.Header.Get("Content-Type") != "application/problem+json":
		return errors.New("the answer is no problem document")
	}
	return checkComponent("Problem", got)
}

// checkComponent checks JSON against a schema of the control API's document.
func checkComponent(name string, got []byte) error {
	var value any
	if err := json.Unmarshal(got, &value); err != nil {
		return err
	}
	return controlRoutes()[0].Spec.Components.Schemas[name].Value.VisitJSON(value)
}

// Certificates, pages and XML are texts.
func init() {
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/xml", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/pem-certificate-chain", openapi3filter.FileBodyDecoder)
}

// isStream reports whether an answer goes on until its stream ends.
func isStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

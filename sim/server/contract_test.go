package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// contractRoute is an operation of the OpenAPI document, and the pattern of its paths.
type contractRoute struct {
	routers.Route
	pattern    *regexp.Regexp
	parameters []string // of the path
}

// contractRoutes are the operations of the OpenAPI document, as any tool reads it.
var contractRoutes = sync.OnceValue(func() []contractRoute {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		panic(err)
	}
	variable := regexp.MustCompile(`\\\{(\w+)\\\}`)
	var all []contractRoute
	for path, item := range doc.Paths.Map() {
		quoted := regexp.QuoteMeta(path)
		var parameters []string
		for _, match := range variable.FindAllStringSubmatch(quoted, -1) {
			parameters = append(parameters, match[1])
		}
		pattern := regexp.MustCompile("^" + variable.ReplaceAllString(quoted, "([^/]+)") + "$")
		for method, op := range item.Operations() {
			all = append(all, contractRoute{routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}, pattern, parameters})
		}
	}
	return all
})

// contractTransport holds every exchange of a client with the simulated interface against the OpenAPI document.
type contractTransport struct {
	http.RoundTripper
	bank *bank
}

// RoundTrip sends a request and checks it with its answer.
func (c *contractTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if "http://"+r.URL.Host != c.bank.server.ServiceURL() {
		return c.RoundTripper.RoundTrip(r)
	}
	sent := &capture{}
	if r.Body != nil && r.Body != http.NoBody {
		again := *r
		again.Body = sent.tee(r.Body)
		if getBody := r.GetBody; getBody != nil { // for a request that has to be sent once more
			again.GetBody = func() (io.ReadCloser, error) {
				body, err := getBody()
				return sent.tee(body), err
			}
		}
		r = &again
	}
	res, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(got))
	if err != nil { // it was cut off: the caller sees that, and there is nothing to check
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), failingReader{err}))
		return res, nil
	}
	if err := c.check(r, sent.bytes(), res, got); err != nil {
		c.bank.t.Errorf("%s %s answered %d %s\nis not what the contract has: %v", r.Method, r.URL, res.StatusCode, got, err)
	}
	return res, nil
}

// capture is what is sent of a request's body.
type capture struct {
	mu   sync.Mutex
	body *bytes.Buffer
}

// tee returns the body, which is captured anew as it is read.
func (c *capture) tee(body io.ReadCloser) io.ReadCloser {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.body = &bytes.Buffer{}
	return teeBody{body, c, c.body}
}

func (c *capture) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body == nil {
		return nil
	}
	return bytes.Clone(c.body.Bytes())
}

type teeBody struct {
	io.ReadCloser
	capture *capture
	into    *bytes.Buffer
}

func (t teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.capture.mu.Lock()
	defer t.capture.mu.Unlock()
	t.into.Write(p[:n])
	return n, err
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// stretches are the entries of the ledger by which a request is accepted that the contract doesn't have.
var stretches = []string{"groups.list.fallback", "everywhere.null-members", "estatements.correlation-id", "alerts.headers", "alerts.channels",
	"groups.create.name-limit", "groups.create.description-limit"}

// check holds an exchange against the contract, both ways: the answer is one that the contract has, and a request that
// it doesn't have is refused, unless an entry of the ledger says otherwise.
func (c *contractTransport) check(r *http.Request, sent []byte, res *http.Response, got []byte) error {
	name, path := sandbox.Default, r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix(path, "/sandboxes/"); ok {
		name, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	if res.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return nil // the listener's, before it knows what is asked for
	}
	input := contractInput(r, sent, path)
	if input == nil || res.StatusCode == http.StatusNotFound && strings.Contains(string(got), "BANKSIM_UNKNOWN_SANDBOX") {
		return checkRouting(res, got)
	}
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(got)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := validateAnswer(answer, got); err != nil {
		if c.exchange(name, res).Fault != nil {
			return nil // what a fault answers is the business of who injects it
		}
		return err
	}
	if res.StatusCode >= 300 || len(sent) > 1<<20 {
		return nil
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		entries := c.exchange(name, res).Decision.Entries
		if !slices.ContainsFunc(entries, func(id string) bool { return slices.Contains(stretches, id) }) {
			return fmt.Errorf("it accepts a request that the contract doesn't have, by %v: %w", entries, err)
		}
	}
	return nil
}

// contractInput finds the operation of a request; nil: there is none.
func contractInput(r *http.Request, sent []byte, path string) *openapi3filter.RequestValidationInput {
	for _, route := range contractRoutes() {
		match := route.pattern.FindStringSubmatch(path)
		if match == nil || route.Method != r.Method {
			continue
		}
		parameters := map[string]string{}
		for i, name := range route.parameters {
			parameters[name] = match[i+1]
		}
		again := *r
		again.Body = io.NopCloser(bytes.NewReader(sent))
		return &openapi3filter.RequestValidationInput{Request: &again, PathParams: parameters, Route: &route.Route,
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	}
	return nil
}

// validateAnswer validates an answer, and that one has no body for which the contract has none.
func validateAnswer(answer *openapi3filter.ResponseValidationInput, got []byte) error {
	described := answer.RequestValidationInput.Route.Operation.Responses.Status(answer.Status)
	if described == nil {
		return errors.New("the contract doesn't have the status")
	}
	switch mayBeEmpty, _ := described.Value.Extensions["x-empty-body"].(bool); {
	case len(described.Value.Content) == 0 && len(got) > 0:
		return errors.New("the contract has no body")
	case len(got) == 0 && mayBeEmpty:
		return nil
	}
	return openapi3filter.ValidateResponse(context.Background(), answer)
}

// checkRouting checks an answer to a request that is no operation's.
func checkRouting(res *http.Response, got []byte) error {
	switch {
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return errors.New("a 405 without Allow")
	case res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusMethodNotAllowed:
		return errors.New("no operation has the path: 404 or 405 is due")
	case !bytes.Contains(got, []byte(`"BANKSIM_`)) && res.Request.Method != http.MethodHead:
		return errors.New("the body names no code")
	}
	return nil
}

// exchange returns the journal's entry of an answer; an empty one where it is no longer there.
func (c *contractTransport) exchange(sandboxName string, res *http.Response) journal.Exchange {
	sb, ok := c.bank.sandboxes.Get(sandboxName)
	if !ok {
		return journal.Exchange{}
	}
	x, _ := sb.Now().Journal.Get(res.Header.Get("Banksim-Exchange"))
	return x
}

// Package openapi describes the simulated interface as an OpenAPI document. All facts in it come from the contract.
// Start at [Document].
package openapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Document returns an OpenAPI document, version 3.0.3, in JSON. It describes every answer under any behaviour. Without
// a dialect, it describes both. The URL is the base URL of the default sandbox; the URLs of other sandboxes begin with
// it. The marks x-basis and x-ledger give the basis and the entries of every response, parameter or member that the
// interface's document doesn't have.
func Document(url string, dialects ...sim.Dialect) []byte {
	data, err := strictjson.EncodeIndented(describe(url, dialects))
	if err != nil {
		panic(fmt.Sprintf("openapi: the document can't be encoded: %v", err))
	}
	return data
}

// The description of the document begins and ends with these texts. Between them is a text about paths.
const (
	aboutAnswers = "What the simulator answers, under any behaviour of a scenario."
	aboutMarks   = "What has no mark x-basis comes from the interface's own document. The marks published, " +
		"convention and choice say what the rest rests on; x-ledger names the entries of the ledger that " +
		"say more. x-operation is the name of an operation in faults and in the journal; x-published-id " +
		"is its id in the public API description. x-codes lists the codes of an error response. If " +
		"operations share a response and their codes or marks differ, x-errors of each operation has them " +
		"by status. A fault can answer with any code of the error body, or with one that a scenario makes " +
		"up. HEAD is answered where GET is, with the same headers and without a body. Texts of messages " +
		"are the simulator's own. Examples are about the scenario retail."
)

// aboutPaths says which paths a document has with the operations of some dialects.
func aboutPaths(dialects []sim.Dialect) string {
	const public = "What is at a path of the public API description is marked published as a whole."
	switch {
	case len(dialects) > 1:
		return "Each operation has two paths: one of the interface's document, and one of the public API " +
			"description. " + public
	case dialects[0] == sim.DialectPublic:
		return "The paths are those of the public API description. " + public
	}
	return "The paths are those of the interface's document."
}

func describe(url string, dialects []sim.Dialect) document {
	if len(dialects) == 0 {
		dialects = []sim.Dialect{sim.DialectDocument, sim.DialectPublic}
	}
	doc := document{
		OpenAPI: "3.0.3",
		Info: info{
			Title:       "Digital banking, as banksim simulates it",
			Version:     "1",
			Description: aboutAnswers + " " + aboutPaths(dialects) + " " + aboutMarks,
			Contact:     map[string]string{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"},
			License:     map[string]string{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
		},
		Servers: []server{
			{URL: url, Description: "The default sandbox."},
			{URL: url + "/sandboxes/{sandbox}", Description: "Another sandbox.", Variables: map[string]serverVariable{
				"sandbox": {"default", "The name of the sandbox."}}},
		},
		Paths:      map[string]map[string]*operation{},
		Components: newComponents(),
	}
	for _, dialect := range dialects {
		var all []described
		for _, op := range contract.In(dialect).Operations {
			if tagged := (tag{op.Kind(), contract.AboutKind(op.Kind())}); !slices.Contains(doc.Tags, tagged) {
				doc.Tags = append(doc.Tags, tagged)
			}
			if doc.Paths[op.Path] == nil {
				doc.Paths[op.Path] = map[string]*operation{}
			}
			d := describer{op, url, doc.Components}
			description := d.operation()
			doc.Paths[op.Path][strings.ToLower(op.Method)] = description
			all = append(all, described{d, description})
		}
		shareErrors(all)
	}
	return doc
}

// describer describes one operation.
type describer struct {
	*contract.Operation
	url    string     // of the default sandbox
	shared components // of the operations described so far
}

var securities = map[contract.Security][]map[string][]string{
	contract.Bearer:         {{"bearer": {}}},
	contract.OptionalBearer: {{}, {"bearer": {}}},
	contract.Basic:          {{"basic": {}}},
}

func (d describer) operation() *operation {
	op := &operation{
		OperationID: d.ID,
		Name:        d.Name,
		Tags:        []string{d.Kind()},
		Summary:     d.Summary,
		Description: d.About,
		Security:    securities[d.Security],
		Parameters:  []parameter{},
		RequestBody: d.requestBody(),
		Responses:   map[string]*response{},
		Errors:      map[string]errorCase{},
		mark:        d.by(d.Cites...),
	}
	if d.Dialect == sim.DialectPublic {
		op.PublishedID = d.PublishedID
	}
	for _, p := range d.Parameters {
		op.Parameters = append(op.Parameters, d.parameter(p))
	}
	for _, a := range d.Answers {
		d.addAnswer(op, a)
	}
	if e := d.Example(); e.Answer != nil {
		answer := op.Responses[strconv.Itoa(e.Status)].Content[contract.ContentType.About]
		answer.Example = bytes.ReplaceAll(e.Answer, []byte("{base_url}"), []byte(d.url))
	}
	for _, r := range d.refusals() {
		for _, status := range d.Family.Statuses(r) {
			d.addRefusal(op, r, status)
		}
	}
	return op
}

// parameter returns a reference to the description of a parameter.
func (d describer) parameter(p contract.Parameter) parameter {
	described := parameter{
		Name: p.Name, In: p.In, Required: p.Required, MayBeEmpty: p.In == "query" && !p.Required,
		Description: p.About, Schema: d.schema(p.Type), mark: d.by(p.Cites...),
	}
	return parameter{Ref: share("parameters", d.shared.Parameters, described, d.parameterNames(p.Name))}
}

// formMedia is the content type of forms.
const formMedia = "application/x-www-form-urlencoded"

// requestBody describes the body.
func (d describer) requestBody() *requestBody {
	if d.Request == nil {
		return nil
	}
	if d.Multipart != nil {
		return d.multipartBody()
	}
	body := &requestBody{Required: true, Content: map[string]*mediaType{}}
	if !d.FormOnly {
		media := &mediaType{Schema: d.request(), Example: d.Example().JSON, mark: d.by(d.JSON)}
		body.Content[contract.ContentType.About] = media
	}
	if d.FormOnly || d.Form != nil {
		body.Content[formMedia] = &mediaType{Schema: d.request(), mark: d.by(d.Form)}
	}
	return body
}

// request returns a reference to the schema of the request's body.
func (d describer) request() *schema {
	return d.shareSchema(d.inline(d.Request), withSuffix(d.operationNames(), "Request"))
}

// multipartBody describes a body whose parts are the members of the request.
func (d describer) multipartBody() *requestBody {
	media := &mediaType{Schema: d.request(), Encoding: map[string]encoding{}, mark: d.by(d.Multipart)}
	for _, m := range d.Request.Members {
		if len(m.Type.FileTypes) > 0 {
			media.Encoding[m.Name] = encoding{strings.Join(m.Type.FileTypes, ", ")}
		}
	}
	return &requestBody{
		// A second media type would be a second body to generators of clients.
		Description: "The Content-Type multipart/mixed is as good.",
		Required:    true, Content: map[string]*mediaType{"multipart/form-data": media},
	}
}

// addAnswer describes an answer to a request that is accepted. Several of one status are alternatives.
func (d describer) addAnswer(op *operation, a contract.Answer) {
	status := strconv.Itoa(a.Status)
	_, isAlternative := op.Responses[status]
	if !isAlternative {
		op.Responses[status] = &response{Description: a.About, Headers: d.headers(a.Status)}
	}
	res := op.Responses[status]
	if d.Cites != nil || a.Basis(d.Dialect) != contract.Documented {
		decisive := cmp.Or(a.Switched, d.Uses[0])
		res.mark = d.by(decisive)
		if a.Switched != nil {
			res.Basis = a.Basis(d.Dialect)
		}
	}
	media := res.Content[contract.ContentType.About]
	switch {
	case a.Body == nil && isAlternative:
		// A body of no type is one that isn't there. OpenAPI has no other way to say that the body may be missing.
		res.Content["*/*"] = &mediaType{}
		res.Description += fmt.Sprintf(" Without a body where behavior.%s is %s.", a.Switched.Switch.Key, a.Value)
	case a.Body == nil:
	case media == nil:
		res.Content = map[string]*mediaType{contract.ContentType.About: {Schema: d.object(a.Body)}}
	case media.Schema.OneOf != nil:
		media.Schema.OneOf = append(media.Schema.OneOf, d.object(a.Body))
	default:
		media.Schema = &schema{OneOf: []*schema{media.Schema, d.object(a.Body)}}
	}
}

// headers returns references to the descriptions of the headers that answers of a status have.
func (d describer) headers(status int) map[string]header {
	all := map[string]header{}
	add := func(name string, h contract.Header, required bool) {
		described := header{
			Required: required, Description: h.About, Schema: &schema{Type: "string"}, mark: d.by(h.Entry),
		}
		all[name] = header{Ref: share("headers", d.shared.Headers, described, d.parameterNames(name))}
	}
	add(d.Family.RequestID, contract.RequestIDHeader, false)
	add(contract.ExchangeHeader.Name, contract.ExchangeHeader, false)
	add(contract.ScenarioHeader.Name, contract.ScenarioHeader, false)
	if status == http.StatusUnauthorized {
		add(contract.ChallengeHeader.Name, contract.ChallengeHeader, true)
	}
	if status == http.StatusServiceUnavailable {
		add(contract.RetryAfter.Name, contract.RetryAfter, false)
	}
	if d.NoStore && status == http.StatusOK {
		add(contract.CacheControl.Name, contract.CacheControl, false)
		add(contract.Pragma.Name, contract.Pragma, false)
	}
	return all
}

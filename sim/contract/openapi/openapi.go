// Package openapi describes the simulated interface as an OpenAPI document. It states no fact of its own: all are the contract's.
// Start at Document.
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
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Document returns the interface as an OpenAPI document, version 3.0.3, in JSON: what it answers under any behaviour. The URL is the base
// URL of the default sandbox, with which other sandboxes' begin. A response, parameter or member that the interface's document
// doesn't have is marked with x-basis, and with x-ledger, the ids of its entries.
func Document(url string) []byte {
	data, err := wire.EncodeIndented(describe(url))
	if err != nil {
		panic(fmt.Sprintf("openapi: the document can't be encoded: %v", err))
	}
	return data
}

const about = "What the simulator answers, under any behaviour of a scenario. Each operation has two paths: that of the interface's " +
	"document and, as a whole marked published, that of the public API description, by which it is answered there. What is not " +
	"marked with x-basis is said by the interface's own document; x-basis published, convention or choice says what the rest " +
	"rests on, x-ledger names the entries of the ledger that say more. HEAD is answered where GET is, with the same headers and " +
	"without a body. Texts of messages are the simulator's own. Examples are about the scenario retail."

func describe(url string) document {
	doc := document{
		OpenAPI: "3.0.3",
		Info:    info{Title: "Digital banking, as banksim simulates it", Version: "1", Description: about},
		Servers: []server{
			{URL: url, Description: "The default sandbox."},
			{URL: url + "/sandboxes/{sandbox}", Description: "Another sandbox.", Variables: map[string]serverVariable{
				"sandbox": {"default", "The name of the sandbox."}}},
		},
		Paths: map[string]map[string]*operation{},
		Components: components{
			SecuritySchemes: map[string]securityScheme{
				"bearer": {"http", "bearer", contract.Bearer.About()},
				"basic":  {"http", "basic", contract.Basic.About()},
			},
			Schemas: map[string]*schema{},
		},
	}
	doc.Info.Contact = map[string]string{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"}
	doc.Info.License = map[string]string{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
	for _, op := range contract.AllOperations() {
		if tagged := (tag{op.Kind(), contract.AboutKind(op.Kind())}); !slices.Contains(doc.Tags, tagged) {
			doc.Tags = append(doc.Tags, tagged)
		}
		if doc.Paths[op.Path] == nil {
			doc.Paths[op.Path] = map[string]*operation{}
		}
		d := describer{op, url, doc.Components.Schemas}
		doc.Paths[op.Path][strings.ToLower(op.Method)] = d.operation()
	}
	return doc
}

// describer describes one operation.
type describer struct {
	*contract.Operation
	url     string             // of the default sandbox
	schemas map[string]*schema // of the resources met so far, by name
}

var securities = map[contract.Security][]map[string][]string{
	contract.Bearer:         {{"bearer": {}}},
	contract.OptionalBearer: {{}, {"bearer": {}}},
	contract.Basic:          {{"basic": {}}},
}

func (d describer) operation() *operation {
	op := &operation{
		OperationID: d.ID,
		Tags:        []string{d.Kind()},
		Summary:     d.Summary,
		Description: d.About,
		Security:    securities[d.Security],
		Parameters:  []parameter{},
		RequestBody: d.requestBody(),
		Responses:   map[string]*response{},
		mark:        d.by(d.Rests...),
	}
	for _, p := range d.Parameters {
		op.Parameters = append(op.Parameters, parameter{
			Name: p.Name, In: p.In, Required: p.Required, MayBeEmpty: p.In == "query" && !p.Required,
			Description: p.About, Schema: d.schema(p.Type), mark: d.by(p.Rests...),
		})
	}
	for _, a := range d.Answers {
		d.addAnswer(op, a)
	}
	for _, r := range slices.Concat(d.Refusals(), d.Conditions()) {
		for _, status := range d.Family.Statuses(r) {
			d.addRefusal(op, r, status)
		}
	}
	for _, i := range d.Injections() {
		d.addRefusal(op, i.Refusal, i.Status)
	}
	d.addExamples(op)
	return op
}

// addExamples adds the body of the answer to the example of the operation, and one of each error status that is described for it.
func (d describer) addExamples(op *operation) {
	addTo := func(status int, body []byte) {
		op.Responses[strconv.Itoa(status)].Content[contract.ContentType.About].Example = body
	}
	if e := d.Example(); e.Answer != nil {
		addTo(e.Status, bytes.ReplaceAll(e.Answer, []byte("{base_url}"), []byte(d.url)))
	}
	for _, status := range d.Errors {
		i := d.Family.Injection(status)
		addTo(status, d.Family.Error(status, i.Code, i.Message))
	}
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
		body.Content[contract.ContentType.About] = &mediaType{Schema: d.object(d.Request), Example: d.Example().JSON, mark: d.by(d.JSON)}
	}
	if d.FormOnly || d.Form != nil {
		body.Content[formMedia] = &mediaType{Schema: d.object(d.Request), mark: d.by(d.Form)}
	}
	return body
}

// multipartBody describes a body whose parts are the members of the request.
func (d describer) multipartBody() *requestBody {
	media := &mediaType{Schema: d.object(d.Request), Encoding: map[string]encoding{}, mark: d.by(d.Multipart)}
	for _, m := range d.Request.Members {
		if len(m.Type.FileTypes) > 0 {
			media.Encoding[m.Name] = encoding{strings.Join(m.Type.FileTypes, ", ")}
		}
	}
	return &requestBody{Required: true, Content: map[string]*mediaType{"multipart/form-data": media, "multipart/mixed": media}}
}

// response returns the description of a status, a new one if there is none.
func (d describer) response(op *operation, status int, about string) *response {
	key := strconv.Itoa(status)
	if op.Responses[key] == nil {
		op.Responses[key] = &response{Description: about, Headers: d.headers(status)}
	}
	return op.Responses[key]
}

// addAnswer describes an answer to a request that is accepted. Several of one status are alternatives.
func (d describer) addAnswer(op *operation, a contract.Answer) {
	_, isAlternative := op.Responses[strconv.Itoa(a.Status)]
	res := d.response(op, a.Status, a.About)
	if d.Rests != nil || a.Basis() != contract.Documented {
		decisive := cmp.Or(a.Switched, d.Uses[0])
		res.mark = d.by(decisive)
		if a.Switched != nil && d.Dialect == sim.DialectDocument {
			res.Basis = a.Basis()
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
	default:
		media.Schema = &schema{OneOf: []*schema{media.Schema, d.object(a.Body)}}
	}
}

// abouts describe the error statuses.
var abouts = map[int]string{
	400: "The request is wrong, or a rule of the bank refuses it.",
	401: "The credentials are missing or don't work.",
	403: "The credentials don't permit the request.",
	404: "There is no such user, or no such resource.",
	413: "The body is too large.",
	415: "The body is of another content type.",
	500: "An unexpected fault.",
	501: "A strict simulator doesn't answer what rests on a choice of its own.",
	503: "The service can't answer at present, or the sandbox was reset while the request was under way; nothing is changed.",
	507: "Callers have added as much to the bank as they may.",
}

// addRefusal adds a refusal's code, and the entry that it rests on, to the description of a status that it has.
func (d describer) addRefusal(op *operation, r contract.Refusal, status int) {
	res := d.response(op, status, abouts[status])
	if res.Content == nil {
		res.Content = map[string]*mediaType{contract.ContentType.About: {Schema: d.object(d.Family.ErrorBody)}}
	}
	code := res.Content[contract.ContentType.About].Schema.code
	if !slices.Contains(code.Enum, r.Code) {
		code.Enum = append(code.Enum, r.Code)
	}
	if !slices.Contains(d.Documented, status) && !slices.Contains(res.Ledger, r.Entry.ID) {
		d.add(&res.mark, r.Entry)
	}
}

// headers describes the headers of the answers of a status.
func (d describer) headers(status int) map[string]header {
	all := map[string]header{}
	add := func(name string, h contract.Header, required bool) {
		all[name] = header{required, h.About, &schema{Type: "string"}, d.by(h.Entry)}
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

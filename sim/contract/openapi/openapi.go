package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Document returns the interface as an OpenAPI document, version 3.0.3, in JSON. A response, parameter or member that the
// interface's document doesn't have is marked with x-basis, and with x-ledger, the ids of its entries.
var Document = sync.OnceValue(func() []byte {
	data, err := wire.EncodeIndented(describe())
	if err != nil {
		panic(fmt.Sprintf("openapi: the document can't be encoded: %v", err))
	}
	return data
})

const description = "What the simulator answers, under any behaviour of a scenario. What is not marked with x-basis is said by the " +
	"interface's own document; x-basis published, convention or choice says what the rest rests on, x-ledger names the entries of " +
	"the ledger that say more. HEAD is answered where GET is, with the same headers and without a body. Texts of messages are the simulator's own. Examples are golden exchanges of the simulator."

func describe() document {
	golden, err := fixtures.Load()
	if err != nil {
		panic(fmt.Sprintf("openapi: the golden exchanges can't be loaded: %v", err))
	}
	doc := document{
		OpenAPI: "3.0.3",
		Info:    info{"Digital banking, as banksim simulates it", "1", description},
		Servers: []server{
			{URL: "/", Description: "The default sandbox."},
			{URL: "/sandboxes/{sandbox}", Description: "Another sandbox.", Variables: map[string]serverVariable{
				"sandbox": {"default", "The name of the sandbox."}}},
		},
		Paths: map[string]map[string]*operation{},
		Components: components{
			SecuritySchemes: map[string]securityScheme{
				"bearer": {"http", "bearer", "The word Bearer, a space, an access token (section 5)."},
				"basic":  {"http", "basic", "The shared key and the secret key of a client (section 5)."},
			},
			Schemas: map[string]*schema{},
		},
	}
	for _, op := range contract.Operations {
		if tagged := (tag{op.Kind()}); !slices.Contains(doc.Tags, tagged) {
			doc.Tags = append(doc.Tags, tagged)
		}
		if doc.Paths[op.Path] == nil {
			doc.Paths[op.Path] = map[string]*operation{}
		}
		d := describer{op, golden, doc.Components.Schemas}
		doc.Paths[op.Path][strings.ToLower(op.Method)] = d.operation()
	}
	return doc
}

// describer describes one operation.
type describer struct {
	*contract.Operation
	golden  []fixtures.Exchange
	schemas map[string]*schema // of the resources met so far, by name
}

var securities = map[contract.Security][]map[string][]string{
	contract.Bearer:         {{"bearer": {}}},
	contract.OptionalBearer: {{}, {"bearer": {}}},
	contract.Basic:          {{"basic": {}}},
}

func (d describer) operation() *operation {
	op := &operation{
		OperationID: d.Name,
		Tags:        []string{d.Kind()},
		Summary:     d.Summary,
		Security:    securities[d.Security],
		Parameters:  []parameter{},
		RequestBody: d.requestBody(),
		Responses:   map[string]*response{},
		mark:        by(d.Rests...),
	}
	for _, p := range d.Parameters {
		op.Parameters = append(op.Parameters, parameter{
			Name: p.Name, In: p.In, Required: p.Required, MayBeEmpty: p.In == "query" && !p.Required,
			Description: p.About, Schema: d.schema(p.Type), mark: by(p.Rests...),
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
	for status, res := range op.Responses {
		d.addExamples(status, res)
	}
	return op
}

// requestBody describes the body. Its examples are those of the golden exchanges that are accepted by default, unless they
// stretch the description.
func (d describer) requestBody() *requestBody {
	if d.Request == nil {
		return nil
	}
	jsonBody := &mediaType{Schema: d.object(d.Request), Examples: map[string]example{}}
	if d.JSON != nil {
		jsonBody.mark = by(d.JSON)
	}
	for _, e := range d.golden {
		if e.Operation() == d.Name && e.Answer.Status < 300 && e.Request.JSON != nil && e.Behavior == nil &&
			!slices.Contains(e.Entries, contract.EverywhereNullMembers.ID) {
			jsonBody.Examples[exampleName(e)] = example{e.About, []byte(e.Request.JSON)}
		}
	}
	body := &requestBody{Required: true, Content: map[string]*mediaType{contract.ContentType.About: jsonBody}}
	if d.Form != nil {
		body.Content["application/x-www-form-urlencoded"] = &mediaType{Schema: d.object(d.Request), mark: by(d.Form)}
	}
	return body
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
	if !a.Documented {
		res.mark = by(cmp.Or(a.Switched, d.Uses[0]))
		if a.Switched != nil {
			res.Basis = a.Basis()
		}
	}
	switch {
	case a.Body == nil:
		res.EmptyBody = isAlternative
	case res.Content == nil:
		res.Content = map[string]*mediaType{contract.ContentType.About: {Schema: d.object(a.Body), Examples: map[string]example{}}}
		res.EmptyBody = isAlternative
	default:
		media := res.Content[contract.ContentType.About]
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
}

// addRefusal adds a refusal's code, and the entry that it rests on, to the description of a status that it has.
func (d describer) addRefusal(op *operation, r contract.Refusal, status int) {
	res := d.response(op, status, abouts[status])
	if res.Content == nil {
		res.Content = map[string]*mediaType{contract.ContentType.About: {Schema: d.object(d.Family.ErrorBody), Examples: map[string]example{}}}
	}
	code := res.Content[contract.ContentType.About].Schema.code
	if !slices.Contains(code.Enum, r.Code) {
		code.Enum = append(code.Enum, r.Code)
	}
	if !slices.Contains(d.Documented, status) && !slices.Contains(res.Ledger, r.Entry.ID) {
		res.add(r.Entry)
	}
}

// headers describes the headers of the answers of a status.
func (d describer) headers(status int) map[string]header {
	all := map[string]header{}
	add := func(name string, h contract.Header, required bool) {
		all[name] = header{required, h.About, &schema{Type: "string"}, by(h.Entry)}
	}
	add(d.Family.RequestID, contract.RequestIDHeader, false)
	add(contract.ExchangeHeader.Name, contract.ExchangeHeader, false)
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

// addExamples adds the bodies of the golden exchanges of a status: all of those that are accepted, one for each error code.
func (d describer) addExamples(status string, res *response) {
	shown := map[string]bool{}
	for _, e := range d.golden {
		if e.Operation() != d.Name || strconv.Itoa(e.Answer.Status) != status || e.Answer.JSON == nil {
			continue
		}
		if code := contract.ErrorCode([]byte(e.Answer.JSON)); e.Answer.Status >= 300 {
			if shown[code] {
				continue
			}
			shown[code] = true
		}
		text := strings.ReplaceAll(string(e.Answer.JSON), "{base_url}", "http://127.0.0.1:8080")
		res.Content[contract.ContentType.About].Examples[exampleName(e)] = example{e.About, []byte(text)}
	}
}

func exampleName(e fixtures.Exchange) string { return e.Name[strings.LastIndex(e.Name, "/")+1:] }

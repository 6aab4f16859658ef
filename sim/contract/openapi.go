package contract

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
)

// OpenAPI returns the interface as an OpenAPI document, version 3.0.3, in JSON. A response, parameter or field that
// the interface's document doesn't have bears x-basis, and x-ledger with the ids of its entries.
var OpenAPI = sync.OnceValue(func() []byte {
	data, err := json.Marshal(describe(), json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		panic("contract: the OpenAPI document doesn't marshal: " + err.Error())
	}
	return append(data, '\n')
})

// The parts of an OpenAPI document that this one has.
type (
	document struct {
		OpenAPI    string                           `json:"openapi"`
		Info       info                             `json:"info"`
		Servers    []server                         `json:"servers"`
		Tags       []tag                            `json:"tags"`
		Paths      map[string]map[string]*operation `json:"paths"`
		Components components                       `json:"components"`
	}
	info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	server struct {
		URL         string                    `json:"url"`
		Description string                    `json:"description"`
		Variables   map[string]serverVariable `json:"variables,omitzero"`
	}
	serverVariable struct {
		Default     string `json:"default"`
		Description string `json:"description"`
	}
	tag struct {
		Name string `json:"name"`
	}
	operation struct {
		OperationID string                `json:"operationId"`
		Tags        []string              `json:"tags"`
		Summary     string                `json:"summary"`
		Description string                `json:"description,omitzero"`
		Security    []map[string][]string `json:"security"`
		Parameters  []parameter           `json:"parameters"`
		RequestBody *requestBody          `json:"requestBody,omitzero"`
		Responses   map[string]*response  `json:"responses"`
		mark
	}
	parameter struct {
		Name        string  `json:"name"`
		In          string  `json:"in"`
		Required    bool    `json:"required"`
		MayBeEmpty  bool    `json:"allowEmptyValue,omitzero"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
		mark
	}
	requestBody struct {
		Required bool                  `json:"required"`
		Content  map[string]*mediaType `json:"content"`
	}
	mediaType struct {
		Schema   *schema            `json:"schema"`
		Examples map[string]example `json:"examples,omitzero"`
		mark
	}
	example struct {
		Summary string         `json:"summary"`
		Value   jsontext.Value `json:"value"`
	}
	response struct {
		Description string                `json:"description"`
		Headers     map[string]header     `json:"headers,omitzero"`
		Content     map[string]*mediaType `json:"content,omitzero"`
		EmptyBody   bool                  `json:"x-empty-body,omitzero"` // whether a body may be missing where there is content
		mark
	}
	header struct {
		Required    bool    `json:"required"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
		mark
	}
	components struct {
		SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
		Schemas         map[string]*schema        `json:"schemas"`
	}
	securityScheme struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme"`
		Description string `json:"description"`
	}
	schema struct {
		Ref         string             `json:"$ref,omitzero"`
		Type        string             `json:"type,omitzero"`
		Description string             `json:"description,omitzero"`
		Enum        []string           `json:"enum,omitzero"`
		Pattern     string             `json:"pattern,omitzero"`
		MinLength   int                `json:"minLength,omitzero"`
		MaxLength   int                `json:"maxLength,omitzero"`
		Minimum     *int               `json:"minimum,omitzero"`
		Items       *schema            `json:"items,omitzero"`
		Properties  map[string]*schema `json:"properties,omitzero"`
		Required    []string           `json:"required,omitzero"`
		OneOf       []*schema          `json:"oneOf,omitzero"`
		Closed      *bool              `json:"additionalProperties,omitzero"`
		mark
	}
	// mark says what something rests on that the interface's document doesn't have.
	mark struct {
		Basis  sim.Basis `json:"x-basis,omitzero"`
		Ledger []string  `json:"x-ledger,omitzero"`
	}
)

// by returns the mark for entries of the ledger: the firmest basis among them counts.
func by(ids ...string) mark {
	m := mark{Ledger: ids}
	for _, id := range ids {
		if e := Must(id); m.Basis == "" || Weaker(m.Basis, e.Basis) {
			m.Basis = e.Basis
		}
	}
	return m
}

const contractDescription = "What the simulator answers, under any behaviour of a scenario. What is not marked with x-basis is said by the " +
	"interface's own document; x-basis published, convention or choice says what the rest rests on, x-ledger names the entries of " +
	"the ledger that say more. Texts of messages are the simulator's own. Examples are golden exchanges of the simulator."

func describe() document {
	golden, err := fixtures.Load()
	if err != nil {
		panic("contract: the golden exchanges don't load: " + err.Error())
	}
	doc := document{
		OpenAPI: "3.0.3",
		Info:    info{"Digital banking, as banksim simulates it", "1", contractDescription},
		Servers: []server{
			{URL: "/", Description: "The default sandbox."},
			{URL: "/sandboxes/{sandbox}", Description: "Another sandbox.", Variables: map[string]serverVariable{
				"sandbox": {"default", "The name of the sandbox."}}},
		},
		Tags:  []tag{{"estatements"}, {"tokens"}, {"groups"}, {"alerts"}},
		Paths: map[string]map[string]*operation{},
		Components: components{
			SecuritySchemes: map[string]securityScheme{
				"bearer": {"http", "bearer", "The word Bearer, a space, an access token (section 5)."},
				"basic":  {"http", "basic", "The shared key and the secret key of a client (section 5)."},
			},
			Schemas: schemas,
		},
	}
	for _, c := range contract {
		if doc.Paths[c.path] == nil {
			doc.Paths[c.path] = map[string]*operation{}
		}
		doc.Paths[c.path][strings.ToLower(c.method)] = c.describe(golden)
	}
	return doc
}

// describe returns the operation as the document has it, with what the golden exchanges show of it.
func (c contractOperation) describe(golden []fixtures.Exchange) *operation {
	family, _, _ := strings.Cut(c.name, ".")
	op := &operation{
		OperationID: c.name,
		Tags:        []string{family},
		Summary:     c.summary,
		Security:    c.security,
		Parameters:  c.parameters,
		RequestBody: c.requestBody(golden),
		Responses:   map[string]*response{},
		mark:        c.mark,
	}
	for _, r := range c.responses() {
		op.Responses[strconv.Itoa(r.status)] = c.response(r, golden)
	}
	return op
}

// requestBody describes the body, with the one of each golden exchange that is accepted by default as an example, unless
// it stretches the description.
func (c contractOperation) requestBody(golden []fixtures.Exchange) *requestBody {
	if c.request == nil {
		return nil
	}
	body := &requestBody{Required: true, Content: map[string]*mediaType{}}
	jsonBody := &mediaType{Schema: c.request, Examples: map[string]example{}, mark: c.jsonMark}
	for _, e := range golden {
		if e.Operation() == c.name && e.Answer.Status < 300 && e.Request.JSON != nil && e.Behavior == nil &&
			!slices.Contains(e.Entries, "everywhere.null-members") {
			jsonBody.Examples[exampleName(e)] = example{e.About, e.Request.JSON}
		}
	}
	body.Content["application/json"] = jsonBody
	if c.formMark != nil {
		body.Content["application/x-www-form-urlencoded"] = &mediaType{Schema: c.request, mark: *c.formMark}
	}
	return body
}

// response describes the answers of one status: the error codes, the entries and the examples are those of the golden
// exchanges, and what the table adds to them.
func (c contractOperation) response(r contractResponse, golden []fixtures.Exchange) *response {
	described := &response{Description: r.description, Headers: c.headers(r.status), EmptyBody: r.emptyBody}
	codes, entries := newSet(r.codes...), newSet(r.entries...)
	examples := map[string]example{}
	for _, e := range golden {
		if e.Operation() != c.name || e.Answer.Status != r.status {
			continue
		}
		entries.add(e.Entries[0])
		if e.Answer.JSON == nil {
			continue
		}
		if code := errorCode(e.Answer.JSON); code != "" {
			if !codes.add(code) && len(examples) > 0 && r.status >= 300 {
				continue // one example for each code is enough
			}
		}
		text := strings.ReplaceAll(string(e.Answer.JSON), "{base_url}", "http://127.0.0.1:8080")
		examples[exampleName(e)] = example{e.About, jsontext.Value(text)}
	}
	if !r.documented {
		described.mark = by(entries.all...)
	}
	if r.switched != "" {
		described.Basis = r.switched
	}
	body := r.body
	if body == nil && r.status >= 300 {
		body = c.errorBody(codes.all)
	}
	if body != nil {
		described.Content = map[string]*mediaType{"application/json": {Schema: body, Examples: examples}}
	}
	return described
}

// headers describes the headers of the answers of a status.
func (c contractOperation) headers(status int) map[string]header {
	text := &schema{Type: "string"}
	all := map[string]header{
		c.requestID:        {false, "The one of the request.", text, by("everywhere.request-id")},
		"Banksim-Exchange": {false, "The number of the exchange in the sandbox's journal.", text, by("everywhere.exchange-header")},
	}
	if status == 401 {
		all["WWW-Authenticate"] = header{true, "How to authenticate.", text, by("everywhere.challenge")}
	}
	if c.noStore && status == 200 {
		all["Cache-Control"] = header{false, "no-store", text, by("tokens.no-store")}
		all["Pragma"] = header{false, "no-cache", text, by("tokens.no-store")}
	}
	return all
}

func exampleName(e fixtures.Exchange) string {
	return e.Name[strings.LastIndex(e.Name, "/")+1:]
}

// errorCode returns the code of an error body, whatever its shape; empty: the body is none.
func errorCode(body jsontext.Value) string {
	var shape struct {
		Code      string `json:"code"`
		ErrorInfo struct {
			ErrorCode string `json:"errorCode"`
		} `json:"errorInfo"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return ""
	}
	return shape.Code + shape.ErrorInfo.ErrorCode
}

// set is a list without repeats.
type set struct{ all []string }

func newSet(members ...string) *set { return &set{members} }

// add tells whether the member is a new one.
func (s *set) add(member string) bool {
	for _, m := range s.all {
		if m == member {
			return false
		}
	}
	s.all = append(s.all, member)
	return true
}

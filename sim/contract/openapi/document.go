package openapi

import (
	"encoding/json"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

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
		Title       string            `json:"title"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		Contact     map[string]string `json:"contact"`
		License     map[string]string `json:"license"`
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
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	operation struct {
		OperationID string                `json:"operationId"`
		Name        string                `json:"x-operation"` // in faults and in the journal
		PublishedID string                `json:"x-published-id,omitzero"`
		Tags        []string              `json:"tags"`
		Summary     string                `json:"summary"`
		Description string                `json:"description"`
		Security    []map[string][]string `json:"security"`
		Parameters  []parameter           `json:"parameters"`
		RequestBody *requestBody          `json:"requestBody,omitzero"`
		Responses   map[string]*response  `json:"responses"`
		Errors      map[string]errorCase  `json:"x-errors,omitempty"` // by status, where operations share a response
		mark
	}
	// parameter is a parameter, or a reference to one.
	parameter struct {
		Ref         string  `json:"$ref,omitzero"`
		Name        string  `json:"name,omitzero"`
		In          string  `json:"in,omitzero"`
		Required    bool    `json:"required,omitzero"`
		MayBeEmpty  bool    `json:"allowEmptyValue,omitzero"`
		Description string  `json:"description,omitzero"`
		Schema      *schema `json:"schema,omitzero"`
		mark
	}
	requestBody struct {
		Description string                `json:"description,omitzero"`
		Required    bool                  `json:"required"`
		Content     map[string]*mediaType `json:"content"`
	}
	mediaType struct {
		Schema   *schema             `json:"schema,omitzero"` // or nil for anything
		Example  json.RawMessage     `json:"example,omitzero"`
		Encoding map[string]encoding `json:"encoding,omitzero"` // of the parts of a multipart body
		mark
	}
	encoding struct {
		ContentType string `json:"contentType"`
	}
	// response is a response, or a reference to one.
	response struct {
		Ref         string                `json:"$ref,omitzero"`
		Description string                `json:"description,omitzero"`
		Headers     map[string]header     `json:"headers,omitzero"`
		Content     map[string]*mediaType `json:"content,omitzero"`
		errorCase
	}
	// errorCase has the codes of an error response, and the mark for their entries.
	errorCase struct {
		Codes []string `json:"x-codes,omitzero"`
		mark
	}
	// header is a header of answers, or a reference to one.
	header struct {
		Ref         string  `json:"$ref,omitzero"`
		Required    bool    `json:"required,omitzero"`
		Description string  `json:"description,omitzero"`
		Schema      *schema `json:"schema,omitzero"`
		mark
	}
	components struct {
		SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
		Schemas         map[string]*schema        `json:"schemas"`
		Parameters      map[string]parameter      `json:"parameters"`
		Headers         map[string]header         `json:"headers"`
		Responses       map[string]*response      `json:"responses"`

		errorBodies map[*contract.Family]*schema // references to schemas
	}
	securityScheme struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme"`
		Description string `json:"description"`
	}
	// mark says what something rests on that the interface's document doesn't have.
	mark struct {
		Basis  contract.Basis `json:"x-basis,omitzero"`
		Ledger []string       `json:"x-ledger,omitzero"`
	}
)

// by returns the mark for entries of the ledger. A nil entry counts as absent.
func (d describer) by(entries ...*contract.Entry) (m mark) {
	for _, e := range entries {
		if e != nil {
			d.add(&m, e)
		}
	}
	return m
}

// add adds an entry to a mark; the firmest basis among all counts.
func (d describer) add(m *mark, e *contract.Entry) {
	m.Ledger = append(m.Ledger, e.ID)
	basis := e.BasisIn(d.Dialect)
	if m.Basis == "" || m.Basis.WeakerThan(basis) {
		m.Basis = basis
	}
}

// schema is a schema of OpenAPI 3.0.
type schema struct {
	Ref         string             `json:"$ref,omitzero"`
	Type        string             `json:"type,omitzero"`
	Format      string             `json:"format,omitzero"`
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
	Nullable    bool               `json:"nullable,omitzero"`
	mark
}

// schema describes a type.
func (d describer) schema(t contract.Type) *schema {
	switch {
	case t.Object != nil && t.JSON == "array":
		return &schema{Type: t.JSON, Description: t.About, Items: d.object(t.Object)}
	case t.Object != nil:
		return d.object(t.Object)
	}
	s := &schema{Type: t.JSON, Description: t.About, Enum: t.Enum, Pattern: t.Pattern,
		MinLength: t.Shortest, MaxLength: t.Longest, Minimum: t.Least}
	if t.Several {
		one := "(" + strings.Join(t.Enum, "|") + ")"
		s.Enum, s.Pattern = nil, "^"+one+"(,"+one+")*$"
	}
	if len(t.FileTypes) > 0 {
		s.Format = "binary"
	}
	if t.Elements != nil {
		s.Items = d.schema(*t.Elements)
	}
	s.mark = d.by(append([]*contract.Entry{t.EnumCites}, t.LimitsCites...)...)
	return s
}

// object describes an object; one with a name by a reference to its schema.
func (d describer) object(o *contract.Object) *schema {
	if o.Name == "" {
		return d.inline(o)
	}
	if d.shared.Schemas[o.Name] == nil {
		d.shared.Schemas[o.Name] = d.inline(o)
	}
	return &schema{Ref: "#/components/schemas/" + o.Name}
}

// shareSchema returns a reference to a schema with the first of the names that no other schema has.
func (d describer) shareSchema(s *schema, names []string) *schema {
	return &schema{Ref: share("schemas", d.shared.Schemas, s, names)}
}

func (d describer) inline(o *contract.Object) *schema {
	s := &schema{Type: "object"}
	if o.Free {
		return s
	}
	if !o.Open {
		s.Closed = new(bool)
	}
	if o.Null { // OpenAPI 3.0 has no type for null alone
		s.Description, s.Nullable = "null", true
		return s
	}
	s.Properties = map[string]*schema{}
	undocumented := len(o.Members) > 0
	for _, m := range o.Members {
		property := d.schema(m.Type)
		if len(m.Cites) > 0 {
			property.mark = d.by(m.Cites...)
		}
		undocumented = undocumented && len(m.Cites) > 0
		s.Properties[m.Name] = property
		if m.Required {
			s.Required = append(s.Required, m.Name)
		}
	}
	if undocumented {
		s.mark = d.by(o.Members[0].Cites...)
	}
	return s
}

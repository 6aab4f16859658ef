package openapi

import (
	"encoding/json"

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
		Tags        []string              `json:"tags"`
		Summary     string                `json:"summary"`
		Description string                `json:"description"`
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
		Schema   *schema             `json:"schema,omitzero"` // none: anything
		Example  json.RawMessage     `json:"example,omitzero"`
		Encoding map[string]encoding `json:"encoding,omitzero"` // of the parts of a multipart body
		mark
	}
	encoding struct {
		ContentType string `json:"contentType"`
	}
	response struct {
		Description string                `json:"description"`
		Headers     map[string]header     `json:"headers,omitzero"`
		Content     map[string]*mediaType `json:"content,omitzero"`
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
	// mark says what something rests on that the interface's document doesn't have.
	mark struct {
		Basis  contract.Basis `json:"x-basis,omitzero"`
		Ledger []string       `json:"x-ledger,omitzero"`
	}
)

// by returns the mark for entries of the ledger; nil is none.
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
	mark

	code *schema // of an error body: that of its code
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
	if len(t.FileTypes) > 0 {
		s.Format = "binary"
	}
	if t.Elements != nil {
		s.Items = d.schema(*t.Elements)
	}
	s.mark = d.by(append([]*contract.Entry{t.EnumRests}, t.LimitsRests...)...)
	return s
}

// object describes an object; one with a name by a reference to its schema.
func (d describer) object(o *contract.Object) *schema {
	if o.Name == "" {
		return d.inline(o)
	}
	if d.schemas[o.Name] == nil {
		d.schemas[o.Name] = d.inline(o)
	}
	return &schema{Ref: "#/components/schemas/" + o.Name}
}

func (d describer) inline(o *contract.Object) *schema {
	s := &schema{Type: "object"}
	if o.Free {
		return s
	}
	if !o.Open {
		s.Closed = new(bool)
	}
	s.Properties = map[string]*schema{}
	undocumented := len(o.Members) > 0
	for _, m := range o.Members {
		property := d.schema(m.Type)
		if len(m.Rests) > 0 {
			property.mark = d.by(m.Rests...)
		}
		undocumented = undocumented && len(m.Rests) > 0
		s.Properties[m.Name] = property
		if m.Required {
			s.Required = append(s.Required, m.Name)
		}
		switch {
		case m.From == contract.FromCode:
			s.code = property
		case property.code != nil:
			s.code = property.code
		}
	}
	if undocumented {
		s.mark = d.by(o.Members[0].Rests...)
	}
	return s
}

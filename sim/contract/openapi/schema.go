package openapi

import "github.com/digitalbanking-sim/banksim/sim/contract"

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
	s := &schema{Type: t.JSON, Description: t.About, Enum: t.Enum, MinLength: t.Shortest, MaxLength: t.Longest, Minimum: t.Least}
	if t.Pattern != nil {
		s.Pattern = t.Pattern.String()
	}
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

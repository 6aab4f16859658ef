package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// strictSource is the schema of a scenario with all that it extends merged in.
//
//go:embed strict.schema.json
var strictSource []byte

// schema is what a value must be: a part of the strict schema, with the keywords of JSON Schema that it uses. Messages
// are made from it. It is read here, because what a person wrote is checked in the order of the file, and because the
// JSON Schema libraries for Go compile five drafts at each start of a program, which takes a fifth of ours.
type schema struct {
	Ref                  string             `json:"$ref"`
	Types                oneOrMany          `json:"type"`
	Title                string             `json:"title"` // what messages call the values
	Examples             []any              `json:"examples"`
	Enum                 []any              `json:"enum"` // texts, and numbers as json.Number
	AnyOf                []*schema          `json:"anyOf"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties additional         `json:"additionalProperties"`
	Required             []string           `json:"required"`
	Items                *schema            `json:"items"`
	MinItems             int                `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	MinLength            int                `json:"minLength"` // characters
	MaxLength            *int               `json:"maxLength"`
	Pattern              *regexp.Regexp     `json:"pattern"`
	Format               string             `json:"format"` // a key of formats
	Minimum              json.Number        `json:"minimum"`
	Maximum              json.Number        `json:"maximum"`
	ExclusiveMinimum     json.Number        `json:"exclusiveMinimum"`

	refers *schema // the definition that Ref names
	of     *schema // the mapping that has it as a property, or nil
	key    string  // its key there
	within string  // the name of the definition that it stands in
}

// oneOrMany is a list of texts that may be written as one text.
type oneOrMany []string

func (l *oneOrMany) UnmarshalJSON(data []byte) error {
	if one := ""; json.Unmarshal(data, &one) == nil {
		*l = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// additional says what values a mapping may have at keys that aren't listed.
type additional struct {
	none   bool    // such keys aren't allowed
	schema *schema // nil if any value is
}

func (a *additional) UnmarshalJSON(data []byte) error {
	if a.none = bytes.Equal(data, []byte("false")); a.none {
		return nil
	}
	return json.Unmarshal(data, &a.schema)
}

// definitions returns the definitions of the strict schema by name, such as user. They are read when the first file is
// loaded that is not embedded.
var definitions = sync.OnceValue(func() map[string]*schema {
	var whole struct {
		Schema      string             `json:"$schema"`
		Root        string             `json:"$ref"`
		Definitions map[string]*schema `json:"$defs"`
	}
	decoder := json.NewDecoder(bytes.NewReader(strictSource))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	const path = "#/$defs/"
	for name, one := range whole.Definitions {
		one.each(func(s *schema) {
			s.within = name
			if s.Ref != "" {
				s.refers = whole.Definitions[s.Ref[len(path):]]
			}
			for key, property := range s.Properties {
				property.of, property.key = s, key
			}
		})
	}
	return whole.Definitions
})

// each calls a function with a schema and those in it, but for the ones that it refers to.
func (s *schema) each(do func(*schema)) {
	do(s)
	for _, one := range s.AnyOf {
		one.each(do)
	}
	for _, property := range s.Properties {
		property.each(do)
	}
	if s.Items != nil {
		s.Items.each(do)
	}
	if others := s.AdditionalProperties.schema; others != nil {
		others.each(do)
	}
}

// definition returns a definition of the strict schema.
func definition(name string) *schema { return definitions()[name] }

// resolved returns the schema that a reference leads to.
func (s *schema) resolved() *schema {
	for s.refers != nil {
		s = s.refers
	}
	return s
}

// at returns the schema of the value at a key of a mapping, or nil.
func (s *schema) at(key string) *schema {
	if property := s.Properties[key]; property != nil {
		return property
	}
	return s.AdditionalProperties.schema
}

// misfits returns the keyword of a schema that a value itself doesn't fit, and the error of its format, or "". What a
// mapping or a list holds, and anyOf, are not looked at.
func (s *schema) misfits(n *yaml.Node) (keyword string, err error) {
	switch {
	case !s.allows(n):
		return "type", nil
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(one any) bool { return equals(n, one) }):
		return "enum", nil
	}
	switch typeOfTag[n.Tag] {
	case "string":
		length := utf8.RuneCountInString(n.Value)
		switch {
		case length < s.MinLength:
			return "minLength", nil
		case s.MaxLength != nil && length > *s.MaxLength:
			return "maxLength", nil
		case s.Pattern != nil && !s.Pattern.MatchString(n.Value):
			return "pattern", nil
		}
		if format := formats[s.Format]; format != nil {
			if err := format(n.Value); err != nil {
				return "format", err
			}
		}
	case "integer", "number":
		switch {
		case s.Minimum != "" && compare(n, s.Minimum) < 0:
			return "minimum", nil
		case s.Maximum != "" && compare(n, s.Maximum) > 0:
			return "maximum", nil
		case s.ExclusiveMinimum != "" && compare(n, s.ExclusiveMinimum) <= 0:
			return "exclusiveMinimum", nil
		}
	case "array":
		switch {
		case len(n.Content) < s.MinItems:
			return "minItems", nil
		case s.MaxItems != nil && len(n.Content) > *s.MaxItems:
			return "maxItems", nil
		}
	}
	return "", nil
}

// fits reports whether a value, with all that it holds, fits the schema.
func (s *schema) fits(n *yaml.Node) bool {
	s = s.resolved()
	if keyword, _ := s.misfits(n); keyword != "" {
		return false
	}
	if s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(one *schema) bool { return one.fits(n) }) {
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		if len(s.missingIn(n)) > 0 || len(s.unknownIn(n)) > 0 {
			return false
		}
		for i := 0; i < len(n.Content); i += 2 {
			if of := s.at(n.Content[i].Value); of != nil && !of.fits(n.Content[i+1]) {
				return false
			}
		}
	case yaml.SequenceNode:
		isOther := func(item *yaml.Node) bool { return !s.Items.fits(item) }
		return s.Items == nil || !slices.ContainsFunc(n.Content, isOther)
	}
	return true
}

// allows reports whether a schema allows the type of a value. A number may be whole.
func (s *schema) allows(n *yaml.Node) bool {
	is := typeOfTag[n.Tag]
	switch {
	case s.Types == nil || slices.Contains(s.Types, is):
		return true
	case is == "integer":
		return slices.Contains(s.Types, "number")
	case is == "number" && slices.Contains(s.Types, "integer"):
		return numberOf(n).IsInt()
	}
	return false
}

// unknownIn returns where a mapping has keys that it can't have.
func (s *schema) unknownIn(mapping *yaml.Node) (places []int) {
	if mapping.Kind != yaml.MappingNode || !s.AdditionalProperties.none {
		return nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if s.Properties[mapping.Content[i].Value] == nil {
			places = append(places, i)
		}
	}
	return places
}

// missingIn returns the keys that a mapping lacks.
func (s *schema) missingIn(mapping *yaml.Node) (keys []string) {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for _, key := range s.Required {
		if valueOf(mapping, key) == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// numberOf returns the value of a number.
func numberOf(n *yaml.Node) *big.Rat {
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return new(big.Rat) // the tree has no such number
	}
	return rational(fmt.Sprint(decoded))
}

// rational returns the value of a finite number.
func rational(text string) *big.Rat {
	number, isNumber := new(big.Rat).SetString(text)
	if !isNumber {
		return new(big.Rat)
	}
	return number
}

// compare compares a number with a limit, as [cmp.Compare] does.
func compare(n *yaml.Node, limit json.Number) int { return numberOf(n).Cmp(rational(string(limit))) }

// equals reports whether a value is a listed one.
func equals(n *yaml.Node, listed any) bool {
	switch listed := listed.(type) {
	case string:
		return n.Tag == "!!str" && n.Value == listed
	case json.Number:
		return (n.Tag == "!!int" || n.Tag == "!!float") && compare(n, listed) == 0
	}
	return false
}

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

// form is what a value must be: a schema of the strict schema, with the keywords of JSON Schema that it uses. Messages
// are made from it. It is read here, because what a person wrote is checked in the order of the file, and because the
// JSON Schema libraries for Go compile five drafts at each start of a program, which takes a fifth of ours.
type form struct {
	Ref                  string           `json:"$ref"`
	Types                oneOrMany        `json:"type"`
	Title                string           `json:"title"` // what messages call the values
	Examples             []any            `json:"examples"`
	Enum                 []any            `json:"enum"` // texts, and numbers as json.Number
	AnyOf                []*form          `json:"anyOf"`
	Properties           map[string]*form `json:"properties"`
	AdditionalProperties additional       `json:"additionalProperties"`
	Required             []string         `json:"required"`
	Items                *form            `json:"items"`
	MinItems             int              `json:"minItems"`
	MaxItems             *int             `json:"maxItems"`
	MinLength            int              `json:"minLength"` // characters
	MaxLength            *int             `json:"maxLength"`
	Pattern              *regexp.Regexp   `json:"pattern"`
	Format               string           `json:"format"` // a key of formats
	Minimum              json.Number      `json:"minimum"`
	Maximum              json.Number      `json:"maximum"`
	ExclusiveMinimum     json.Number      `json:"exclusiveMinimum"`

	refers *form  // the definition that Ref names
	of     *form  // the mapping that has it as a property, or nil
	key    string // its key there
	within string // the name of the definition that it stands in
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
	none bool  // such keys aren't allowed
	form *form // nil if any value is
}

func (a *additional) UnmarshalJSON(data []byte) error {
	if a.none = bytes.Equal(data, []byte("false")); a.none {
		return nil
	}
	return json.Unmarshal(data, &a.form)
}

// definitions returns the forms of the strict schema by name, such as user. They are read when the first file is loaded
// that is not embedded.
var definitions = sync.OnceValue(func() map[string]*form {
	var whole struct {
		Schema      string           `json:"$schema"`
		Root        string           `json:"$ref"`
		Definitions map[string]*form `json:"$defs"`
	}
	decoder := json.NewDecoder(bytes.NewReader(strictSource))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	const path = "#/$defs/"
	for name, definition := range whole.Definitions {
		definition.each(func(f *form) {
			f.within = name
			if f.Ref != "" {
				f.refers = whole.Definitions[f.Ref[len(path):]]
			}
			for key, property := range f.Properties {
				property.of, property.key = f, key
			}
		})
	}
	return whole.Definitions
})

// each calls a function with a form and those in it, but for the ones that it refers to.
func (f *form) each(do func(*form)) {
	do(f)
	for _, one := range f.AnyOf {
		one.each(do)
	}
	for _, property := range f.Properties {
		property.each(do)
	}
	if f.Items != nil {
		f.Items.each(do)
	}
	if others := f.AdditionalProperties.form; others != nil {
		others.each(do)
	}
}

// definition returns a definition of the strict schema.
func definition(name string) *form { return definitions()[name] }

// resolved returns the form that a reference leads to.
func (f *form) resolved() *form {
	for f.refers != nil {
		f = f.refers
	}
	return f
}

// at returns the form of the value at a key of a mapping, or nil if it has none.
func (f *form) at(key string) *form {
	if property := f.Properties[key]; property != nil {
		return property
	}
	return f.AdditionalProperties.form
}

// misfits returns the keyword of a form that a value itself doesn't fit, and the error of its format, or "". What a
// mapping or a list holds, and anyOf, are not looked at.
func (f *form) misfits(n *yaml.Node) (keyword string, err error) {
	switch {
	case !f.allows(n):
		return "type", nil
	case f.Enum != nil && !slices.ContainsFunc(f.Enum, func(one any) bool { return equals(n, one) }):
		return "enum", nil
	}
	switch typeOfTag[n.Tag] {
	case "string":
		length := utf8.RuneCountInString(n.Value)
		switch {
		case length < f.MinLength:
			return "minLength", nil
		case f.MaxLength != nil && length > *f.MaxLength:
			return "maxLength", nil
		case f.Pattern != nil && !f.Pattern.MatchString(n.Value):
			return "pattern", nil
		}
		if check := formats[f.Format]; check != nil {
			if err := check(n.Value); err != nil {
				return "format", err
			}
		}
	case "integer", "number":
		switch {
		case f.Minimum != "" && compare(n, f.Minimum) < 0:
			return "minimum", nil
		case f.Maximum != "" && compare(n, f.Maximum) > 0:
			return "maximum", nil
		case f.ExclusiveMinimum != "" && compare(n, f.ExclusiveMinimum) <= 0:
			return "exclusiveMinimum", nil
		}
	case "array":
		switch {
		case len(n.Content) < f.MinItems:
			return "minItems", nil
		case f.MaxItems != nil && len(n.Content) > *f.MaxItems:
			return "maxItems", nil
		}
	}
	return "", nil
}

// fits reports whether a value, with all that it holds, has the form.
func (f *form) fits(n *yaml.Node) bool {
	f = f.resolved()
	if keyword, _ := f.misfits(n); keyword != "" {
		return false
	}
	if f.AnyOf != nil && !slices.ContainsFunc(f.AnyOf, func(one *form) bool { return one.fits(n) }) {
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		if len(f.missingIn(n)) > 0 || len(f.unknownIn(n)) > 0 {
			return false
		}
		for i := 0; i < len(n.Content); i += 2 {
			if of := f.at(n.Content[i].Value); of != nil && !of.fits(n.Content[i+1]) {
				return false
			}
		}
	case yaml.SequenceNode:
		isOther := func(item *yaml.Node) bool { return !f.Items.fits(item) }
		return f.Items == nil || !slices.ContainsFunc(n.Content, isOther)
	}
	return true
}

// allows reports whether a form allows the type of a value. A number may be whole.
func (f *form) allows(n *yaml.Node) bool {
	is := typeOfTag[n.Tag]
	switch {
	case f.Types == nil || slices.Contains(f.Types, is):
		return true
	case is == "integer":
		return slices.Contains(f.Types, "number")
	case is == "number" && slices.Contains(f.Types, "integer"):
		return numberOf(n).IsInt()
	}
	return false
}

// unknownIn returns where a mapping has keys that it can't have.
func (f *form) unknownIn(mapping *yaml.Node) (places []int) {
	if mapping.Kind != yaml.MappingNode || !f.AdditionalProperties.none {
		return nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if f.Properties[mapping.Content[i].Value] == nil {
			places = append(places, i)
		}
	}
	return places
}

// missingIn returns the keys that a mapping lacks.
func (f *form) missingIn(mapping *yaml.Node) (keys []string) {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for _, key := range f.Required {
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

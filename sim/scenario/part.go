package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// part is a part of the schema: what a value must be. It has the keywords that the schema is made of, and no others.
type part struct {
	Ref        string           `json:"$ref"`
	Title      string           `json:"title"` // what a pattern means, in words
	Types      kinds            `json:"type"`  // the one that it is about first; none: any
	Enum       []any            `json:"enum"`
	Const      any              `json:"const"`
	Pattern    *regexp.Regexp   `json:"pattern"`
	Examples   []any            `json:"examples"`
	Properties map[string]*part `json:"properties"`
	Others     *part            `json:"additionalProperties"`
	Names      *part            `json:"propertyNames"`
	Required   []string         `json:"x-required"` // which editors don't know: a file that extends another one may omit it
	Items      *part            `json:"items"`
	AnyOf      []*part          `json:"anyOf"`
	MinLength  int              `json:"minLength"` // in characters
	MaxLength  int              `json:"maxLength"` // 0: any
	MinItems   int              `json:"minItems"`
	MaxItems   int              `json:"maxItems"` // 0: any number
	Minimum    json.Number      `json:"minimum"`
	Maximum    json.Number      `json:"maximum"`
	MoreThan   json.Number      `json:"exclusiveMinimum"`

	Definitions map[string]*part `json:"$defs"`
	none        bool             // whether there can be no value
}

// UnmarshalJSON decodes a part, or whether there can be a value.
func (p *part) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("false")) || bytes.Equal(data, []byte("true")) {
		p.none = data[0] == 'f'
		return nil
	}
	type keywords part
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode((*keywords)(p))
	for name, property := range p.Properties {
		if property.withoutNull(); property.Const != nil {
			delete(p.Properties, name) // a mark, which merging has removed
		}
	}
	if p.Names != nil { // all of them have the same values
		p.Properties = map[string]*part{}
		for _, name := range p.Names.Enum {
			p.Properties[fmt.Sprint(name)] = p.Others
		}
		p.Others = &part{none: true}
	}
	return err
}

// withoutNull takes null away, which merging has removed.
func (p *part) withoutNull() {
	isNull := func(one *part) bool { return slices.Equal(one.Types, kinds{"null"}) }
	p.AnyOf = slices.DeleteFunc(p.AnyOf, isNull)
	p.Enum = slices.DeleteFunc(p.Enum, func(value any) bool { return value == nil })
	p.Types = slices.DeleteFunc(p.Types, func(kind string) bool { return kind == "null" })
}

// kinds are the names of the kinds of values that JSON has.
type kinds []string

// UnmarshalJSON decodes a name, or a list of names.
func (k *kinds) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(k))
	}
	*k = kinds{""}
	return json.Unmarshal(data, &(*k)[0])
}

// format returns the definitions of the schema. They are read once, when a file is loaded that isn't embedded.
var format = sync.OnceValue(func() map[string]*part {
	var whole part
	if err := json.Unmarshal(schemaSource, &whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	return whole.Definitions
})

// scenarioPart returns what a scenario must be, with everything that it extends merged in.
func scenarioPart() *part { return format()["scenario"] }

// resolved returns the part that a reference leads to.
func (p *part) resolved() *part {
	for p != nil && p.Ref != "" {
		p = format()[strings.TrimPrefix(p.Ref, "#/$defs/")]
	}
	return p
}

// kindOfTag has the kinds of values by the tags of their nodes.
var kindOfTag = map[string]string{"!!map": "object", "!!seq": "array", "!!str": "string", "!!bool": "boolean", "!!null": "null",
	"!!int": "integer", "!!float": "number"}

// allows reports whether a value is of a kind that a part allows. A number may be whole, and a whole one is a number.
func (p *part) allows(at *yaml.Node) bool {
	kind := kindOfTag[at.Tag]
	return len(p.Types) == 0 || slices.Contains(p.Types, kind) || kind == "integer" && slices.Contains(p.Types, "number") ||
		kind == "number" && slices.Contains(p.Types, "integer") && numberOf(at).IsInt()
}

// lists reports whether a value is one of those that a part lists, if it lists any.
func (p *part) lists(at *yaml.Node) bool {
	return len(p.Enum) == 0 || slices.ContainsFunc(p.Enum, func(value any) bool {
		_, isText := value.(string)
		return isText == (at.Tag == "!!str") && fmt.Sprint(value) == at.Value
	})
}

// numberOf returns the value of a number, or nil.
func numberOf(at *yaml.Node) *big.Rat {
	var value any
	if at.Tag != "!!int" && at.Tag != "!!float" || at.Decode(&value) != nil {
		return nil
	}
	number, _ := new(big.Rat).SetString(fmt.Sprint(value))
	return number
}

// compare compares a number with a limit; 0 if there is none.
func compare(number *big.Rat, limit json.Number) int {
	bound, ok := new(big.Rat).SetString(limit.String())
	if !ok {
		return 0
	}
	return number.Cmp(bound)
}

// alternative returns the one of its alternatives that a value is meant to fit: the only one for values of its kind that has its keys.
// If none is for its kind, it is the first; if none or several have its keys, it is nil.
func (p *part) alternative(at *yaml.Node) *part {
	var fitting []*part
	isAllowed := false
	for _, one := range p.AnyOf {
		if one = one.resolved(); one.allows(at) {
			isAllowed = true
			if len(one.unknown(at)) == 0 {
				fitting = append(fitting, one)
			}
		}
	}
	switch {
	case !isAllowed:
		return p.AnyOf[0].resolved()
	case len(fitting) == 1:
		return fitting[0]
	}
	return nil
}

// unknown returns the places of the keys of a mapping that a part doesn't have.
func (p *part) unknown(at *yaml.Node) (places []int) {
	for i := 0; at.Kind == yaml.MappingNode && p.Others != nil && p.Others.none && i < len(at.Content); i += 2 {
		if p.Properties[at.Content[i].Value] == nil {
			places = append(places, i)
		}
	}
	return places
}

// schemaSource describes a scenario file by the definition scenario.
//
//go:embed scenario.schema.json
var schemaSource []byte

// Schema returns the JSON Schema of scenario files (draft 2020-12), for editors.
func Schema() []byte { return schemaSource }

// FaultSchemas returns the definitions that the schema has of a fault rule, FaultRule, and of what is in one, by name. They
// refer to each other by their names below a path.
func FaultSchemas(path string) map[string]json.RawMessage {
	const kind, definitions = "fault", "#/$defs/"
	var whole struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	renamed := bytes.ReplaceAll(schemaSource, []byte(`"`+definitions+kind), []byte(`"`+path+"Fault"))
	if err := json.Unmarshal(renamed, &whole); err != nil {
		panic(fmt.Sprintf("the embedded schema: %v", err))
	}
	rules := map[string]json.RawMessage{}
	for name, definition := range whole.Definitions {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			rules["Fault"+rest] = definition
		}
	}
	return rules
}

package scenario

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// part is a part of the schema that the loader validates with: what it says of a value, and of the values in it. It has the
// keywords of JSON Schema that the generator writes there; where one is left out, it is nil, or empty.
type part struct {
	ref         *part // which says the rest
	types       []string
	title       string
	description string
	examples    []any
	standard    any // by default
	enum        []any

	pattern              *regexp.Regexp
	minLength, maxLength *int

	minimum, maximum, exclusiveMinimum *big.Rat

	items              *part
	minItems, maxItems *int

	properties                   map[string]*part
	required                     []string
	closed                       bool  // whether there are no others
	others                       *part // what the others are
	minProperties, maxProperties *int
	dependentRequired            map[string][]string
	dependent                    map[string]*part // by the property that brings them in
}

// definitions are the parts of a schema that others refer to, by name.
type definitions struct {
	sources map[string]any
	parts   map[string]*part
}

// readPart returns a definition of a schema, with all that it refers to.
func readPart(schema []byte, name string) (*part, error) {
	var whole struct {
		Definitions map[string]any `json:"$defs"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(schema)))
	decoder.UseNumber()
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	return definitions{whole.Definitions, map[string]*part{}}.part(name)
}

const definitionPath = "#/$defs/"

// part returns a definition.
func (d definitions) part(name string) (*part, error) {
	if known := d.parts[name]; known != nil {
		return known, nil
	}
	keywords, ok := d.sources[name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("there is no definition %s", name)
	}
	p := new(part)
	d.parts[name] = p // before it is read: it may refer to itself
	return p, d.read(p, keywords)
}

// inner returns a part that is written in its place.
func (d definitions) inner(value any) (*part, error) {
	keywords, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is no part of a schema", value)
	}
	p := new(part)
	return p, d.read(p, keywords)
}

func (d definitions) inners(value any) (map[string]*part, error) {
	all := map[string]*part{}
	for name, inner := range value.(map[string]any) {
		p, err := d.inner(inner)
		if err != nil {
			return nil, err
		}
		all[name] = p
	}
	return all, nil
}

// read reads what a part says. A keyword that it doesn't know is an error: it would not be validated.
func (d definitions) read(p *part, keywords map[string]any) (err error) {
	for keyword, value := range keywords {
		switch keyword {
		case "$ref":
			p.ref, err = d.part(strings.TrimPrefix(value.(string), definitionPath))
		case "type":
			p.types = texts(value)
		case "title":
			p.title = value.(string)
		case "description":
			p.description = value.(string)
		case "examples":
			p.examples = value.([]any)
		case "default":
			p.standard = value
		case "enum":
			p.enum = value.([]any)
		case "pattern":
			p.pattern, err = regexp.Compile(value.(string))
		case "minLength":
			p.minLength = count(value)
		case "maxLength":
			p.maxLength = count(value)
		case "minimum":
			p.minimum = rational(value)
		case "maximum":
			p.maximum = rational(value)
		case "exclusiveMinimum":
			p.exclusiveMinimum = rational(value)
		case "items":
			p.items, err = d.inner(value)
		case "minItems":
			p.minItems = count(value)
		case "maxItems":
			p.maxItems = count(value)
		case "properties":
			p.properties, err = d.inners(value)
		case "required":
			p.required = texts(value)
		case "additionalProperties":
			if p.closed = value == false; !p.closed {
				p.others, err = d.inner(value)
			}
		case "minProperties":
			p.minProperties = count(value)
		case "maxProperties":
			p.maxProperties = count(value)
		case "dependentRequired":
			p.dependentRequired = map[string][]string{}
			for name, names := range value.(map[string]any) {
				p.dependentRequired[name] = texts(names)
			}
		case "dependentSchemas":
			p.dependent, err = d.inners(value)
		case "propertyNames", "uniqueItems", "format": // the checker reports the first two, with where they are; the third is for editors
		default:
			err = fmt.Errorf("the loader doesn't know the keyword %s", keyword)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// texts returns a list of texts, or the single one.
func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		return []string{value.(string)}
	}
	all := make([]string, len(list))
	for i, text := range list {
		all[i] = text.(string)
	}
	return all
}

func count(value any) *int {
	n, _ := value.(json.Number).Int64()
	whole := int(n)
	return &whole
}

// rational returns a number of a schema or a tree as it is written; nil: it is none.
func rational(value any) *big.Rat {
	number, _ := new(big.Rat).SetString(fmt.Sprint(value))
	return number
}

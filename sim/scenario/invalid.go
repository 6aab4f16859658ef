package scenario

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// invalid is what is wrong with a value.
type invalid struct {
	location []string // of the value: keys, and indexes of items
	part     *part    // of the schema, which says so
	keyword  string   // by which it does; empty: the value has no type of JSON
	names    []string // of the properties that are missing or unknown
	because  string   // the property that the missing ones depend on
}

// validation collects what is wrong with the values of a tree.
type validation struct {
	location []string
	found    []invalid
}

// validate returns what is wrong with a value, and with those in it.
func (p *part) validate(value any) []invalid {
	var v validation
	v.value(p, value)
	return v.found
}

func (v *validation) add(p *part, keyword string) {
	v.found = append(v.found, invalid{location: slices.Clone(v.location), part: p, keyword: keyword})
}

func (v *validation) addNames(p *part, keyword, because string, names []string) {
	if len(names) > 0 {
		v.found = append(v.found, invalid{slices.Clone(v.location), p, keyword, names, because})
	}
}

// at validates a value within the present one.
func (v *validation) at(step string, p *part, value any) {
	v.location = append(v.location, step)
	v.value(p, value)
	v.location = v.location[:len(v.location)-1]
}

// value validates a value. Of one that has the wrong type, or isn't one of those listed, nothing else is reported.
func (v *validation) value(p *part, value any) {
	kind := kindOfValue(value)
	switch {
	case kind == "":
		v.add(p, "")
		return
	case p.types != nil && !slices.Contains(p.types, kind) && !(kind == "number" && slices.Contains(p.types, "integer") && rational(value).IsInt()):
		v.add(p, "type")
		return
	case p.enum != nil && !slices.ContainsFunc(p.enum, func(one any) bool { return isSame(value, one) }):
		v.add(p, "enum")
		return
	}
	if p.ref != nil {
		v.value(p.ref, value)
	}
	switch value := value.(type) {
	case map[string]any:
		v.mapping(p, value)
	case []any:
		v.list(p, value)
	case string:
		v.text(p, value)
	default:
		if kind == "number" {
			v.number(p, value)
		}
	}
}

func (v *validation) mapping(p *part, mapping map[string]any) {
	missing := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			_, ok := mapping[name]
			return ok
		})
	}
	if p.minProperties != nil && len(mapping) < *p.minProperties {
		v.add(p, "minProperties")
	}
	if p.maxProperties != nil && len(mapping) > *p.maxProperties {
		v.add(p, "maxProperties")
	}
	v.addNames(p, "required", "", missing(p.required))
	var unknown []string
	for name, value := range mapping {
		switch known := p.properties[name]; {
		case known != nil:
			v.at(name, known, value)
		case p.closed:
			unknown = append(unknown, name)
		case p.others != nil:
			v.at(name, p.others, value)
		}
	}
	v.addNames(p, "additionalProperties", "", unknown)
	for name, dependent := range p.dependent {
		if _, ok := mapping[name]; ok {
			v.value(dependent, mapping)
		}
	}
	for name, names := range p.dependentRequired {
		if _, ok := mapping[name]; ok {
			v.addNames(p, "dependentRequired", name, missing(names))
		}
	}
}

func (v *validation) list(p *part, list []any) {
	if p.minItems != nil && len(list) < *p.minItems {
		v.add(p, "minItems")
	}
	if p.maxItems != nil && len(list) > *p.maxItems {
		v.add(p, "maxItems")
	}
	for i := 0; p.items != nil && i < len(list); i++ {
		v.at(strconv.Itoa(i), p.items, list[i])
	}
}

func (v *validation) text(p *part, text string) {
	if p.minLength != nil && utf8.RuneCountInString(text) < *p.minLength {
		v.add(p, "minLength")
	}
	if p.maxLength != nil && utf8.RuneCountInString(text) > *p.maxLength {
		v.add(p, "maxLength")
	}
	if p.pattern != nil && !p.pattern.MatchString(text) {
		v.add(p, "pattern")
	}
}

func (v *validation) number(p *part, value any) {
	if p.minimum == nil && p.maximum == nil && p.exclusiveMinimum == nil {
		return
	}
	number := rational(value)
	if p.minimum != nil && number.Cmp(p.minimum) < 0 {
		v.add(p, "minimum")
	}
	if p.maximum != nil && number.Cmp(p.maximum) > 0 {
		v.add(p, "maximum")
	}
	if p.exclusiveMinimum != nil && number.Cmp(p.exclusiveMinimum) <= 0 {
		v.add(p, "exclusiveMinimum")
	}
}

// kindOfValue returns the type of a value in JSON; empty: it has none. An integer is a number.
func kindOfValue(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return ""
		}
		return "number"
	case json.Number, int, int64, uint64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

// isSame reports whether a value is one that the schema lists: a text, a number, true or false.
func isSame(value, listed any) bool {
	if number, ok := listed.(json.Number); ok {
		return kindOfValue(value) == "number" && rational(value).Cmp(rational(number)) == 0
	}
	return value == listed
}

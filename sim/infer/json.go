package infer

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// decode decodes JSON. Numbers keep their digits. It returns nil for anything else.
func decode(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	if _, err := decoder.Token(); err != io.EOF { // something follows
		return nil
	}
	return value
}

// member returns a member of a JSON value, or nil.
func member(value any, names ...string) any {
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func text(value any, names ...string) string {
	text, _ := member(value, names...).(string)
	return text
}

func array(value any, names ...string) []any {
	elements, _ := member(value, names...).([]any)
	return elements
}

func number(value any, names ...string) int {
	digits, _ := member(value, names...).(json.Number)
	n, _ := digits.Int64()
	return int(n)
}

// eachMember calls fn for the texts and numbers in a JSON value, with the names of their members.
func eachMember(value any, fn func(name, value string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch inner := value[name].(type) {
			case string:
				fn(name, inner)
			case json.Number:
				fn(name, inner.String())
			default:
				eachMember(inner, fn)
			}
		}
	case []any:
		for _, element := range value {
			eachMember(element, fn)
		}
	}
}

package scenario

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// nodeOf returns a part of a document, or what was decoded from JSON, as YAML. Members of a document that are left out have the zero
// value.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case yaml.Node:
		return &v
	case json.Number:
		return unquoted(v.String())
	case json.Marshaler, encoding.TextMarshaler: // in a fault rule, which is checked
		if encoded, err := json.Marshal(v); err == nil {
			return nodeOf(decodeJSON(encoded))
		}
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String:
		return scalar(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return nodeOf(nil)
		}
		return nodeOf(v.Elem().Interface())
	case reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			list.Content = append(list.Content, nodeOf(v.Index(i).Interface()))
		}
		return list
	case reflect.Map:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			mapping.Content = append(mapping.Content, scalar(key.String()), nodeOf(v.MapIndex(key).Interface()))
		}
		return mapping
	case reflect.Struct:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for i := range v.NumField() {
			if member := v.Field(i); !member.IsZero() {
				mapping.Content = append(mapping.Content, scalar(v.Type().Field(i).Tag.Get("yaml")), nodeOf(member.Interface()))
			}
		}
		return mapping
	}
	return unquoted(fmt.Sprint(value))
}

// scalar returns a text, in quotes where the YAML library wouldn't read what it writes: it takes some line breaks for others.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ToValidUTF8(text, "\ufffd")}
	if strings.ContainsAny(text, lineBreaks) || text == "<<" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

const lineBreaks = "\n\r\u0085\u2028\u2029"

// unquoted returns what needs no quotes: a number or a flag.
func unquoted(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// decodeJSON decodes JSON, with its numbers as they are.
func decodeJSON(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil // it was encoded here, or by the domain
	}
	return value
}

// Flow returns a value that encoding/json has decoded as YAML on one line.
func Flow(value any) string {
	n := nodeOf(value)
	n.Style |= yaml.FlowStyle
	encoded, err := encode(n)
	if err != nil {
		panic(fmt.Sprintf("scenario: a value that can't be written: %v", err)) // texts are valid, and there are no other failures
	}
	return strings.TrimSuffix(string(encoded), "\n")
}

// encode writes a tree.
func encode(n *yaml.Node) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		return nil, err
	}
	err := encoder.Close()
	return text.Bytes(), err
}

// fold puts mappings and lists of texts on one line where they fit, those of a list all or none, and returns how long that of a part
// of a tree is.
func fold(n *yaml.Node) int {
	width, simple, fits := len(n.Value)+2, true, true
	for _, inner := range n.Content {
		width += fold(inner)
		simple = simple && inner.Kind == yaml.ScalarNode
		fits = fits && inner.Style&yaml.FlowStyle != 0
	}
	switch {
	case n.Kind == yaml.SequenceNode && simple, n.Kind == yaml.MappingNode && width <= maxFolded:
		n.Style |= yaml.FlowStyle
	case n.Kind == yaml.SequenceNode && !fits:
		for _, item := range n.Content {
			item.Style &^= yaml.FlowStyle
		}
	}
	return width
}

// maxFolded is how many characters a mapping on one line has at most.
const maxFolded = 200

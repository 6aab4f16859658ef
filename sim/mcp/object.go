package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// object is a JSON object: the arguments of a tool, or an answer of the control API.
type object = map[string]any

// decode returns the object of a JSON text. Numbers keep all digits: a seed has more than a float64.
func decode(data []byte) (object, error) {
	var value object
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, errors.New("null is not an object")
	}
	return value, nil
}

// expand puts the members of a value into a text, such as {name} and {response.status}. It cuts a long one.
func expand(text string, value object) string {
	return placeholder().ReplaceAllStringFunc(text, func(path string) string {
		return fmt.Sprint(clip(memberAt(path, value), maxText, 0))
	})
}

// placeholder finds the names that expand and a route put values for.
var placeholder = lazy.Regexp(`\{[\w.]+\}`)

// memberAt returns the member that a placeholder stands for, or an empty text.
func memberAt(path string, value any) any {
	for _, name := range strings.Split(strings.Trim(path, "{}"), ".") {
		within, _ := value.(object)
		value = within[name]
	}
	return cmp.Or(value, any(""))
}

// withoutNulls removes the members that are null from a value and all that it holds.
func withoutNulls(value any) any {
	switch v := value.(type) {
	case object:
		for name, member := range v {
			if member == nil {
				delete(v, name)
				continue
			}
			v[name] = withoutNulls(member)
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	case []object:
		for _, item := range v {
			withoutNulls(item)
		}
	}
	return value
}

// pick returns the named members of an object, if it has them.
func pick(value object, names ...string) object {
	picked := object{}
	for _, name := range names {
		if member, ok := value[name]; ok {
			picked[name] = member
		}
	}
	return picked
}

// inner returns a member that is an object, or nil.
func inner(value object, name string) object {
	member, _ := value[name].(object)
	return member
}

// objects returns the objects in a list of a value.
func objects(list string, value object) (all []object) {
	elements, _ := value[list].([]any)
	for _, element := range elements {
		if item, ok := element.(object); ok {
			all = append(all, item)
		}
	}
	return all
}

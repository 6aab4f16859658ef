package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// object is a JSON object: the arguments of a tool, or an answer of the control API.
type object = map[string]any

// call makes a call of the control API, such as "PATCH …/institutions/{institution}", and returns its answer. In the
// path, … is the sandbox, and {name} an argument; without the argument, the path lacks {name} and the word before it.
// All other arguments are the body. With GET and DELETE they are the query: the path ends in ? or & then.
func call(ctx context.Context, bank *api.Client, call string, in object) (object, error) {
	in = maps.Clone(in)
	in["sandbox"] = cmp.Or(in["sandbox"], any(sandbox.Default))
	method, path, _ := strings.Cut(strings.Replace(call, "…", "/v1/sandboxes/{sandbox}", 1), " ")
	missing, given := "", ""
	path = argument.ReplaceAllStringFunc(path, func(part string) string {
		name := argument.FindStringSubmatch(part)[1]
		value := in[name]
		delete(in, name)
		if value == nil {
			missing = name
			return ""
		}
		given = name
		return strings.Replace(part, "{"+name+"}", url.PathEscape(fmt.Sprint(value)), 1)
	})
	maps.DeleteFunc(in, func(name string, value any) bool {
		return value == nil || name == "sandbox" || name == "limit" || name == "skip"
	})
	var body any
	switch {
	case missing == "user" && given == "account":
		return nil, errors.New("user is missing: give the hostUserId of the account's user")
	case len(in) == 0 && method == "PATCH":
		return nil, errors.New("nothing is changed: give a new value")
	case len(in) == 0:
	case method == "GET" || method == "DELETE":
		query := url.Values{}
		for name, value := range in {
			query.Set(name, fmt.Sprint(value))
		}
		path += query.Encode()
	default:
		body = in
	}
	data, err := bank.Read(ctx, method, path, body)
	return decoded(data), err
}

// argument finds an argument in a path, with the word before it. member finds a member in a text.
var argument, member = regexp.MustCompile(`/\w+/\{(\w+)\}`), regexp.MustCompile(`\{[\w.]+\}`)

// expand puts the members of a value into a text, such as {name} and {response.status}. A long one is cut.
func expand(text string, value object) string {
	return member.ReplaceAllStringFunc(text, func(path string) string {
		var v any = value
		for _, name := range strings.Split(strings.Trim(path, "{}"), ".") {
			within, _ := v.(object)
			v = within[name]
		}
		return fmt.Sprint(clip(cmp.Or(v, any("")), maxText, 0))
	})
}

// decoded returns the object that a JSON text is, or nil.
func decoded(data []byte) (value object) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // a seed has more digits than a float64
	_ = decoder.Decode(&value)
	return value
}

// part returns some members of an object, if it has them.
func part(of object, names ...string) object {
	some := object{}
	for _, name := range names {
		if value, ok := of[name]; ok {
			some[name] = value
		}
	}
	return some
}

// inner returns a member that is an object, or nil.
func inner(of object, name string) object {
	value, _ := of[name].(object)
	return value
}

// objects returns a function that returns the objects in a list of its argument.
func objects(list string) func(of object) []object {
	return func(of object) (all []object) {
		elements, _ := of[list].([]any)
		for _, element := range elements {
			if value, ok := element.(object); ok {
				all = append(all, value)
			}
		}
		return all
	}
}

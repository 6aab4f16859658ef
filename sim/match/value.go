package match

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Value is an expected value.
type Value struct {
	Shown any                // the value as messages may show it: redacted
	Holds func(got any) bool // reports whether a value is as expected; got is nil where there is none
}

var absent = Value{nil, func(got any) bool { return got == nil }}

// Redact returns the text that requests hold in place of the value at a path of member names, or "" if
// they hold the value itself.
type Redact func(path []string, value any) string

// AsSent is the Redact of requests that hold the values themselves.
func AsSent([]string, any) string { return "" }

// expressionMark begins a text that is a regular expression.
const expressionMark = "~"

// maxExpression is how many parts a regular expression has at most, with its repetitions written out (choice). A
// comparison takes time in proportion to this size and to the length of the text, and nothing can interrupt it.
const maxExpression = 2_000

// maxExpressionBytes is how long a regular expression may be (choice): it takes time to parse.
const maxExpressionBytes = 10_000

// text reads an expected text, given the text that requests hold in its place. The path leads to the condition that has
// the text, and the field is how messages call it: an element of a list has a field of its own, body.scopes[1].
func (c *Conditions[R]) text(field string, path []string, expected, redacted string) Value {
	text, isExpression := strings.CutPrefix(expected, expressionMark)
	if !isExpression { // the expected text may also be a redacted text that was read in the journal
		return Value{redacted, func(got any) bool { return got == redacted || got == expected }}
	}
	shown := expected
	if text != "" && redacted != expected { // the expression may be the secret itself
		shown = expressionMark + redacted
	}
	expression, err := compile(text)
	if err != nil {
		c.Mistakes = append(c.Mistakes, Mistake{Field: path, Text: wording.Shorten(field) + ": " + err.Error()})
		return Value{shown, func(any) bool { return false }}
	}
	return Value{shown, func(got any) bool {
		switch got := got.(type) {
		case nil:
			return false
		case string:
			return expression.MatchString(got)
		}
		text, err := strictjson.Encode(got)
		return err == nil && expression.Match(text)
	}}
}

// compile compiles a regular expression. Its error doesn't show the expression.
func compile(text string) (*regexp.Regexp, error) {
	if len(text) > maxExpressionBytes {
		return nil, fmt.Errorf("the regular expression has more than %d bytes: simplify it", maxExpressionBytes)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if wrong, ok := err.(*syntax.Error); ok {
		return nil, fmt.Errorf(`%s: what follows "~" has to be a Go regular expression (RE2)`, wrong.Code)
	}
	if size := expressionSize(parsed); size > maxExpression {
		const large = "the regular expression has %d parts once its repetitions are written out, more than %d: simplify it"
		return nil, fmt.Errorf(large, size, maxExpression)
	}
	return regexp.Compile(text)
}

// expressionSize returns about how many instructions an expression compiles to, with its repetitions written out.
func expressionSize(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, part := range re.Sub {
		size += expressionSize(part)
	}
	return size * max(re.Min, re.Max, 1)
}

// value reads an expected JSON value at a path of member names.
func (c *Conditions[R]) value(field string, path []string, expected any, redact Redact) Value {
	if expected == nil {
		return absent
	}
	redacted := redact(path, expected)
	if text, ok := expected.(string); ok {
		return c.text(field, append([]string{"body"}, path...), text, cmp.Or(redacted, text))
	}
	if redacted != "" {
		return Value{redacted, func(got any) bool { return got == redacted }}
	}
	switch expected := expected.(type) {
	case map[string]any: // it contains the members
		members, shown := make(map[string]Value, len(expected)), make(map[string]any, len(expected))
		for _, name := range slices.Sorted(maps.Keys(expected)) {
			m := c.value(field+"."+name, append(slices.Clone(path), name), expected[name], redact)
			members[name], shown[name] = m, m.Shown
		}
		return Value{shown, func(got any) bool {
			object, ok := got.(map[string]any)
			for name, m := range members {
				ok = ok && m.Holds(object[name])
			}
			return ok
		}}
	case []any: // it has as many elements
		elements, shown := make([]Value, len(expected)), make([]any, len(expected))
		for i, element := range expected {
			elements[i] = c.value(field+"["+strconv.Itoa(i)+"]", path, element, redact)
			shown[i] = elements[i].Shown
		}
		return Value{shown, func(got any) bool {
			array, ok := got.([]any)
			return ok && slices.EqualFunc(elements, array, func(e Value, got any) bool { return e.Holds(got) })
		}}
	case json.Number:
		return Value{expected, func(got any) bool {
			number, ok := got.(json.Number)
			return ok && equalNumbers(expected, number)
		}}
	}
	return Value{expected, func(got any) bool { return got == expected }}
}

// Decode reads a JSON value as conditions compare it: its numbers are [json.Number], because large ones don't fit a
// float64.
func Decode(data []byte) (value any, err error) {
	if !json.Valid(data) {
		return nil, fmt.Errorf("%d bytes are not one JSON value", len(data))
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// Content returns the content of a body for conditions, or nil if it can't be read. JSON is as Decode reads it. A form
// is an object of its members, and a multipart body an object of its parts without the files. A member that is given
// several times is an array.
func Content(body []byte, contentType string) any {
	if len(body) == 0 {
		return nil
	}
	unmarked := bytes.TrimPrefix(body, []byte("\uFEFF")) // a byte order mark is ignored (RFC 8259 8.1)
	if content, err := Decode(unmarked); err == nil {
		return content
	}
	object := map[string]any{}
	if parts, isMultipart, err := strictjson.Parts(body, contentType); isMultipart {
		for name, part := range parts {
			if !part.IsFile {
				object[name] = string(part.Content)
			}
		}
		if err != nil {
			return nil
		}
		return object
	}
	media, _, _ := mime.ParseMediaType(contentType)
	form, err := url.ParseQuery(string(body))
	if media != "application/x-www-form-urlencoded" || err != nil {
		return nil
	}
	for name, values := range form {
		if object[name] = values[0]; len(values) > 1 {
			several := make([]any, len(values))
			for i, value := range values {
				several[i] = value
			}
			object[name] = several
		}
	}
	return object
}

// equalNumbers reports whether two numbers have the same value, whole ones exactly.
func equalNumbers(a, b json.Number) bool {
	whole, err := a.Int64()
	other, otherErr := b.Int64()
	if err == nil && otherErr == nil {
		return whole == other
	}
	x, err := a.Float64()
	y, otherErr := b.Float64()
	return a == b || err == nil && otherErr == nil && x == y
}

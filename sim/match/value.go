package match

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Value is an expected value.
type Value struct {
	Shown any                // the value as messages may show it: redacted
	Holds func(got any) bool // reports whether a value is as expected; got is nil where there is none
}

var absent = Value{nil, func(got any) bool { return got == nil }}

// Redact returns the text that requests hold in place of the value at a path of member names; "": they hold the value
// itself. A nil Redact means that they hold every value itself.
type Redact func(path []string, value any) string

func (r Redact) of(path []string, value any) string {
	if r == nil {
		return ""
	}
	return r(path, value)
}

// expressionMark begins a text that is a regular expression.
const expressionMark = "~"

// Mistake is an expected text that is not a valid regular expression, or one that is too large. It never shows the text, which may hold a secret.
type Mistake struct {
	Field  string // "header.fiid", "body.scopes[1]"
	reason string
}

func (m Mistake) Error() string {
	return m.Field + ": " + m.reason
}

// reader reads expected values and notes the mistakes.
type reader struct {
	redact   Redact
	mistakes *[]Mistake
	size     *int // of all expressions so far, see expressionSize
}

// text reads an expected text, given the text that requests hold in its place.
func (r reader) text(field, expected, redacted string) Value {
	if expression, ok := strings.CutPrefix(expected, expressionMark); ok {
		return Value{Shown(expected, redacted), r.expression(field, expression)}
	}
	// The expected text may also be a redacted text that was read in the journal.
	return Value{redacted, func(got any) bool { return got == redacted || got == expected }}
}

// Shown returns an expected text as it may be shown, given its redacted text. An expression for a value that is redacted
// may hold a part of a secret: it is hidden, but still to be seen as an expression.
func Shown(expected, redacted string) string {
	switch {
	case expected == expressionMark: // any value
		return expected
	case strings.HasPrefix(expected, expressionMark) && redacted != expected:
		return expressionMark + redacted
	}
	return redacted
}

// expression returns what accepts a value whose text the expression matches.
func (r reader) expression(field, text string) func(got any) bool {
	expression, err := r.compile(text)
	if err != nil {
		*r.mistakes = append(*r.mistakes, Mistake{field, err.Error()})
		return func(any) bool { return false }
	}
	return func(got any) bool {
		switch got := got.(type) {
		case nil:
			return false
		case string:
			return expression.MatchString(got)
		}
		text, err := wire.Encode(got)
		return err == nil && expression.Match(text)
	}
}

// value reads an expected JSON value at a path of member names.
func (r reader) value(field string, path []string, expected any) Value {
	if expected == nil {
		return absent
	}
	redacted := r.redact.of(path, expected)
	if text, ok := expected.(string); ok {
		if redacted == "" {
			redacted = text
		}
		return r.text(field, text, redacted)
	}
	if redacted != "" {
		return Value{redacted, func(got any) bool { return got == redacted }}
	}
	switch expected := expected.(type) {
	case map[string]any:
		return r.object(field, path, expected)
	case []any:
		return r.array(field, path, expected)
	}
	if n, ok := newNumber(expected); ok {
		return Value{expected, func(got any) bool { number, ok := newNumber(got); return ok && n.equal(number) }}
	}
	return Value{expected, func(got any) bool { return got == expected }}
}

// object reads an object that contains the expected members.
func (r reader) object(field string, path []string, expected map[string]any) Value {
	members, shown := make(map[string]Value, len(expected)), make(map[string]any, len(expected))
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		m := r.value(field+"."+name, append(slices.Clone(path), name), expected[name])
		members[name], shown[name] = m, m.Shown
	}
	return Value{shown, func(got any) bool {
		object, ok := got.(map[string]any)
		for name, m := range members {
			ok = ok && m.Holds(object[name])
		}
		return ok
	}}
}

// array reads an array of as many elements, each as expected.
func (r reader) array(field string, path []string, expected []any) Value {
	elements, shown := make([]Value, len(expected)), make([]any, len(expected))
	for i, value := range expected {
		elements[i] = r.value(field+"["+strconv.Itoa(i)+"]", path, value)
		shown[i] = elements[i].Shown
	}
	return Value{shown, func(got any) bool {
		array, ok := got.([]any)
		ok = ok && len(array) == len(elements)
		for i := 0; ok && i < len(array); i++ {
			ok = elements[i].Holds(array[i])
		}
		return ok
	}}
}

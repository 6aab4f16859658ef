package match

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// Condition is one requirement for a request of type R.
type Condition[R any] struct {
	Field string // the part of the request: "status", "header.fiid", "body.groupName"
	Value
	Got func(R) any // returns what the request has there, or nil if there is nothing
}

// Fulfilled reports whether a request fulfils the condition.
func (c Condition[R]) Fulfilled(request R) bool { return c.Holds(c.Got(request)) }

// Conditions collects the conditions for a request, and the mistakes in them. The zero value is empty and ready to use.
type Conditions[R any] struct {
	All      []Condition[R]
	Mistakes []Mistake // in regular expressions: no text shows the expression
}

// Err returns all mistakes as one error, or nil.
func (c *Conditions[R]) Err() error {
	var all []error
	for _, m := range c.Mistakes {
		all = append(all, errors.New(m.Text))
	}
	return errors.Join(all...)
}

// Fulfilled reports whether a request fulfils all conditions.
func (c *Conditions[R]) Fulfilled(request R) bool {
	return !slices.ContainsFunc(c.All, func(one Condition[R]) bool { return !one.Fulfilled(request) })
}

// Add adds a condition.
func (c *Conditions[R]) Add(field string, value Value, got func(R) any) {
	c.All = append(c.All, Condition[R]{field, value, got})
}

// Text adds a condition for a text, unless the expected text is empty. A request has "" in place of a text that is
// absent. Without equal, the texts must be the same.
func (c *Conditions[R]) Text(field, expected string, equal func(expected, got string) bool, got func(R) string) {
	if expected == "" {
		return
	}
	value := c.text(field, []string{field}, expected, expected)
	if equal != nil && !strings.HasPrefix(expected, expressionMark) {
		value.Holds = func(got any) bool { text, ok := got.(string); return ok && equal(expected, text) }
	}
	c.Add(field, value, func(request R) any {
		if text := got(request); text != "" {
			return text
		}
		return nil
	})
}

// Values adds a condition for each expected header or parameter: one of its values must be as expected. A nil text
// means that it must be absent. redact returns a value as the requests hold it; a nil redact means that they hold it as
// sent.
func (c *Conditions[R]) Values(
	kind string, expected map[string]*string, redact func(name, value string) string, got func(R, string) []string,
) {
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		field, value := kind+"."+name, absent
		if text := expected[name]; text != nil {
			redacted := *text
			if redact != nil {
				redacted = redact(name, *text)
			}
			one := c.text(field, []string{kind, name}, *text, redacted)
			value = Value{one.Shown, func(got any) bool {
				several, ok := got.([]string)
				isHeld := func(text string) bool { return one.Holds(text) }
				return !ok && one.Holds(got) || slices.ContainsFunc(several, isHeld)
			}}
		}
		c.Add(field, value, func(request R) any {
			if values := got(request, name); len(values) > 1 {
				return values
			} else if len(values) == 1 {
				return values[0]
			}
			return nil
		})
	}
}

// Members adds a condition for each expected member of a body and, where a member is an object itself, for each of its
// members. An object without members must be there, whatever it contains.
func (c *Conditions[R]) Members(expected map[string]any, redact Redact, body func(R) any, path ...string) {
	if len(expected) == 0 {
		c.Add("body", c.value("body", nil, expected, AsSent), body)
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		at := append(slices.Clone(path), name)
		inner, isObject := expected[name].(map[string]any)
		if isObject && len(inner) > 0 && redact(at, inner) == "" {
			c.Members(inner, redact, body, at...)
			continue
		}
		field := "body." + strings.Join(at, ".")
		got := func(request R) any { return member(body(request), at) }
		c.Add(field, c.value(field, at, expected[name], redact), got)
	}
}

// member returns the member of a JSON value at a path of names, or nil.
func member(value any, path []string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

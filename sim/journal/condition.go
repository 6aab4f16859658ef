package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// condition is one thing that a request has to fulfil.
type condition struct {
	field string             // as the expectation names it: "status", "header.fiid", "body.groupName"
	want  any                // redacted; nil: absent
	got   func(*subject) any // what a request has there; nil: nothing
	holds func(got any) bool
}

// conditions returns the conditions of an expectation, in a fixed order, or says what is wrong with it.
func (e Expectation) conditions() ([]condition, error) {
	var cs []condition
	text := func(field, want string, equal func(got any) bool, got func(*subject) any) error {
		if want == "" {
			return nil
		}
		if strings.HasPrefix(want, "~") {
			expression, err := newExpression(field, want)
			if err != nil {
				return err
			}
			equal = expression
		}
		cs = append(cs, condition{field, want, got, equal})
		return nil
	}
	isOp := func(got any) bool { return isOperation(e.Operation, got.(string)) }
	isMethod := func(got any) bool { return strings.EqualFold(e.Method, got.(string)) }
	isPath := func(got any) bool { return e.Path == got.(string) }
	if err := errors.Join(
		text("operation", e.Operation, isOp, func(s *subject) any { return s.operation }),
		text("method", e.Method, isMethod, func(s *subject) any { return s.method }),
		text("path", e.Path, isPath, func(s *subject) any { return valid(s.path) }),
	); err != nil {
		return nil, err
	}
	if e.Status != 0 {
		if e.Status < 100 || e.Status > 599 {
			return nil, fmt.Errorf("status is %d: an HTTP status is a number from 100 to 599", e.Status)
		}
		cs = append(cs, condition{"status", e.Status,
			func(s *subject) any { return s.status },
			func(got any) bool { return got == e.Status }})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		c, err := valuesCondition("header."+name, e.Header[name], func(v string) string { return redactHeader(name, v) },
			func(s *subject) []string { return s.header(name) })
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Query)) {
		redact := fingerprintUnlessEmpty
		if isPlainParameter(name) {
			redact = func(v string) string { return v }
		}
		c, err := valuesCondition("query."+name, e.Query[name], redact,
			func(s *subject) []string { return s.queryValues()[name] })
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	if len(e.Body) > 0 {
		var body map[string]any
		if err := json.Unmarshal(e.Body, &body, exactNumbers); err != nil || body == nil {
			return nil, errors.New("body is not a JSON object: give the members that the request's body has to contain")
		}
		fields, err := bodyConditions(body)
		if err != nil {
			return nil, err
		}
		cs = append(cs, fields...)
	}
	return cs, nil
}

// valuesCondition is that one of several values is as wanted; a nil want: that there is none.
func valuesCondition(field string, want *string, redact func(string) string, values func(*subject) []string) (condition, error) {
	c := condition{field: field, got: func(s *subject) any {
		switch vs := values(s); len(vs) {
		case 0:
			return nil
		case 1:
			return vs[0]
		default:
			return vs
		}
	}}
	if want == nil {
		c.holds = func(got any) bool { return got == nil }
		return c, nil
	}
	redacted := redact(*want)
	one := func(got any) bool { return got == *want || got == redacted }
	c.want = redacted
	if strings.HasPrefix(*want, "~") {
		expression, err := newExpression(field, *want)
		if err != nil {
			return condition{}, err
		}
		one, c.want = expression, *want
	}
	c.holds = func(got any) bool {
		if several, ok := got.([]string); ok {
			return slices.ContainsFunc(several, func(v string) bool { return one(v) })
		}
		return got != nil && one(got)
	}
	return c, nil
}

// bodyConditions returns a condition for each member of the wanted body and, where a member is itself an object
// whose content is kept, for each of that one's.
func bodyConditions(body map[string]any) ([]condition, error) {
	if len(body) > 0 {
		return memberConditions(nil, body, plain)
	}
	isObject := func(got any) bool { _, ok := got.(map[string]any); return ok }
	return []condition{{"body", shown(body), func(s *subject) any { return s.body() }, isObject}}, nil
}

func memberConditions(path []string, object map[string]any, of treatment) ([]condition, error) {
	var cs []condition
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := append(slices.Clone(path), name)
		t := memberTreatment(of, name)
		if inner, ok := object[name].(map[string]any); ok && t != hidden && len(inner) > 0 {
			fields, err := memberConditions(at, inner, t)
			if err != nil {
				return nil, err
			}
			cs = append(cs, fields...)
			continue
		}
		field := "body." + strings.Join(at, ".")
		want, err := newWanted(field, object[name], t)
		if err != nil {
			return nil, err
		}
		cs = append(cs, condition{field, shown(want.redacted), func(s *subject) any { return s.member(at) }, want.is})
	}
	return cs, nil
}

// memberTreatment says how the members of an object are treated that itself is treated so.
func memberTreatment(of treatment, name string) treatment {
	if of == named {
		return hidden
	}
	return requestMembers[name]
}

package fault

import (
	"maps"
	"net/textproto"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// matcher tells which requests match a rule.
type matcher struct {
	rule       Rule
	conditions []func(*Query) bool
}

// newMatcher returns the matcher of a rule that Check has passed.
func newMatcher(r Rule) *matcher {
	m := &matcher{rule: r}
	if d := r.When.During; d != nil {
		m.conditions = append(m.conditions, d.includes)
	}
	request := r.When.Request
	if request == nil {
		return m
	}
	if request.InstitutionID != "" {
		m.conditions = append(m.conditions, identity(request.InstitutionID, func(q *Query) func() string { return q.InstitutionID }))
	}
	if request.HostUserID != "" {
		m.conditions = append(m.conditions, identity(request.HostUserID, func(q *Query) func() string { return q.HostUserID }))
	}
	for _, name := range slices.Sorted(maps.Keys(request.Header)) {
		name, is := textproto.CanonicalMIMEHeaderKey(name), values(request.Header[name])
		m.conditions = append(m.conditions, func(q *Query) bool { return is(q.Header[name]) })
	}
	for _, name := range slices.Sorted(maps.Keys(request.Query)) {
		is := values(request.Query[name])
		m.conditions = append(m.conditions, func(q *Query) bool { return is(q.Values[name]) })
	}
	if len(request.Body) > 0 {
		is := value(request.Body)
		m.conditions = append(m.conditions, func(q *Query) bool { return q.Body != nil && is(q.Body()) })
	}
	return m
}

func (m *matcher) matches(q *Query) bool {
	if !matchesOperation(m.rule.Operation, q.Operation) {
		return false
	}
	for _, holds := range m.conditions {
		if !holds(q) {
			return false
		}
	}
	return true
}

// matchesOperation tells whether a pattern, a name or the beginning of names and "*", stands for an operation.
func matchesOperation(pattern, operation string) bool {
	if prefix, isPattern := strings.CutSuffix(pattern, "*"); isPattern || pattern == "" {
		return strings.HasPrefix(operation, prefix)
	}
	return pattern == operation
}

func (d *During) includes(q *Query) bool {
	from, length := time.Duration(d.From), time.Duration(d.For)
	return q.Since >= from && (length == 0 || q.Since-from < length)
}

// identity returns the condition that an id which a query knows is as wanted; an empty one is none.
func identity(want string, of func(*Query) func() string) func(*Query) bool {
	is := text(want)
	return func(q *Query) bool {
		ask := of(q)
		if ask == nil {
			return false
		}
		id := ask()
		return id != "" && is(id)
	}
}

// text returns the condition that a text is as wanted.
func text(want string) func(string) bool {
	if expression, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile(expression).MatchString
	}
	return func(got string) bool { return got == want }
}

// values returns the condition that one of several texts is as wanted; nil: that there is none.
func values(want *string) func([]string) bool {
	if want == nil {
		return func(got []string) bool { return len(got) == 0 }
	}
	is := text(*want)
	return func(got []string) bool { return slices.ContainsFunc(got, is) }
}

// value returns the condition that a JSON value is as wanted: of an object the members that are wanted, of an array
// each element. A text that begins with "~" is looked for in a text, or in the JSON of what is none.
func value(want any) func(any) bool {
	switch want := want.(type) {
	case nil:
		return func(got any) bool { return got == nil }
	case map[string]any:
		members := make(map[string]func(any) bool, len(want))
		for name, v := range want {
			members[name] = value(v)
		}
		return func(got any) bool {
			object, ok := got.(map[string]any)
			for name, is := range members {
				ok = ok && is(object[name])
			}
			return ok
		}
	case []any:
		elements := make([]func(any) bool, len(want))
		for i, v := range want {
			elements[i] = value(v)
		}
		return func(got any) bool {
			array, ok := got.([]any)
			ok = ok && len(array) == len(elements)
			for i := 0; ok && i < len(array); i++ {
				ok = elements[i](array[i])
			}
			return ok
		}
	case string:
		if !strings.HasPrefix(want, "~") {
			return func(got any) bool { return got == want }
		}
		is := text(want)
		return func(got any) bool {
			switch got := got.(type) {
			case nil:
				return false
			case string:
				return is(got)
			default:
				raw, err := json.Marshal(got, json.Deterministic(true))
				return err == nil && is(string(raw))
			}
		}
	default: // a number or a boolean
		want = number(want)
		return func(got any) bool { return got == want }
	}
}

// number returns a number as JSON has it, of whichever type it is in a rule that is written in Go, and other values as
// they are.
func number(v any) any {
	switch of := reflect.ValueOf(v); {
	case of.CanInt():
		return float64(of.Int())
	case of.CanUint():
		return float64(of.Uint())
	case of.CanFloat():
		return of.Float()
	}
	return v
}

package explore

import (
	"iter"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// membersApart yields the names of the members in which two requests of an operation differ.
func (r request) membersApart(other request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, pair := range [][2]request{{r, other}, {other, r}} {
			for _, m := range pair[0].members {
				value, ok := pair[1].value(m.name)
				if (!ok || value != m.value) && !yield(m.name) {
					return
				}
			}
		}
	}
}

// hasAll reports whether the request has the members with the names as another one has them.
func (r request) hasAll(other request, names []string) bool {
	for _, name := range names {
		value, ok := r.value(name)
		want, _ := other.value(name)
		if !ok || value != want {
			return false
		}
	}
	return true
}

// conditions returns the conditions of a rule that requests like this one meet, and the names of the members that they are about: those
// that don't vary, and that the journal has as they were sent. Nil: there are none.
func (r request) conditions(varying map[string]bool) (*fault.Request, []string) {
	like := &fault.Request{Query: map[string]*string{}, Header: map[string]*string{}, Body: map[string]any{}}
	var names []string
	for _, m := range r.members {
		part, name, ok := strings.Cut(m.name, ".")
		if !ok || varying[r.operation+" "+m.name] || strings.ContainsAny(name, "[]") || !asSent(m.value) {
			continue
		}
		switch part {
		case "query":
			like.Query[name] = &m.value
		case "header":
			like.Header[name] = &m.value
		case "body":
			value, ok := scalar(m.value)
			if !ok {
				continue
			}
			put(like.Body, strings.Split(name, "."), value)
		}
		names = append(names, m.name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return like, names
}

// asSent reports whether a value is one that the journal has as it was sent, and that conditions take literally.
func asSent(value string) bool {
	return value != someTime && !hasDrawn(value) && !strings.Contains(value, "(id ") && !strings.HasPrefix(value, "~") && !strings.HasPrefix(value, `"~`) &&
		!strings.Contains(value, someTime)
}

// scalar returns a value of a body that is no object and no list.
func scalar(text string) (any, bool) {
	value, _ := decode(text)
	switch value.(type) {
	case map[string]any, []any, nil:
		return nil, false
	}
	return value, true
}

// put puts a value in objects within each other.
func put(object map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = value
}

package explore

import (
	"iter"
	"slices"
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

// agrees reports whether the request has the members with the names as another one has them, or lacks them as well.
func (r request) agrees(other request, names []string) bool {
	for _, name := range names {
		value, ok := r.value(name)
		want, wanted := other.value(name)
		if ok != wanted || value != want {
			return false
		}
	}
	return true
}

// conditions returns the conditions of a rule that requests like this one meet, and the names of the members that they are about: those
// that don't vary, and that the journal has as they were sent; and those that others have and this one lacks. Nil: there are none.
func (r request) conditions(varying map[string]bool, others []request) (*fault.Request, []string) {
	like := &fault.Request{Query: map[string]*string{}, Header: map[string]*string{}, Body: map[string]any{}}
	var names []string
	add := func(m member, lacks bool) {
		part, name, ok := strings.Cut(m.name, ".")
		if !ok || varying[r.operation+" "+m.name] || strings.ContainsAny(name, "[]") || !asSent(m.value) || slices.Contains(names, m.name) {
			return
		}
		text := &m.value
		value, isScalar := scalar(m.value)
		if lacks {
			text, value = nil, nil
		}
		switch {
		case part == "query":
			like.Query[name] = text
		case part == "header":
			like.Header[name] = text
		case part == "body" && isScalar && put(like.Body, strings.Split(name, "."), value):
		default:
			return
		}
		names = append(names, m.name)
	}
	for _, m := range r.members {
		add(m, false)
	}
	for _, other := range others {
		for _, m := range other.members {
			if _, has := r.value(m.name); !has {
				add(m, true)
			}
		}
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

// put puts a value in objects within each other. It is false if one of them is no object.
func put(object map[string]any, path []string, value any) bool {
	for _, name := range path[:len(path)-1] {
		if object[name] == nil {
			object[name] = map[string]any{}
		}
		inner, ok := object[name].(map[string]any)
		if !ok {
			return false
		}
		object = inner
	}
	object[path[len(path)-1]] = value
	return true
}

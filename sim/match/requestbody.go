package match

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

func (r Requests) checkBody() []Mistake {
	var bodies []typed
	for _, op := range r.Operations {
		if op.Request != nil {
			isForm := op.Form != nil || op.Multipart != nil
			bodies = append(bodies, typed{contract.Type{JSON: "object", Object: op.Request}, isForm})
		}
	}
	switch {
	case r.Body == nil || len(r.Operations) == 0:
		return nil
	case len(bodies) > 0:
		return r.checkMembers([]string{"body"}, r.Body, bodies)
	}
	return []Mistake{{Field: []string{"body"}, Text: "leave body out: " + r.have(nil)}}
}

// checkMembers checks the members of an object that has one of some types.
func (r Requests) checkMembers(at []string, members map[string]any, types []typed) (all []Mistake) {
	if slices.ContainsFunc(types, func(t typed) bool { return t.Object.IsFree() }) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		path := append(slices.Clone(at), name)
		var of []typed
		var known []string
		for _, t := range types {
			known = append(known, t.Object.Names()...)
			if m, ok := t.Object.Member(name); ok {
				of = append(of, typed{m.Type, t.isText})
			}
		}
		meant := r.meantMember(name)
		shown := wording.Quote(strings.Join(path[1:], "."))
		unknown := Mistake{Field: path, Text: "unknown member " + shown + " of the body: "}
		switch {
		case of != nil:
			all = append(all, r.checkValue(path, members[name], of)...)
			continue
		case meant != nil:
			unknown.Text += "did you mean " + nested(meant) + "?"
		case r.OwnNames:
			continue
		default:
			unknown.Text += r.have(known) + ownNames
		}
		all = append(all, unknown)
	}
	return all
}

// meantMember returns the names that lead to the member whose name, or path, another name is a slip of. It returns nil
// if no operation has such a member.
func (r Requests) meantMember(name string) []string {
	paths := map[string][]string{} // by the last name, and by all names
	for _, op := range r.Operations {
		if op.Request != nil {
			op.Request.WalkPaths(func(path []string) {
				paths[path[len(path)-1]], paths[strings.Join(path, ".")] = path, path
			})
		}
	}
	near, _ := wording.Slip(name, slices.Sorted(maps.Keys(paths)))
	return paths[near]
}

// nested returns a JSON object with a member at a path.
func nested(path []string) string {
	text := "…"
	for _, name := range slices.Backward(path) {
		text = "{" + string(strictjson.MustEncode(name)) + ": " + text + "}"
	}
	return text
}

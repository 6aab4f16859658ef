package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// unrecorded are the headers that net/http takes out of a request's header, in lower case, and where else to look.
var unrecorded = map[string]string{
	"host":              "the host is in the url of an exchange",
	"transfer-encoding": "the size of the body is bodyBytes of an exchange",
	"trailer":           "",
}

// path refuses what is no path, and a path that is none of the operations' that are asked for. Without an operation, clients may
// ask for any.
func (p *possible) path(path string) error {
	switch {
	case path == "" || strings.HasPrefix(path, "~") || path == "*": // as of OPTIONS
		return nil
	case !strings.HasPrefix(path, "/") || strings.Contains(path, "?"):
		return errors.New("path is no path, which begins with / and is without base URL and query: give parameters as query")
	case !p.patterned || p.none:
		return nil
	}
	var paths []string
	for _, op := range p.spoken {
		if isPathOf(op, path) { // of either dialect: a scenario can force one
			return nil
		}
		paths = append(paths, op.Name+" has "+op.Path)
	}
	return fmt.Errorf("path is another one than that of the operation, without base URL and query: %s; leave path out, or operation", strings.Join(paths, ", "))
}

// headers refuses the names of headers that no request has. Names that begin with X- are the app's own.
func (p *possible) headers(expected map[string]*string) error {
	known := append(contract.RequestHeaders(), contract.FaultHeader)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		lower := strings.ToLower(name)
		if instead, ok := unrecorded[lower]; ok {
			return errors.New(strings.TrimSuffix("the journal doesn't record the header "+phrase.Quote(name)+": leave it out; "+instead, "; "))
		}
		if strings.HasPrefix(lower, "x-") {
			continue
		}
		had := func(s *subject) bool { return len(s.header(name)) > 0 }
		if err := p.slip("header", name, known, strings.EqualFold, had); err != nil {
			return err
		}
	}
	return nil
}

// query refuses the names of query parameters that look like slips.
func (p *possible) query(expected map[string]*string) error {
	known := contract.QueryParameters(p.spoken)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		had := func(s *subject) bool { return len(s.parameter(name)) > 0 }
		if err := p.slip("query parameter", name, known, same, had); err != nil {
			return err
		}
	}
	return nil
}

func same(a, b string) bool { return a == b }

// body refuses a body where none is recorded, and the names of members that no request has.
func (p *possible) body(expected []byte) error {
	if len(expected) == 0 {
		return nil
	}
	var objects []*contract.Object
	for _, op := range p.spoken {
		if op.Request != nil {
			objects = append(objects, op.Request)
		}
	}
	if len(objects) == 0 {
		return errors.New("body is given, but no body is recorded here, because the operation takes none: leave body out, or operation")
	}
	decoded, _ := match.Decode(expected) // conditions reports what is wrong with it
	members, _ := decoded.(map[string]any)
	return p.members(nil, members, objects)
}

// members refuses the names of members that are none of the objects'.
func (p *possible) members(path []string, expected map[string]any, objects []*contract.Object) error {
	if slices.ContainsFunc(objects, (*contract.Object).IsFree) {
		return nil
	}
	var known []string
	for _, o := range objects {
		for _, m := range o.Members {
			if !slices.Contains(known, m.Name) {
				known = append(known, m.Name)
			}
		}
	}
	what := "member"
	if len(path) > 0 {
		what = "member of " + strings.Join(path, ".")
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		at := append(slices.Clone(path), name)
		had := func(s *subject) bool { return has(s.body(), at) }
		if err := p.slip(what, name, known, same, had); err != nil {
			return err
		}
		if !slices.Contains(known, name) {
			if p.patterned && !p.none && !p.had(had) {
				return fmt.Errorf("no request had the %s %s: the members are %s; to look for one of the app's own, give path instead of operation",
					what, phrase.Quote(name), phrase.Names(known))
			}
			continue
		}
		inner, isObject := expected[name].(map[string]any)
		if deeper := within(objects, name); isObject && len(deeper) > 0 {
			if err := p.members(at, inner, deeper); err != nil {
				return err
			}
		}
	}
	return nil
}

// within returns the objects that a member of the objects has.
func within(objects []*contract.Object, name string) []*contract.Object {
	var all []*contract.Object
	for _, o := range objects {
		if m, ok := o.Member(name); ok && m.Type.Object != nil && m.Type.JSON == "object" {
			all = append(all, m.Type.Object)
		}
	}
	return all
}

// has reports whether a JSON value has a member, however deep, even if it is null.
func has(value any, path []string) bool {
	for _, name := range path {
		object, _ := value.(map[string]any)
		member, ok := object[name]
		if !ok {
			return false
		}
		value = member
	}
	return true
}

// isPathOf reports whether a path, as it was sent, without the base URL, is one of an operation's, in any dialect.
func isPathOf(op *contract.Operation, path string) bool {
	segments := strings.Split(path, "/")
	return slices.ContainsFunc(contract.Dialects, func(d sim.Dialect) bool {
		spoken := op.In(d)
		if spoken == nil {
			return false
		}
		return slices.EqualFunc(strings.Split(spoken.Path, "/"), segments, func(want, got string) bool {
			return want == got || strings.HasPrefix(want, "{") && got != ""
		})
	})
}

package match

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// hasPath reports whether the operation has the path of the requests.
func (r Requests) hasPath(op *contract.Operation) bool {
	return slices.ContainsFunc(contract.Interfaces(), func(i *contract.Interface) bool {
		return (r.AnyPath || i.Dialect == op.Dialect) && Covers(i.Operation(op.Name).Path, r.Path)
	})
}

func (r Requests) checkPath() []Mistake {
	if !isLiteral(r.Path) {
		return nil
	}
	problem := ""
	meant := r.nearPath()
	switch {
	case strings.ContainsAny(r.Path, "#{} "):
		problem = `write it as it was sent, escaped and without variables, or as an expression: "~^/v3/groups/"`
	case meant != r.Path:
		problem = "did you mean " + wording.Quote(meant) + "?"
		if strings.Contains(r.Path, "?") {
			problem += " Give the query as query."
		}
	case !r.Outside && !slices.ContainsFunc(r.Operations, r.hasPath):
		var paths []string
		for _, op := range r.Operations {
			paths = append(paths, op.Path)
		}
		problem = r.have(paths)
	}
	if problem == "" {
		return nil
	}
	return []Mistake{{[]string{"path"}, "path is " + wording.Quote(r.Path) + ": " + problem, equals(r.Path)}}
}

// nearPath returns the path that is meant: without base URL and query, and with the slips of an operation's path
// mended.
func (r Requests) nearPath() string {
	path, _, _ := strings.Cut(r.Path, "?")
	if _, address, isURL := strings.Cut(path, "://"); isURL {
		_, path, _ = strings.Cut(address, "/")
	}
	if slices.ContainsFunc(r.Operations, r.hasPath) {
		return path
	}
	given := slices.DeleteFunc(strings.Split(path, "/"), func(segment string) bool { return segment == "" })
	if len(given) > 2 && given[0] == "sandboxes" {
		given = given[2:]
	}
	for _, prefix := range []string{"", contract.DocumentPrefix} {
		parts := append(strings.FieldsFunc(prefix, func(c rune) bool { return c == '/' }), given...)
		for _, op := range r.Operations {
			if near, ok := nearSegments(strings.Split(op.Path, "/")[1:], parts); ok {
				return "/" + strings.Join(near, "/")
			}
		}
	}
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/sandboxes/") {
		return path // the app's own
	}
	return "/" + strings.Join(given, "/")
}

// nearSegments returns the segments of a path with each slip of a known segment mended. ok is false if a segment
// differs by more than a slip.
func nearSegments(known, given []string) (near []string, ok bool) {
	if len(known) != len(given) {
		return nil, false
	}
	for i, segment := range known {
		if strings.HasPrefix(segment, "{") {
			segment = given[i]
		} else if _, isSlip := wording.Slip(given[i], known[i:i+1]); !isSlip {
			return nil, false
		}
		near = append(near, segment)
	}
	return near, true
}

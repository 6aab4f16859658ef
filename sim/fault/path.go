package fault

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// PathPattern returns the path to write in a rule that stubs an escaped path of a request. A segment stays escaped only
// if the rule needs it.
func PathPattern(escapedPath string) string {
	parts := strings.Split(escapedPath, "/")
	for i, part := range parts {
		text := match.Unescape(part)
		if strings.ContainsFunc(text, needsEscape) {
			text = url.PathEscape(text)
		}
		if text == match.Rest {
			text = match.OfRequest(text)
		}
		parts[i] = text
	}
	return strings.Join(parts, "/")
}

// needsEscape reports whether a character means something else in the path of a rule, or can't be read there.
func needsEscape(r rune) bool {
	return strings.ContainsRune(" /%?#{}", r) || r == utf8.RuneError || !unicode.IsPrint(r)
}

// path checks the path of a stub, and reports whether a rule may have it. It can't be a path of the interface.
func (c *check) path(method, path string) (ok bool) {
	const at = "path"
	ofSandbox := strings.HasPrefix(path, "/sandboxes/")
	ok = !c.reject(ofSandbox, at, "path begins after the base URL: leave out /sandboxes/NAME")
	variables := map[string]bool{}
	misplaced := strings.Contains(path, "/"+match.Rest+"/")
	if c.reject(misplaced, at, "** stands for all below a path, so nothing can come after it: write it at the end") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		bad := c.reject(!match.IsSegment(part), at, "the segment %s is neither a literal nor one {name}: "+
			"write {name} for the whole segment; in a literal, write %%7B, %%7D and %%25 for braces and percent signs",
			wording.Quote(part))
		twice := c.reject(variables[part], at,
			"the variable %s is in the path twice: give each variable a name of its own", wording.Shorten(part))
		if bad || twice {
			return false
		}
		variables[part] = strings.HasPrefix(part, "{")
	}
	var here []*contract.Operation
	for _, op := range contract.AllOperations() {
		if match.Covers(op.Path, path) {
			here = append(here, op)
		}
	}
	if len(here) == 0 {
		return ok
	}
	named := max(slices.IndexFunc(here, func(op *contract.Operation) bool { return op.Method == method }), 0)
	return !c.reject(true, at, "the interface has this path: name its operation instead, such as %s", here[named].Name)
}

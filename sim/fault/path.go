package fault

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// segment is the part of a path between two slashes.
type segment struct {
	text       string // without escapes, so that the slash of %2F is a part of the text
	isVariable bool   // whether it is a {name} that stands for any text but the empty one
}

// segments splits the path of a rule, of an operation or of a request. The path of a request is escaped, so that braces
// in it are no variables.
func segments(path string) []segment {
	parts := strings.Split(path, "/")
	all := make([]segment, len(parts))
	for i, part := range parts {
		all[i] = segment{unescape(part), strings.HasPrefix(part, "{") && validSegment.MatchString(part)}
	}
	return all
}

// unescape returns the text of a segment. A % that begins no escape stands for itself.
func unescape(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil {
		return part
	}
	return text
}

// covers reports whether the path of a rule or an operation matches the path of a request. If the second is the path
// of a rule, too, the first must match all requests that the second matches.
func covers(path, other string) bool {
	known, given := segments(path), segments(other)
	if len(known) != len(given) {
		return false
	}
	for i, want := range known {
		if want.isVariable && given[i].text == "" || !want.isVariable && want != given[i] {
			return false
		}
	}
	return true
}

// PathPattern returns the path to write in a rule that stubs an escaped path of a request. A segment stays escaped only
// if the rule needs it.
func PathPattern(escapedPath string) string {
	parts := strings.Split(escapedPath, "/")
	for i, part := range parts {
		text := unescape(part)
		if strings.ContainsFunc(text, needsEscape) {
			text = url.PathEscape(text)
		}
		parts[i] = text
	}
	return strings.Join(parts, "/")
}

// needsEscape reports whether a character means something else in the path of a rule, or can't be read there.
func needsEscape(r rune) bool {
	return strings.ContainsRune(" /%?#{}", r) || r == utf8.RuneError || !unicode.IsPrint(r)
}

// validSegment is a segment that the path of a rule may have.
var validSegment = regexp.MustCompile(`^(\{[\pL\pN_-]+\}|([^{}%]|%[0-9A-Fa-f]{2})*)$`)

// path checks the path of a stub, and reports whether a rule may have it. It can't be a path of the interface.
func (c *check) path(path string) (ok bool) {
	const at = "path"
	ok = !c.reject(strings.HasPrefix(path, "/sandboxes/"), at, "path begins after the base URL: leave out /sandboxes/NAME")
	variables := map[string]bool{}
	for part := range strings.SplitSeq(path, "/") {
		bad := c.reject(!validSegment.MatchString(part), at, "the segment %s is neither a literal nor one {name}: "+
			"write {name} for the whole segment; in a literal, write %%7B, %%7D and %%25 for braces and percent signs",
			phrase.Quote(part))
		twice := c.reject(variables[part], at,
			"the variable %s is in the path twice: give each variable a name of its own", phrase.Shorten(part))
		if bad || twice {
			return false
		}
		variables[part] = strings.HasPrefix(part, "{")
	}
	for _, op := range contract.AllOperations() {
		if covers(op.Path, path) {
			return !c.reject(true, at, "the interface has this path: name its operation instead, such as %s", op.Name)
		}
	}
	return ok
}

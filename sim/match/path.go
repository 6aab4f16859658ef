package match

import (
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
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
		all[i] = segment{Unescape(part), strings.HasPrefix(part, "{") && IsSegment(part)}
	}
	return all
}

// Unescape returns the text of a segment. A % that begins no escape stands for itself.
func Unescape(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil {
		return part
	}
	return text
}

// Rest is the last segment of the path of a rule that stands for the path before it, and for all below that.
const Rest = "**"

// Covers reports whether the path of a rule or an operation matches the path of a request. If the second is the path
// of a rule, too, the first must match all requests that the second matches.
func Covers(path, other string) bool {
	path, isDeep := strings.CutSuffix(path, "/"+Rest)
	other, otherIsDeep := strings.CutSuffix(other, "/"+Rest)
	known, given := segments(path), segments(other)
	if isDeep {
		given = given[:min(len(known), len(given))]
	} else if otherIsDeep {
		return false
	}
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

// OfRequest returns the escaped path of a request as Covers takes it: no segment of it is Rest.
func OfRequest(path string) string { return strings.ReplaceAll(path, "*", "%2A") }

// validSegment is a segment that the path of a rule may have.
var validSegment = lazy.Regexp(`^(\{[\pL\pN_-]+\}|([^{}%]|%[0-9A-Fa-f]{2})*)$`)

// IsSegment reports whether the path of a rule may have a segment: a literal, or one {name}.
func IsSegment(part string) bool { return validSegment().MatchString(part) }

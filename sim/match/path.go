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

// newSegment returns a segment of the path of a rule, an operation or a request. The path of a request is escaped, so
// that braces in it are no variables.
func newSegment(part string) segment {
	return segment{Unescape(part), strings.HasPrefix(part, "{") && IsSegment(part)}
}

// covers reports whether a segment matches another one.
func (s segment) covers(other segment) bool {
	return s.isVariable && other.text != "" || s == other
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
// of a rule, too, the first must match all requests that the second matches. It looks at no more segments than the
// first has: many rules may be compared with a long path.
func Covers(path, other string) bool {
	path, isDeep := strings.CutSuffix(path, "/"+Rest)
	other, otherIsDeep := strings.CutSuffix(other, "/"+Rest)
	if otherIsDeep && !isDeep {
		return false
	}
	for {
		want, pathRest, pathGoesOn := strings.Cut(path, "/")
		given, otherRest, otherGoesOn := strings.Cut(other, "/")
		if !newSegment(want).covers(newSegment(given)) {
			return false
		}
		if !pathGoesOn || !otherGoesOn {
			return !pathGoesOn && (isDeep || !otherGoesOn)
		}
		path, other = pathRest, otherRest
	}
}

// OfRequest returns the escaped path of a request as Covers takes it: no segment of it is Rest.
func OfRequest(path string) string { return strings.ReplaceAll(path, "*", "%2A") }

// validSegment is a segment that the path of a rule may have.
var validSegment = lazy.Regexp(`^(\{[\pL\pN_-]+\}|([^{}%]|%[0-9A-Fa-f]{2})*)$`)

// IsSegment reports whether the path of a rule may have a segment: a literal, or one {name}.
func IsSegment(part string) bool { return validSegment().MatchString(part) }

package bankapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// maxCompared bounds the part of an unknown path that is compared with the known ones.
const maxCompared = 200

// nearestOperation returns the operation that is nearest to a request that is none's: the one whose path ends like the
// request's for the most segments, then the one with the fewest edits, then the one with the method, then the one whose path begins like it: so it is of the
// dialect that the client speaks. A client that
// leaves out a prefix, or has another one, is so led to the operation that it means.
func nearestOperation(method, path string) *contract.Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	given := segments(path[:min(len(path), maxCompared)])
	nearness := func(op *contract.Operation) []int {
		known := segments(op.Path)
		fromEnd := filledIn(known, given, len(given)-len(known))
		differs, begins := 0, 0
		if op.Method != method {
			differs = 1
		}
		if known[0] == given[0] {
			begins = 1
		}
		whole, end := filledIn(known, given, 0), fromEnd[max(len(known)-len(given), 0):]
		return []int{-commonEnd(known, given), min(edits(whole, given), edits(end, given)), differs, -begins}
	}
	return slices.MinFunc(contract.AllSpoken(), func(a, b *contract.Operation) int { return slices.Compare(nearness(a), nearness(b)) })
}

// segments returns the segments of a path, in lower case.
func segments(path string) []string {
	return strings.Split(strings.ToLower(strings.Trim(path, "/")), "/")
}

// filledIn returns an operation's path with what stands in a request's path in the place of its variables. The first
// segment of the operation's path stands at an offset in the request's.
func filledIn(template, path []string, offset int) []string {
	filled := slices.Clone(template)
	for i, segment := range filled {
		if at := i + offset; strings.HasPrefix(segment, "{") && at >= 0 && at < len(path) {
			filled[i] = path[at]
		}
	}
	return filled
}

// commonEnd returns how many segments an operation's path and a request's have in common at their ends. Anything may stand in
// the place of a variable, so that counts for nothing.
func commonEnd(template, path []string) int {
	common := 0
	for n := 1; n <= min(len(template), len(path)); n++ {
		switch known := template[len(template)-n]; {
		case strings.HasPrefix(known, "{"):
		case known == path[len(path)-n]:
			common++
		default:
			return common
		}
	}
	return common
}

// edits returns how many edits make one path of the other.
func edits(a, b []string) int {
	return phrase.Edits([]rune(strings.Join(a, "/")), []rune(strings.Join(b, "/")))
}

package bankapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// maxCompared bounds the part of an unknown path that is compared with the known ones.
const maxCompared = 200

// nearestOperation returns the operation that is nearest to a request that is none's: by its path, then by its
// method.
func nearestOperation(method, path string) *contract.Operation {
	path = strings.ToLower(path[:min(len(path), maxCompared)])
	distance := func(op *contract.Operation) int {
		d := 2 * phrase.Edits([]rune(path), []rune(filledIn(strings.ToLower(op.Path), path)))
		if op.Method != method {
			d++
		}
		return d
	}
	return slices.MinFunc(contract.Operations, func(a, b *contract.Operation) int { return cmp.Compare(distance(a), distance(b)) })
}

// filledIn returns an operation's path with what stands in a request's path in the place of its variables.
func filledIn(template, path string) string {
	segments, given := strings.Split(template, "/"), strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") && i < len(given) {
			segments[i] = given[i]
		}
	}
	return strings.Join(segments, "/")
}

package match_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/match"
)

// A request with a very long path costs each rule no more than the rule's own segments.
func TestLongPathsAreNotSplit(t *testing.T) { // not parallel: it counts what the whole process allocates
	long := strings.Repeat("/a", 15_000)
	assert.Zero(t, testing.AllocsPerRun(100, func() { match.Covers("/a/{id}/a", long) }))
}

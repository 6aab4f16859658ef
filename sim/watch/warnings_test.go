package watch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A reload logs what is doubtful in the new version, at most ten warnings of it, and serves it all the same.
func TestWarningsAreLogged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	write(t, file, extending("good"))
	b := watched(t, file, never)
	doubtful := extending("doubtful") + "institutions:\n  - institutionId: \"02688\"\n    groups:\n"
	for n := range 12 {
		doubtful += fmt.Sprintf("      - groupName: \"group %d \"\n", n)
	}
	replace(t, file, doubtful)
	b.awaitName("doubtful")
	assert.Eventually(t, func() bool { return strings.Contains(b.log.String(), "banksim validate reports all") }, simtest.Patience, time.Millisecond)
	log := b.log.String()
	assert.Equal(t, 10, strings.Count(log, `level=WARN msg="doubtful in the scenario" warning="`+file), log)
	assert.Contains(t, log, ":6:20: groupName")
	assert.Contains(t, log, "warnings=2")
	assert.Len(t, b.groups(), 12)
}

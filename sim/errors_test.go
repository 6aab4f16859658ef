package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
)

func TestRefuseCutsLongValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 100)
	assert.EqualError(t, sim.Refuse(sim.UserUnknown, "no %s %q in %[1]s", "user", "a\n"), `no user "a\n" in user`)
	assert.EqualError(t, sim.Refuse(sim.UserUnknown, "no %q of %s", long, long), `no "`+long[:160]+`…" of `+long)
	assert.EqualError(t, sim.Refuse(sim.UserUnknown, "no %s", strings.Repeat(long, 20)),
		"no "+strings.Repeat(long, 10)[:1994]+"…")
}

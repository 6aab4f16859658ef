package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A group may change the case of its own name, but not to the very name of another group: in the public dialect, where
// the case makes no difference.
func TestRenamingInOtherCase(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	owls := simtest.Decode[map[string]any](t, createGroup.WithBody(`{"groupName":"Owls"}`).Expect(b, 200))
	createGroup.With("transactionId", "t-2").WithBody(`{"groupName":"OWLS"}`).Expect(b, 200)
	rename := createGroup.WithMethod("PUT").At("/v3/groups/"+owls["groupId"].(string)).WithToken("demo-token").
		With("transactionId", "8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11")
	assert.Equal(t, "2004", rename.WithBody(`{"groupName":"OWLS"}`).Expect(b, 400).Code())
	rename.WithBody(`{"groupName":"oWLs"}`).Expect(b, 200)
}

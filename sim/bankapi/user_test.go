package bankapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// statusOf returns the path of a user's status, without userIdType where it is empty.
func statusOf(id, kind string) string {
	path := strings.Replace(contract.UsersGetStatus.Path, "{institutionUserId}", id, 1)
	if kind == "" {
		return path
	}
	return path + "?userIdType=" + kind
}

// The flag is the very thing that the second precondition looks at, whoever has changed it.
func TestUserStatusIsThatOfThePreconditions(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, active := range []bool{true, false, true} {
		b.ControlSandbox(200, "PATCH /institutions/02688/users/1001", fmt.Sprintf(`{"active":%t}`, active))
		assert.Equal(t, active, strings.Contains(simtest.GetUserStatus.Send(b).Body, `"active":true`))
		assert.Equal(t, active, updateUser.Send(b).StatusCode == 204)
	}
}

// Every user is found by each of its ids, and no other user is.
func TestUserStatusByAnyID(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	seen := map[string]bool{}
	for u := range b.World().Users("02688") {
		ids := map[string]string{sim.HostUserIDType: u.HostUserID, sim.InstitutionUserIDType: strings.ToLower(u.InstitutionUserID()), sim.CustomerIDType: u.CustomerID()}
		if u.Username != "" {
			ids[sim.LoginIDType] = u.Username
		}
		for kind, id := range ids {
			assert.False(t, seen[id], "%s has the id of another user or of another kind", id)
			seen[id] = true
			res := simtest.GetUserStatus.At(statusOf(id, kind)).Send(b)
			assert.Equal(t, 200, res.StatusCode, res.Body)
			assert.Contains(t, res.Body, `"institutionUserId":"`+u.InstitutionUserID()+`"`)
		}
	}
	assert.Len(t, seen, 13)
}

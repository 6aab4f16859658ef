package bankapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestSandboxByBaseURL(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	const named = "/sandboxes/default"
	for _, base := range []string{"", named} {
		res := listGroups.At(base + simtest.GroupsPath + "?size=20").Send(b)
		require.Equal(t, 200, res.StatusCode)
		assert.Contains(t, res.Body, b.BaseURL()+base+simtest.GroupsPath+"?page=1&size=20", "links keep the base URL that was used")
	}
	assert.Equal(t, 200, getDisclosures.At(named+getDisclosures.Path).Send(b).StatusCode)

	res := getDisclosures.At("/sandboxes/nope" + getDisclosures.Path).Send(b)
	assert.Equal(t, 404, res.StatusCode)
	assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
	assert.Contains(t, res.Body, `\"nope\"`)
}

func TestPathsAreTakenAsTheyCome(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t,
		"name: test\nextends: retail\ninstitutions:\n- institutionId: '02688'\n  users:\n  - hostUserId: '1001'\n"+
			"    accounts: [{accountId: a/b, disclosures: [{institutionDisclosureStatus: ACCEPTED}]}]\n")
	account := func(id string) simtest.Answer {
		return getDisclosures.At(strings.Replace(getDisclosures.Path, "acc-1001-checking", id, 1)).Send(b)
	}
	res := account("a%2Fb")
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"accountId":"a/b"`)
	for _, id := range []string{"..%2f", "%00", "{}", "%7B%7D", strings.Repeat("x", 10_000)} {
		res := account(id)
		assert.Equal(t, 200, res.StatusCode, id)
		assert.Equal(t, `{"institutionUserDisclosures":[]}`, res.Body)
	}
	for _, path := range []string{"/" + simtest.GroupsPath, simtest.GroupsPath + "/", "/x/.." + simtest.GroupsPath, "/", "/sandboxes/",
		"/sandboxes/default"} {
		res := listGroups.At(path).Send(b)
		assert.Equal(t, 404, res.StatusCode, "%s: %s", path, res.Body)
	}
}

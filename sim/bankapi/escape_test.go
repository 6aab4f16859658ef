package bankapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The paths of operations are compared with their escapes decoded, except that an escaped slash separates nothing. Ids
// in paths are decoded, whatever they hold.
func TestEscapesInPaths(t *testing.T) {
	t.Parallel()
	groups, deletes := simtest.GroupsPath, contract.GroupsDelete.Name
	b := simtest.NewBank(t, simtest.FrozenRetail)
	root := b.BaseURL()[len(b.Server.ServiceURL()):]
	for _, c := range []struct {
		method, path string
		operation    string // or "" if it is none
		says         string // the answer
	}{
		{"DELETE", "/v%33/groups/7", deletes, ""},
		{"HEAD", "/v%33/groups", contract.GroupsList.Name, ""},
		{"DELETE", groups + "/a%2Fb", deletes, `groupId \"a/b\"`},
		{"DELETE", groups + "/user%40x.org", deletes, `groupId \"user@x.org\"`},
		{"DELETE", groups + "/gr%C3%BCn", deletes, `groupId \"grün\"`},
		{"DELETE", groups + "/a%2520b", deletes, `groupId \"a%20b\"`},
		{"DELETE", groups + "/a+b", deletes, `groupId \"a+b\"`},
		{"DELETE", groups + "/a;b=c", deletes, `groupId \"a;b=c\"`},
		{"DELETE", groups + "/..", deletes, `groupId \"..\"`},
		{"DELETE", groups + "/%FF", deletes, "groupId"},
		{"DELETE", groups + "/%7BgroupId%7D", deletes, `groupId \"{groupId}\"`},
		{"GET", "/v3%2Fgroups", "", "is not simulated"},
		{"GET", "/v3/groups%2F", "", "did you mean groups.list"},
		{"DELETE", "/v3/groups/7%", "", `{"code":"2000",`},
	} {
		call := simtest.NewCall(c.method, c.path, "", "Connection: close", "transactionId: t-1", "Content-Length: 0")
		answer := exchangeBytes(t, b, raw(call, root))
		assert.Contains(t, answer, c.says, c.path)
		if strings.Contains(answer, "Banksim-Exchange: ") { // else it can't be parsed, and is in no journal
			assert.Equal(t, c.operation, b.Last().Operation, "%s %s: %s", c.method, c.path, answer)
		}
		assert.NotContains(t, answer, "HTTP/1.1 3", "it is redirected")
	}
}

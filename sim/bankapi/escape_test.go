package bankapi_test

import (
	"bufio"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The paths of operations are compared with their escapes decoded, except that an escaped slash separates nothing. Ids in
// paths are decoded, whatever they hold.
func TestEscapesInPaths(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	root := b.BaseURL()[len(b.Server.ServiceURL()):]
	for _, c := range []struct {
		method, path string
		operation    string // or "" if it is none
		says         string // the answer
	}{
		{"DELETE", "/v%33/groups/7", contract.GroupsDelete.Name, ""},
		{"GET", "/%76%33/%67roups", contract.GroupsList.Name, ""},
		{"HEAD", "/v%33/groups", contract.GroupsList.Name, ""},
		{"DELETE", "/digitalbanking/groups/v3/groups/a%2fb", contract.GroupsDelete.Name, `groupId \"a/b\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/a%2Fb", contract.GroupsDelete.Name, `groupId \"a/b\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/7%2Fparticipants", contract.GroupsDelete.Name, `groupId \"7/participants\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/%2F", contract.GroupsDelete.Name, `groupId \"/\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/user@x.org", contract.GroupsDelete.Name, `groupId \"user@x.org\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/user%40x.org", contract.GroupsDelete.Name, `groupId \"user@x.org\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/gr%C3%BCn", contract.GroupsDelete.Name, `groupId \"grün\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/grün", contract.GroupsDelete.Name, `groupId \"grün\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/a%2520b", contract.GroupsDelete.Name, `groupId \"a%20b\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/a+b", contract.GroupsDelete.Name, `groupId \"a+b\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/a;b=c", contract.GroupsDelete.Name, `groupId \"a;b=c\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/..", contract.GroupsDelete.Name, `groupId \"..\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/%2E", contract.GroupsDelete.Name, `groupId \".\"`},
		{"DELETE", "/digitalbanking/groups/v3/groups/%FF", contract.GroupsDelete.Name, "groupId"},
		{"DELETE", "/digitalbanking/groups/v3/groups/%7BgroupId%7D", contract.GroupsDelete.Name, `groupId \"{groupId}\"`},
		{"GET", "/v3%2Fgroups", "", "is not simulated"},
		{"GET", "/v3/groups%2F", "", "did you mean groups.list"},
		{"GET", "/v3/groups%3Fsize=1", "", "is not simulated"},
		{"DELETE", "/v3/groups/7%", "", "400 Bad Request"},
	} {
		conn := b.Dial()
		_, err := conn.Write([]byte(c.method + " " + root + c.path + " HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n" +
			"transactionId: t-1\r\nContent-Length: 0\r\n\r\n"))
		require.NoError(t, err)
		res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: c.method})
		require.NoError(t, err, c.path)
		data, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		body := string(data)
		assert.Contains(t, body, c.says, c.path)
		if res.StatusCode == http.StatusBadRequest && res.Header.Get("Banksim-Exchange") == "" {
			continue // by net/http
		}
		assert.Equal(t, c.operation, b.Last().Operation, "%s %s: %s", c.method, c.path, body)
		assert.NotEqual(t, http.StatusMovedPermanently, res.StatusCode, c.path)
	}
}

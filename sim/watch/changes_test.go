package watch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The log of a reload says what has changed: a few values, and how many rows. It shows no secret.
func TestReloadsSayWhatChanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	bank := func(rest string) string { return "name: bank\nextends: base\n" + rest }
	institution := func(rows string) string {
		return bank("institutions:\n  - institutionId: '02688'\n    " + rows + "\n")
	}
	write(t, file, bank(""))
	b := watched(t, file, never)
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, "{groupName: G %d}, ", i)
	}
	users := func(rest string) string {
		var all strings.Builder
		for i := range 9 {
			fmt.Fprintf(&all, "{hostUserId: '%d'%s}, ", i+1, rest)
		}
		return "users: [" + all.String() + "]"
	}
	for i, test := range []struct{ content, want string }{
		{bank("# a comment\n"), "only comments or names"},
		{institution("users: [{hostUserId: '1'}]") + "behavior: {groups: {createStatus: 201}}\n", `1 user added, behavior groups.createStatus 200 -> 201`},
		{institution("users: [{hostUserId: '1', active: false}]") + "seed: 8\n", `users/02688/1 active true -> false, behavior groups.createStatus 201 -> 200, seed 1 -> 8`},
		{institution("clients: [{sharedKey: a, secretKey: first-secret}]"), `1 client added, 1 user removed, seed 8 -> 1`},
		{institution("clients: [{sharedKey: a, secretKey: second-secret}]"), `clients/02688/a secretKey changed`},
		{institution("groups: [" + many.String() + "]"), `300 groups added, 1 client removed`},
		{institution(users("")), "9 users added, 300 groups removed"},
		{institution(users(", active: false")), "users/02688/5 active true -> false, and 4 more"},
		{bank("faults: [{name: f, when: {request: {header: {X-Key: private-1}}}, then: {headers: {X-Key: private-2}, delay: 2s}}]"), "1 fault added"},
		{bank("faults: [{name: f, when: {request: {header: {X-Key: private-3}}}, then: {headers: {X-Key: private-4}, delay: 3s}}]"), `faults/f then.delay "2s" -> "3s"`},
		{bank("# too large\ninstitutions: [{institutionId: '02688', groups: [" + many.String() + "]}]\n#" + strings.Repeat("x", 256<<10)), "not compared: both versions together have more than 256 KiB"},
	} {
		replace(t, file, test.content)
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			assert.EqualValues(t, i+1, b.Origin().Replaced, "%s: %v", test.want, b.Origin().Problem)
		}, 20*time.Second, time.Millisecond)
		require.Eventually(t, func() bool { return strings.Count(b.log.String(), "scenario reloaded") == i+1 }, simtest.Patience, time.Millisecond)
		lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
		line := strings.ReplaceAll(lines[len(lines)-1], `\"`, `"`)
		_, said, _ := strings.Cut(line, "changes=")
		assert.Contains(t, said, test.want)
		assert.Less(t, len(said), 1000)
		assert.NotContains(t, said, "secret\"")
		assert.NotContains(t, said, "private-")
	}
}

package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Doubts are about the author's file only: retail, which it extends, has none of its own.
func TestDoubts(t *testing.T) {
	t.Parallel()
	const source = `extends: retail
clock: {start: 2026-03-01T08:00:00Z, run: false}
institutions:
  - institutionId: "02688"
    clients: [{sharedKey: "demo-аpp", secretKey: x}] # with a Cyrillic letter
    users:
      - {hostUserId: "1OO1", accounts: [{accountId: a 1}, {accountId: a1}]}
    groups: [{groupName: Payroll  deposit}, {groupName: payroll deposit}]
  - institutionId: "7"
    clients: [{sharedKey: a, secretKey: b}]
    users: [{hostUserId: bound}, {hostUserId: login, username: u, password: p}, {hostUserId: lost, username: v}]
    tokens: [{accessToken: t, client: a, hostUserId: bound}]
faults:
  - {when: {during: {until: 2026-02-01T00:00:00Z}}, then: {status: 500}}
`
	sc, err := Parse("mine.yaml", []byte(source))
	require.NoError(t, err)
	assert.Equal(t, `5:27: sharedKey "demo-аpp" looks like "demo-app" in retail.yaml, line 27, and is another one
7:22: hostUserId "1OO1" looks like "1001" in retail.yaml, line 55, and is another one
7:71: accountId "a1" looks like "a 1" in mine.yaml, line 7, and is another one
8:26: groupName "Payroll  deposit" looks like "Payroll deposit" in retail.yaml, line 147, and is another one
11:94: no token or login reaches user "lost": add a token with this hostUserId, or with none for all users, or username and password
14:21: this fault never fires: its window ends at 2026-02-01T00:00:00Z, and the clock starts at 2026-03-01T08:00:00Z`,
		strings.ReplaceAll(sc.Doubts.Error(), "mine.yaml:", ""))
	sc, err = Parse("mine.yaml", []byte(`extends: base
institutions:
  - institutionId: "02688"
    tokens:
      - {accessToken: a, client: demo-app, expiresAt: 2026-03-01T08:00:00Z}
      - {accessToken: expired, client: demo-app, expiresAt: 2026-01-01T08:00:00Z}
    groups: [{groupName: g, jobs: [{endsAt: 2026-01-15T10:00:00Z}]}]
faults:
  - {when: {during: {from: 2026-01-15T10:00:00Z}}, then: {status: 500}}
  - {when: {during: {from: 1h}}, then: {status: 500}}
`))
	require.NoError(t, err)
	const missing = " is a time of the clock, and the scenario doesn't say where its clock starts: " +
		"add clock: {start: 2026-01-15T09:00:00Z}"
	assert.Equal(t, "5:55: expiresAt"+missing+"\n7:45: endsAt"+missing+"\n9:28: from"+missing,
		strings.ReplaceAll(sc.Doubts.Error(), "mine.yaml:", ""))
	for _, name := range Names() {
		sc, err := Load(name)
		require.NoError(t, err)
		assert.Empty(t, sc.Doubts, name)
	}
}

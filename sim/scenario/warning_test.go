package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Warnings are about the author's file only: retail, which it extends, has none of its own.
func TestWarnings(t *testing.T) {
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
  - {when: {request: {dialect: public}}, then: {status: 500}}
behavior: {dialect: document}
`
	sc, err := Parse("mine.yaml", []byte(source))
	require.NoError(t, err)
	assert.Equal(t, `5:27: sharedKey "demo-аpp" looks like "demo-app" in retail.yaml, line 27, and is another one
7:22: hostUserId "1OO1" looks like "1001" in retail.yaml, line 55, and is another one
7:71: accountId "a1" looks like "a 1" in mine.yaml, line 7, and is another one
8:26: groupName "Payroll  deposit" looks like "Payroll deposit" in retail.yaml, line 151, and is another one
8:57: groupName "payroll deposit" looks like "Payroll deposit" in retail.yaml, line 151, and is another one
11:94: no token or login reaches user "lost": add a token with this hostUserId, or with none for all users, or username and password
11:110: a username without a password is no login: add password
14:21: this fault never fires: its window ends at 2026-02-01T00:00:00Z, and the clock starts at 2026-03-01T08:00:00Z
15:32: this fault never fires: behavior.dialect is document`,
		strings.ReplaceAll(sc.Warnings.Error(), "mine.yaml:", ""))
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
	const missing = " is a time of the clock, and the scenario doesn't say where its clock starts (under serve: now): " +
		"to start it at this time, add clock: {start: "
	assert.Equal(t, "5:55: expiresAt"+missing+"2026-03-01T08:00:00Z}\n7:45: endsAt"+missing+
		"2026-01-15T10:00:00Z}\n9:28: from"+missing+"2026-01-15T10:00:00Z}",
		strings.ReplaceAll(sc.Warnings.Error(), "mine.yaml:", ""))
	for _, name := range Names() {
		sc, err := Load(name)
		require.NoError(t, err)
		assert.Empty(t, sc.Warnings, name)
	}
}

// YAML reads some texts otherwise than they look. Each warning names the key, and no value of a secret.
func TestWarningsOfTexts(t *testing.T) {
	t.Parallel()
	const source = `extends: retail
description: "Texts for people may end in a blank. "
clock: {start: now}
institutions:
  - institutionId: "2688"
  - institutionId: "02688"
    clients:
      - sharedKey: app-2
        secretKey: zqx #jk
      - sharedKey: "app-3 "
        secretKey: |
          zqxjk
    users: [{hostUserId: “1001”, username: a, password: b}]
    tokens:
      - hostUserId: "1001" #avery
        accessToken: t-2
        client: demo-app
    groups:
      - groupName: Team #1
      - groupName: Others # is a comment
      - {groupName: Former, groupStatus: DELETED}
      - groupName: former
      - groupName: Ended
        jobs: [{endsAt: 2026-03-01T08:00:00Z}]
    generate: {users: 1, disclosures: {accepted: 1.000}}
faults:
  - {path: /v1/cards/:id, then: {status: 200, body: {a: "a ", b: "${ c }"}}}
  - {operation: groups.list, then: {delay: 2s}} #slow
`
	sc, err := Parse("mine.yaml", []byte(source))
	require.NoError(t, err)
	const cut = " ends before the #, because a comment begins there: put the value in quotes, or write # after two spaces"
	assert.Regexp(t, `^5:20: institutionId "2688" looks like "02688" in mine.yaml, line 6, and is another one
9:20: secretKey`+cut+`
10:20: a blank at the beginning or the end is a part of sharedKey: remove it
11:20: a line break is a part of secretKey: write "\|-" in place of "\|", or the value on one line
13:26: the typographic quotes are a part of hostUserId: write quotes of the keyboard, or none
19:20: groupName`+cut+`
24:25: endsAt is over, and the clock starts now, at [^ ]+: the job ends at once
27:12: ":id" in path stands for itself: write {id} for any segment$`, strings.ReplaceAll(sc.Warnings.Error(), "mine.yaml:", ""))
	assert.NotContains(t, sc.Warnings.Error(), "zqx")
}

// Rows that contradict each other, and what is never used, are warned of.
func TestWarningsOfRows(t *testing.T) {
	t.Parallel()
	const source = `extends: base
clock: {start: 2026-03-01T08:00:00Z}
behavior: {cors: {credentials: true}}
institutions:
  - institutionId: "02688"
    users:
      - hostUserId: "'7001'"
        username: login
        disclosures:
          - {institutionDisclosureName: OLS, institutionDisclosureStatus: ENROLLED}
          - {institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED}
          - {institutionDisclosureName: ESGN, institutionDisclosureStatus: ACCEPTED}
        status: {approved: true, rejected: true, holdReason: fraud, lastLoginDateTime: 2026-04-01T08:00:00Z}
        alertPreferences: [{alertPreferenceAccountDetails: {accountId: zz}}]
    tokens:
      - accessToken: t
        client: demo-app
        expiresAt: 2026-05-01T08:00:00Z
        refreshToken: r
        refreshExpiresAt: 2026-04-01T08:00:00Z
    groups: [{groupName: g, participants: ["9"], groupLastUpdatedDateTime: 2026-04-01T08:00:00Z}]
    generate: {users: 1, groups: 1, participantsPerGroup: 2}
faults:
  - {path: "/v1/{id}", then: {status: 200, body: {id: {id}}}}
  - {path: "/v2/{id}", then: {status: 200, body: "hello {id}"}}
  - {operation: groups.list, off: true, required: true, then: {status: 500}}
`
	sc, err := Parse("mine.yaml", []byte(source))
	require.NoError(t, err)
	assert.Equal(t, `3:32: credentials have no effect without origins: list them
7:21: the quotes are a part of hostUserId: remove one pair
8:19: a username without a password is no login: add password
10:75: OLS is never ENROLLED: it is ACCEPTED or NOT_ACCEPTED
11:13: there are two disclosures "OLS" here, the first on line 10: updates need all of them ACCEPTED
12:41: the institution has no disclosure "ESGN": did you mean "ESIGN"?
13:17: the status says why or when the user was put on hold, and not that it is: add onHold: true
13:44: the user is both approved and rejected: remove one of them
13:88: lastLoginDateTime is later than the clock's start, 2026-03-01T08:00:00Z
14:72: the user has no account "zz"
20:27: the refresh token expires before its access token
21:44: the institution has no user "9"
21:76: groupLastUpdatedDateTime is later than the clock's start, 2026-03-01T08:00:00Z
22:59: participantsPerGroup 2 is more than 1 generated user
24:55: {id} is a mapping here: write "{id}" for the variable
25:50: a body that is a text has no variables, so it is sent as it is: write the body as JSON
26:51: this fault is off and required: it can't fire before it is switched on`, strings.ReplaceAll(sc.Warnings.Error(), "mine.yaml:", ""))
}

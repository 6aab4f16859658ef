package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// fault returns a scenario with a fault.
func withFault(rest string) string {
	return "institutions: [{institutionId: \"1\"}]\nfaults:\n  - " + rest + "\n"
}

const commaSplits = `a "," separates entries in { }`

// token returns a scenario with a token.
func token(rest string) string {
	return bank(
		"    clients: [{sharedKey: app, secretKey: s}]\n    users: [{hostUserId: \"1\"}]\n    tokens: [{accessToken: t, " +
			"client: app, " + rest + "}]\n",
	)
}

// Messages lead to what makes the file right, or say no remedy.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ source, says, not string }{
		"name of a group": {
			bank("    groups: [{name: Pilot}]\n"),
			`unknown key "name": did you mean "groupName"?`,
			"missing",
		},
		"name of a user": {bank("    users: [{hostUserId: a, name: kim}]\n"), `did you mean "username"?`, "top level"},
		"name of an account": {bank("    users: [{hostUserId: a, accounts: [{accountId: b, name: c}]}]\n"),
			`the keys here are "accountId"`, "top level"},
		"name of a client": {bank("    clients: [{sharedKey: a, secretKey: b, name: c}]\n"),
			`the keys here are "authorizationCode", "scopes", "secretKey", "sharedKey"`, "top level"},
		"name of a disclosure": {
			bank("    users: [{hostUserId: a, disclosures: [{name: OLS, institutionDisclosureStatus: " +
				"ACCEPTED}]}]\n"),
			`did you mean "institutionDisclosureName"?`,
			"top level",
		},
		"description of a group": {
			bank("    groups: [{groupName: a, description: x}]\n"),
			`did you mean "groupDescription"?`,
			"top level",
		},
		"status of a disclosure": {bank("    users: [{hostUserId: a, disclosures: [{status: ACCEPTED}]}]\n"),
			`did you mean "institutionDisclosureStatus"?`, "faults"},
		"status of a group": {
			bank("    groups: [{groupName: a, status: ACTIVE}]\n"),
			`did you mean "groupStatus"?`,
			"faults",
		},
		"status of a token": {token("status: ok"), `unknown key "status": the keys here are "accessToken"`, "faults"},
		"type of an account": {bank("    users: [{hostUserId: a, accounts: [{accountId: b, type: x}]}]\n"),
			`the keys here are "accountId"`, "jobs"},
		"type of a group": {
			bank("    groups: [{groupName: a, type: x}]\n"),
			`unknown key "type": the keys here are`,
			"jobs[]",
		},
		"user of a token":     {token(`user: "1"`), `did you mean "hostUserId"?`, "behavior"},
		"username of a token": {token("username: kim"), `the keys here are "accessToken"`, "behavior"},
		"sharedKey of a token": {
			bank("    tokens: [{accessToken: t, sharedKey: app}]\n"),
			`did you mean "client"?`,
			"behavior",
		},
		"type of groups is fixed": {bank("    groups: [{groupName: a, groupType: EXPERIENCE_GROUP}]\n"),
			`"groupType" has one fixed value and can't be set`, "did you mean"},
		"kind as a key": {withFault("then: {connection: {reset: true}}"), `write connection: reset`, "users"},
		"after in during": {
			withFault("{when: {during: {after: 5m}}, then: {status: 500}}"),
			`did you mean "from"?`,
			"faults[]",
		},
		"times of day": {withFault("{when: {during: {from: 09:00, until: 10:00}}, then: {status: 500}}"),
			`this counts from the start, so it is no time of day`, "9h"},
		"word is boolean": {
			"behavior: {groups: {auth: true}}\n" + bank(""),
			`auth must be "optional" or "required", not true`,
			`"true"`,
		},
		"word is false": {"behavior: {groups: {duplicateName: false}}\n" + bank(""),
			`duplicateName must be "reject" or "allow"`, `"false"`},
		"expired token": {token("expiresIn: 0"), "for a token that has expired, write expiresAt", `write "0s"`},
		"first beside then": {
			withFault("{first: 2, then: {status: 500}}"),
			`unknown key "first" here: write when: {first: …}`,
			"indent",
		},
		"message in then": {withFault("then: {status: 500, message: X}"), `write error: {message: …}`, "indent"},
		"client is a mapping": {
			bank("    clients: [{sharedKey: app, secretKey: s}]\n    tokens: [{accessToken: t, client: " +
				"{sharedKey: app}}]\n"),
			`client must be a string, such as "demo-app", not a mapping`,
			"on one line",
		},
		"misspelt id referred to": {
			bank("    clients: [{sharedKey: app, secretKey: s}]\n    users: [{hostUserID: \"1\"}]\n    " +
				"tokens: [{accessToken: t, client: app, hostUserId: \"1\"}]\n"),
			`did you mean "hostUserId"?`,
			"no user",
		},
		"value above a list": {"institutions: x\n  - institutionId: \"1\"\n", "nothing follows the key above", "by 0"},
		"refused name": {
			bank("    clients: [{sharedKey: \"app:x\", secretKey: s}]\n    tokens: [{accessToken: t, client: " +
				"app}]\n"),
			"sharedKey must be text without a colon",
			`did you mean "app:x"`,
		},
		"extend": {
			"extend: retail\n",
			`unknown key "extend": did you mean "extends"?`,
			"institutions is missing",
		},
		"comma of seconds": {
			"clock: {start: 2026-01-15T09:00:00,5Z}\n" + bank(""),
			`a "," separates entries in { }`,
			"RFC 3339",
		},
		"Cyrillic letter": {bank("    users: [{hostUserId: a, usеrname: kim}]\n"),
			`contains a character that only looks like e (е, U+0435): write "username"`, "did you mean"},
		"full-width colon": {bank("    users: [{hostUserId: a, username： kim}]\n"),
			`the key contains a character that only looks like : (：, U+FF1A): write "username: …"`, "did you mean"},
		"full-width colon, noticed in the next line": {"name： x\n" + bank(""),
			"(line 1 contains a character that only looks like : (：, U+FF1A))", ""},
		"quotes around a status": {
			"behavior: {groups: {createStatus: \"201\"}}\n" + bank(""),
			`not "201": remove the quotes`,
			"",
		},
		"year beyond four digits": {"clock: {start: 9999-12-31T23:59:59Z}\n" + bank(""), "start is out of range", ""},
		"clientSecret": {bank("    clients: [{sharedKey: a, clientSecret: b}]\n"),
			`unknown key "clientSecret": did you mean "secretKey"?`, "missing"},
		"times":                {withFault("{when: {times: 2}, then: {status: 500}}"), `did you mean "first"?`, ""},
		"delay without a unit": {withFault("then: {delay: 200}"), `add its unit, as in "200ms" or "200s"`, ""},
		"date with dots":       {"clock: {start: 15.01.2026}\n" + bank(""), "write 2026-01-15T00:00:00Z", ""},
		"quotes": {bank("    users: [{hostUserId: “1”, active: “yes”}]\n"),
			`which contains a character that only looks like " (“, U+201C): write true`, ""},
		"30 days":    {token("expiresIn: 30d"), `write "720h"`, ""},
		"15 minutes": {token("expiresIn: 15 minutes"), `write "15m"`, ""},
		"near id": {
			token(`hostUserId: "l"`),
			`no user of this institution has hostUserId "l": did you mean "1"?`,
			"",
		},
		"alias as a key": {"a: &a b\n*a : c\n", "an alias can't be a key", ""},
		"secret with a comma": {
			bank("    clients: [{sharedKey: a, secretKey: hid,den}]\n"),
			`texts that contain one in quotes`,
			"den",
		},
		"item without a space": {
			bank("    users:\n      - hostUserId: a\n      -hostUserId: b\n      - hostUserId: c\n"),
			`file.yaml:5:7: a list item starts with "- "`,
			"fit",
		},
		"quote that is closed too late": {
			bank("    users:\n      - hostUserId: \"a\n      - hostUserId: \"b\"\n        username: x\n"),
			"file.yaml:4:21: a quote is opened here, and closed only on line 5",
			"fit",
		},
		"quote that is never closed": {bank("    users:\n      - hostUserId: 'a\n      - hostUserId: b\n"),
			"file.yaml:4:21: a quote is opened here and never closed", ""},
		"apostrophe": {bank("    groups:\n      - groupName: 'Anna's group'\n"),
			"file.yaml:4:", "indentation"},
		"text that isn't indented": {bank("faults:\n  - path: /x\n    then:\n      body: |\n      hello\n"),
			`file.yaml:7:7: a text after "|" or ">" is indented`, "missing"},
		"no institutions":   {"institutions: []\n", "institutions is empty: list at least one", "remove"},
		"null institutions": {"institutions:\n", "institutions has no value: give it one", "remove"},
		"null group name": {
			bank("    groups: [{groupName: ~}]\n"),
			"groupName has no value: give it one",
			"remove",
		},
		"null effect": {withFault("{then: }"), "then has no value: give it one", "remove"},
		"empty item": {
			bank("    groups:\n      -\n"),
			"groups[0] has no value: give it one, or remove the item",
			"key",
		},
		"anchors at the top": {
			"defaults: &d {active: true}\n" + bank(""),
			"write &d where its value is used first",
			"did you mean",
		},
		"list in a list": {
			bank("    users: [[{hostUserId: a}]]\n"),
			`users[0] must be a mapping, not a list: remove one [ ] around it`,
			"lines",
		},
		"stub of an operation": {
			withFault("{path: /v3/groups, then: {status: 200}}"),
			"name its operation instead",
			"add body",
		},
		"user who isn't generated": {bank("    clients: [{sharedKey: a, secretKey: b}]\n    generate: {users: 3}\n" +
			"    tokens: [{accessToken: t, client: a, hostUserId: \"9\"}]\n"), "generate makes 1000001 to 1000003", "add one"},
		"generate at the top": {"generate: {users: 3}\n" + bank(""), `it belongs in institutions[]`, "keys here"},
		"accounts of a bank": {
			bank("    accounts: [{accountId: a}]\n"),
			`it belongs in institutions[].users[]`,
			"keys here",
		},
		"scenarios in a text": {"extends: retail, flaky\n", "write [retail, flaky]", "did you mean"},
		"operations in a text": {withFault("{operation: 'groups.list, groups.create', then: {delay: 1s}}"),
			"write a list: [groups.list, groups.create]", "there are"},
		"latency":    {withFault("then: {latency: 1s}"), `did you mean "delay"?`, ""},
		"timeout":    {withFault("then: {connection: timeout}"), `did you mean "hang"?`, ""},
		"response":   {withFault("response: {status: 500}"), `did you mean "then"?`, "missing"},
		"error code": {withFault("then: {status: 500, error: CMN_90001}"), "write {code: CMN_90001}", "lines"},
		"percentage": {
			withFault("{when: {probability: 25}, then: {status: 500}}"),
			"must be at most 1, not 25: write 0.25",
			"",
		},
		"thousands": {bank("    generate:\n      users: 5,000\n"), "write 5000", ""},
		"unknown parent hides nothing": {
			"extends: retial\nsed: 1\n" + bank("    users: [{hostUserId: 7}]\n    tokens: [{accessToken: t, "+
				"client: demo-app}]\n"),
			"not 7: write",
			"no client",
		},
		"wrong type hides no operation": {
			withFault("{operation: groups.lst, then: {delay: 5}}"),
			`did you mean "groups.list"?`,
			"",
		},
		"two dashes": {
			bank("    users:\n      - - hostUserId: a\n"),
			`users[0] must be a mapping, not a list: write one "- "`,
			"lines",
		},
		"secret in octal": {
			bank("    clients: [{sharedKey: a, secretKey: 0123456}]\n"),
			"secretKey starts with 0",
			"123456",
		},
		"secret in a tag": {
			bank("    users: [{hostUserId: a, password: !hunter2 x}]\n"),
			`password can't start with "!"`,
			"hunter2",
		},
		"alias of itself": {
			"x: {" + strings.Repeat("d: 1, ", 900) + "}\ny: &a {" + strings.Repeat("d: 1, ", 900) + "k: *a}\n",
			"duplicate key",
			"",
		},
		"null in free form": {
			bank("    users: [{hostUserId: a, alertPreferences: [{additionalInfo: {x: [1, 010]}}]}]\n"),
			"010 starts with 0",
			"decoding",
		},
		"unknown parent, no follow-ups": {"extends: nowhere\n" + bank("    generate: {disclosures: {none: 0.5}}\n"+
			"    tokens: [{accessToken: t, client: a, refreshExpiresIn: 1h}]\n"), "unknown scenario", "refreshToken"},
		"split fraction": {withFault("{when: {probability: 0,25}, then: {delay: 1s}}"), "write 0.25", ""},
		"list at the top": {
			"groups: [{groupName: a}]\n" + bank(""),
			"it belongs in institutions[]",
			"behavior",
		},
		"dotted switch": {
			"behavior: {groups.auth: required}\n" + bank(""),
			"write groups: {auth: …}",
			"keys here",
		},
		"comment of another language": {
			"// a bank\n" + bank(""),
			"file.yaml:1:1: a comment begins with #",
			"indentation",
		},
		"template":      {"{{- range .Users }}\n" + bank(""), "a template is left here", "missing"},
		"built-in file": {"extends: retail.yaml\n", "only a scenario that is a file itself", ""},
		"Kubernetes": {
			"apiVersion: v1\nspec:\n  a: b\n",
			`unknown key "spec": the keys here are`,
			"did you mean",
		},
		"user of a wrong list": {
			bank("    users: {a: b}\n    tokens: [{accessToken: t, client: a, hostUserId: \"1\"}]\n" +
				"    clients: [{sharedKey: a, secretKey: b}]\n"),
			"users must be a list",
			"add one",
		},
		"secret that a comma splits": {
			bank("    clients: [{sharedKey: a, secretKey: hunter2,345}]\n"),
			commaSplits,
			"hunter2",
		},
		"secret of digits": {
			bank("    users: [{hostUserId: a, password: 12,345}]\n"),
			commaSplits,
			"12345",
		},
		"key that begins with a digit": {
			bank("    users:\n      - hostUserId: a\n        2fa:\n"),
			`unknown key "2fa"`,
			"," + " separates",
		},
		"tab below a value":   {"name: x\n\n\tfaults: []\n", "file.yaml:3:1: a tab can't indent a line", ""},
		"nothing is extended": {"extends:\n", "extends must name a scenario", "institutions"},
		"id of an item":       {bank("    users: [\"1002\"]\n"), `write {hostUserId: "1002"}`, "lines"},
		"status of a fault":   {withFault("{then: 500}"), "write {status: 500}", "lines"},
		"token as an item":    {bank("    tokens: [demo-token]\n"), "tokens[0] must be a mapping", "demo"},
		"secret without a space": {
			bank("    clients:\n      - secretKey:hunter2\n"),
			"clients[0] must be a mapping",
			"hunter2",
		},
		"rest of a secret": {
			bank("    clients: [{sharedKey: a, secretKey: 'x', hunter2, hunter2}]\n"),
			commaSplits,
			"hunter2",
		},
		"rest of a secret, split": {
			bank("    clients: [{sharedKey: a, secretKey: abc,hunter2=}]\n"),
			commaSplits,
			"hunter2",
		},
		"key near, after a secret": {
			bank("    tokens: [{accessToken: t, clinet: a}]\n"),
			`unknown key "clinet": did you mean "client"?`,
			"",
		},
		"a million in { }": {
			bank("    generate: {users: 1,000,000, groups: 0}\n"),
			"write 1000000,",
			"duplicate",
		},
		"number in { }": {
			bank("    generate: {users: 1,234,567, groups: 0}\n"),
			"write 1234567,",
			"write 1234,",
		},
		"leading zeros": {bank("    generate: {users: \"010\"}\n"), "write 10", "write 010"},
		"half a day":    {token("expiresIn: 0.5d"), `write "12h"`, "expiresAt"},
		"texts that aliases repeat": {"x: &x " + strings.Repeat("a", 600_000) + "\ny: [*x, *x]\n",
			"more than 1 MiB of text, counting what aliases repeat", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scenario.Parse("file.yaml", []byte(test.source))
			var problems scenario.Problems
			require.ErrorAs(t, err, &problems)
			assert.Contains(t, err.Error(), test.says)
			if test.not != "" {
				assert.NotContains(t, err.Error(), test.not)
			}
		})
	}
}

// A file that isn't there is said with what is there.
func TestMistakenNames(t *testing.T) {
	t.Chdir(folder(t, map[string]string{"bank.yaml.txt": bank(""), "notes.yaml": bank(""), "emptydir/x.txt": ""}))
	for name, want := range map[string]string{
		"bank":        `unknown scenario "bank", and no file of this name: "bank.yaml.txt" is there`,
		"bank.yaml":   `there is no file "bank.yaml": "bank.yaml.txt" is there`,
		"note.yaml":   `there is no file "note.yaml": did you mean "notes.yaml"?`,
		"emptydir":    `"emptydir" is a folder: name a scenario file in it`,
		"nofolder/a/": "no such folder",
		"retial":      `unknown scenario "retial", and no file of this name: did you mean "retail"?`,
	} {
		_, err := scenario.Load(name)
		assert.ErrorContains(t, err, want, name)
	}
	sc, err := scenario.Load("bank.yaml.txt")
	require.NoError(t, err)
	assert.Equal(t, "bank.yaml", sc.Name)
	require.NoError(t, os.WriteFile("over.yaml", []byte("extends: emptydir\n"), 0o600))
	_, err = scenario.Load("over.yaml")
	assert.ErrorContains(t, err, `"emptydir" is a folder: name a scenario file in it`)
	require.NoError(t, os.WriteFile("emptydir/over.yaml", []byte("extends: ../bank.yaml.txt\n"), 0o600))
	_, err = scenario.Load("emptydir/over.yaml")
	assert.ErrorContains(t, err, "outside of its own folder, a scenario extends only files that end in .yaml or .yml")
}

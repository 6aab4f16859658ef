package explanation_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// read reads an explanation in JSON.
func read(t *testing.T, text string) (why explanation.Explanation) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &why))
	return why
}

// What a caller sent can't control the terminal of who looks at it.
func TestTextShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = "\u001b[2J\u009b31m\u202egnp.\u0007\r\u2028\nFix\n"
	quoted := simtest.JSON(evil)
	why := read(t, strings.ReplaceAll(`{"title":"GET /EVIL","cause":"Refused: EVIL",
		"exchange":{"id":"1","sandbox":"defaultEVIL",
			"decision":{"row":"EVIL"},
			"request":{"method":"GETEVIL","url":"http://h/EVIL","headers":{"XEVIL":["EVIL"]},
				"body":"EVIL","bodyBytes":9},
			"response":{"status":400,"headers":{"XEVIL":["EVIL"]},"body":"{\"a\": \"EVIL\"}","bodyBytes":9}},
		"faults":[{"name":"EVIL","effect":"EVIL"}],"lints":[{"code":"EVIL","message":"EVIL"}]}`,
		"EVIL", quoted[1:len(quoted)-1]))
	for _, c := range why.Text(false) + why.FullText(false) {
		assert.True(t, unicode.IsGraphic(c) || c == '\n', "%q", c)
	}
	assert.NotRegexp(t, `(?m)^Fix$`, why.Text(false)+why.FullText(false), "a body is indented")
	assert.Equal(t, 16, strings.Count(why.FullText(false), `\u009b31m\u202e`))
}

// The text has a line for each subject, however many faults, lints and fixes there are.
func TestTextIsShort(t *testing.T) {
	t.Parallel()
	many := read(t, `{"title":"PUT /x → 400","cause":"user \n1002 is not active",
		"exchange":{"id":"7","sandbox":"mine","at":"2026-01-15T09:00:00Z","tookMicros":1500},
		"entries":[{"id":"estatements.update.not-active","basis":"published"},{"id":"other"}],
		"fixes":[{"label":"Set user 1002 active","method":"PATCH","path":"/users/1002","body":{"a":1}},{}]}`)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		many.Faults = append(many.Faults, explanation.Effect{Name: name, Effect: "delayed"})
		many.Lints = append(many.Lints, journal.Lint{Message: "odd " + name})
	}
	assert.Equal(t, `user 1002 is not active
PUT /x → 400
exchange 7 of sandbox mine at 2026-01-15T09:00:00Z, took 1.5ms
fault a: delayed; b: delayed; and 3 more
fix: Set user 1002 active: curl -fsS -X PATCH $CONTROL/v1/sandboxes/mine/users/1002 -d '{"a":1}'; and 1 more
lint: odd a; odd b; and 3 more
ledger: estatements.update.not-active (published)
`, many.Text(false))
}

// A fault or a lint that the cause names has no line of its own.
func TestTextSaysNothingTwice(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: outage, when: {first: 1}, then: {status: 503}}\n"))
	create(b, aGroup)
	assert.Equal(t, 1, strings.Count(newest(t, b).Text(false), "outage answered with 503")+
		strings.Count(newest(t, b).Text(false), "fault outage:"))
	create(b, `{"groupNames": "Night owls"}`)
	assert.Equal(t, 1, strings.Count(newest(t, b).Text(false), `the member "groupNames" was sent`))
}

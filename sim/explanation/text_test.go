package explanation_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What a caller sent can't control the terminal of who looks at it.
func TestTextShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = "\u001b[2J\u009b31m\u202egnp.\u0007\r\u2028\nFix\n"
	headers := journal.NewHeader(map[string][]string{"X" + evil: {evil}})
	why := explanation.Explanation{
		Title: "GET /" + evil, Sentence: "Refused: " + evil,
		Exchange: journal.Exchange{
			ID:      "1",
			Sandbox: "default" + evil,
			Request: journal.Request{
				Method:    "GET" + evil,
				URL:       "http://h/" + evil,
				Headers:   headers,
				Body:      evil,
				BodyBytes: len(evil),
			},
			Response: journal.Response{
				Status:    400,
				Headers:   headers,
				Body:      `{"a": "` + evil + `"}`,
				BodyBytes: len(evil),
			},
		},
		Faults: []explanation.Effect{{Name: evil, Effect: evil}},
		Lints:  []journal.Lint{{Code: evil, Message: evil}},
	}
	for _, c := range why.Text() + why.FullText() {
		assert.True(t, unicode.IsGraphic(c) || c == '\n', "%q", c)
	}
	assert.NotRegexp(t, `(?m)^Fix$`, why.Text()+why.FullText(), "a body is indented")
	assert.Equal(t, 15, strings.Count(why.FullText(), `\u009b31m\u202e`))
}

// The text has a line for each subject, however many faults, lints and fixes there are.
func TestTextIsShort(t *testing.T) {
	t.Parallel()
	many := explanation.Explanation{
		Title: "PUT /x → 400", Cause: "user \n1002 is not active",
		Exchange: journal.Exchange{
			ID: "7", Sandbox: "mine", At: time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), TookMicros: 1500,
		},
		Entries: []explanation.CitedEntry{{ID: "estatements.update.not-active", Basis: "published"}, {ID: "other"}},
	}
	for i := range 5 {
		name := string(rune('a' + i))
		many.Faults = append(many.Faults, explanation.Effect{Name: name, Effect: "delayed"})
		many.Lints = append(many.Lints, journal.Lint{Message: "odd " + name})
	}
	many.Fixes = []explanation.Fix{
		{Label: "Set user 1002 active", Method: "PATCH", Path: "/users/1002", Body: []byte(`{"a":1}`)}, {},
	}
	assert.Equal(t, `user 1002 is not active
PUT /x → 400
exchange 7 of sandbox mine at 2026-01-15T09:00:00Z, took 1.5ms
fault a: delayed; b: delayed; and 3 more
fix: Set user 1002 active: curl -fsS -X PATCH $CONTROL/v1/sandboxes/mine/users/1002 -d '{"a":1}'; and 1 more
lint: odd a; odd b; and 3 more
ledger: estatements.update.not-active (published)
`, many.Text())
}

// A fault or a lint that the cause names has no line of its own.
func TestTextSaysNothingTwice(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: outage, when: {first: 1}, then: {status: 503}}\n"))
	create(b, aGroup)
	assert.Equal(t, 1, strings.Count(newest(t, b).Text(), "outage answered with 503")+
		strings.Count(newest(t, b).Text(), "fault outage:"))
	create(b, `{"groupNames": "Night owls"}`)
	assert.Equal(t, 1, strings.Count(newest(t, b).Text(), `the member "groupNames" was sent`))
}

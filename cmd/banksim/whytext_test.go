package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What a caller sent can't control the terminal of who looks at it, in any of the forms.
func TestWhyShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = "\u001b[2J\u009b31m\u202egnp.\u0007\r\u2028"
	body, err := json.Marshal(map[string]string{"groupName": "x\u009b\u202e\u007f"})
	require.NoError(t, err)
	why := explanation.Explanation{
		Title: "GET /" + evil, Sentence: "Refused: " + evil,
		Exchange: journal.Exchange{
			ID: "1", Sandbox: "default" + evil,
			Request:  journal.Request{Method: "GET" + evil, URL: "http://h/" + evil, Headers: journal.Header{"X" + evil: {evil}}, Body: string(body), BodyBytes: len(body)},
			Response: journal.Response{Status: 400, Headers: journal.Header{"Y": {evil}}, Body: evil, BodyBytes: len(evil)},
			Decision: journal.Decision{Outcome: "refused", Rule: evil, Row: evil, Message: evil},
		},
		Faults: []explanation.Effect{{Name: evil, Effect: evil}},
		Lints:  []journal.Lint{{Code: evil, Message: evil}},
	}
	for name, text := range map[string]string{"text": explained(why), "json": rendered(t, whyCommand{JSON: true}, why)} {
		for _, c := range text {
			assert.True(t, unicode.IsGraphic(c) || c == '\n', "%s has %q", name, c)
		}
		assert.Contains(t, text, `\u009b31m\u202e`, name)
	}
}

func rendered(t *testing.T, c whyCommand, why explanation.Explanation) string {
	t.Helper()
	answer, err := json.Marshal(why)
	require.NoError(t, err)
	text, err := c.render(answer)
	require.NoError(t, err)
	return text
}

// A long body is cut, and says so. A request of no operation has no fault.
func TestWhyOfLargeExchanges(t *testing.T) {
	t.Parallel()
	members := strings.TrimSuffix(strings.Repeat(`"a": 1,`, 100), ",")
	why := explanation.Explanation{Exchange: journal.Exchange{Response: journal.Response{Status: 200, Body: "{" + members + "}", BodyBytes: 1}}}
	assert.Contains(t, explained(why), "… 62 more lines: --json has them\n")
	why.Exchange.Response.Body, why.Exchange.Response.BodyBytes, why.Exchange.Response.BodyTruncated = "{\"a", 70_000, true
	assert.Contains(t, explained(why), "{\"a\n  … the journal keeps no more of its 70000 bytes\n")
	why.Exchange.Response = journal.Response{}
	assert.Contains(t, explained(why), "\nAnswer\n  none was sent\n")
	answer, err := json.Marshal(why)
	require.NoError(t, err)
	_, err = whyCommand{Copy: "fault"}.render(answer)
	assert.ErrorContains(t, err, "the request was no operation's")
}

package explanation_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What a caller sent can't control the terminal of who looks at it.
func TestTextShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = "\u001b[2J\u009b31m\u202egnp.\u0007\r\u2028"
	headers := journal.Header{"X" + evil: {evil}}
	page := explanation.Explanation{
		Title: "GET /" + evil, Sentence: "Refused: " + evil,
		Exchange: journal.Exchange{
			ID: "1", Sandbox: "default" + evil,
			Request:  journal.Request{Method: "GET" + evil, URL: "http://h/" + evil, Headers: headers, Body: evil, BodyBytes: len(evil)},
			Response: journal.Response{Status: 400, Headers: headers, Body: `{"a": "` + evil + `"}`, BodyBytes: len(evil)},
		},
		Faults: []explanation.Effect{{Name: evil, Effect: evil}},
		Lints:  []journal.Lint{{Code: evil, Message: evil}},
	}.Text()
	for _, c := range page {
		assert.True(t, unicode.IsGraphic(c) || c == '\n', "%q", c)
	}
	assert.Equal(t, 15, strings.Count(page, `\u009b31m\u202e`))
}

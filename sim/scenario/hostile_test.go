package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repeated returns n texts, each made of a format with its number.
func repeated(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// TestHostileScenarios loads files that anybody can post. Most took from 10 seconds to minutes when the time that one takes grew with
// the square of its size.
func TestHostileScenarios(t *testing.T) {
	whole(t)
	const bank = `institutions: [{institutionId: "02688", clients: [{sharedKey: a, secretKey: b}], `
	for name, source := range map[string]string{
		"an open quote before spaces": `description: "` + strings.Repeat(" ", 900_000),
		"texts with colons in a line": `x: [` + repeated(60_000, `"a: %d", `) + `]`,
		"keys":                        `x: {` + repeated(60_000, `k%d: 1, `) + `}`,
		"quoted ids in a line":        bank + `users: [` + repeated(40_000, `{hostUserId: "%d"}, `) + `]}]`,
		"signs in texts in a line":    bank + `groups: [` + repeated(30_000, `{groupName: "é #%d"}, `) + `]}]`,
		"texts before a sign":         bank + `groups: [{groupName: a, participants: [` + repeated(90_000, `a%d, `) + `a]}]}] #x`,
		"comments that silence":       repeated(30_000, "# banksim:ignore near-id %d\n") + bank + `}]`,
		"scenarios that don't exist":  `extends: [` + repeated(60_000, `"x%d", `) + "]\n" + bank + `}]`,
		"unknown codes":               `# banksim:ignore ` + repeated(100_000, ` a%d`) + "\n" + bank + `}]`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if sc, err := Parse("hostile.yaml", []byte(source)); err == nil {
				warnings, err := sc.Warnings()
				require.NoError(t, err)
				assert.LessOrEqual(t, len(warnings), maxProblems+1)
			}
			assert.Less(t, time.Since(start), 8*time.Second)
		})
	}
}

func TestTextsInQuotesOverLines(t *testing.T) {
	for _, source := range []string{`
groups:
  - {groupName: A, groupDescription: "Tries things,
       note: early", groupStatus: ACTIVE}
  - {groupName: B, groupDescription: "Tries: things
       - early # yet
       and more"}
  - groupName: C
    groupDescription: "Tries: things
      - early # yet

      and more: here" # a comment
  - {
      "groupName": "D",
      "groupDescription": 'it''s: here
      z: 1',
      "participants": ["a", "b"]
    }
`, `{
"groups": [{"groupName": "x: y", "groupDescription": "- a
# b
 c: d", "groupStatus": "ACTIVE"}]}
`} {
		var d institution
		r := newReport("quotes.yaml")
		root := r.readTree("quotes.yaml", []byte(source), "")
		require.NoError(t, r.err())
		require.NoError(t, root.Decode(&d))
		assert.NotEmpty(t, d.Groups)
	}
}

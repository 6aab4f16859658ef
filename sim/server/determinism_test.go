package server_test

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// fleeting are members of the control API's answers that say when something really happened, and how long it took.
var fleeting = regexp.MustCompile(`"(realAt|took|tookMicros|startedDateTime|time|wait|createdAt)":[^,}]*`)

// The same seed and the same requests give the same answers and the same journal, byte for byte, whatever the number of
// processors. The requests are those of all golden exchanges.
func TestDeterminism(t *testing.T) { // not parallel: it sets GOMAXPROCS
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	play := func(processors int) (lines []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors)) // 0: as it is
		b := simtest.StartScenario(t, simtest.FrozenRetail)
		for _, e := range exchanges {
			for _, r := range append(slices.Clone(e.Before), e.Request) {
				lines = append(lines, answerLine(b, b.SendAsItIs(r)))
			}
		}
		for _, path := range []string{"/journal?after=0&limit=1000", "/state", "/diff"} {
			body := b.Get(path)
			lines = append(
				lines, fleeting.ReplaceAllString(strings.ReplaceAll(body, b.Server.ServiceURL(), "{base}"), ""),
			)
		}
		return lines
	}
	one, all := play(1), play(0)
	require.Len(t, all, len(one))
	for i := range one {
		require.Equal(t, one[i], all[i], "with more processors")
	}
}

// answerLine returns all of an answer but its date.
func answerLine(b *simtest.Bank, res simtest.Answer) string {
	line := fmt.Sprintf("%d %s", res.StatusCode, strings.ReplaceAll(res.Body, b.Server.ServiceURL(), "{base}"))
	var headers []string
	for name, values := range res.Header {
		if name != "Date" {
			headers = append(headers, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(headers)
	return line + "\n" + strings.Join(headers, "\n")
}

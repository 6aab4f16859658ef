package server_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// The same seed and the same requests give the same answers and the same journal, byte for byte, whatever the number
// of processors: every golden exchange's requests, wrong ones among them, and a sandbox that is told everything.
func TestDeterminism(t *testing.T) {
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	play := func(processors int) []string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors)) // 0: as it is
		b := startBank(t, frozenRetail)
		var lines []string
		for _, e := range exchanges {
			for _, r := range append(slices.Clone(e.Before), e.Request) {
				lines = append(lines, answerLine(b.do(newRequest(t, b, r))))
			}
		}
		for number := range 6 {
			s := &story{bank: b, number: number}
			s.tell()
			s.end()
			lines = append(lines, s.lines...)
		}
		for _, path := range []string{"/journal?after=0&limit=1000", "/journal.har", "/state", "/diff"} {
			lines = append(lines, path+" "+normalized(b.control(http.MethodGet, "/v1/sandboxes/default"+path, "").body))
		}
		return lines
	}
	one, all := play(1), play(0)
	require.Len(t, all, len(one))
	for at := range one {
		require.Equal(t, one[at], all[at], "answer %d", at)
	}
	t.Logf("%d answers are the same with GOMAXPROCS 1 and %d", len(one), runtime.GOMAXPROCS(0))
	assert.Greater(t, len(one), len(exchanges))
}

// answerLine returns all of an answer but its date.
func answerLine(res answer) string {
	line := fmt.Sprintf("%d %s", res.StatusCode, normalized(res.body))
	var headers []string
	for name, values := range res.Header {
		if name != "Date" {
			headers = append(headers, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(headers)
	return line + "\n" + strings.Join(headers, "\n")
}

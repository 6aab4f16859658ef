package server_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The same seed and the same requests give the same answers and the same journal, byte for byte, whatever the number of
// processors. The requests are those of all golden exchanges and of six stories.
func TestDeterminism(t *testing.T) { // not parallel: it sets GOMAXPROCS
	simtest.Whole(t)
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	play := func(processors int) []string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors)) // 0: as it is
		b := simtest.StartScenario(t, simtest.FrozenRetail)
		var lines []string
		for _, e := range exchanges {
			for _, r := range append(slices.Clone(e.Before), e.Request) {
				lines = append(lines, answerLine(b, b.Do(goldenRequest(b, r))))
			}
		}
		for number := range 6 {
			s := newStory(t, b, number)
			s.play()
			s.end()
			lines = append(lines, s.lines...)
		}
		for _, path := range []string{"/journal?after=0&limit=1000", "/journal.har", "/state", "/diff"} {
			lines = append(lines, path+" "+normalized(b, b.ControlSandbox(200, "GET "+path, "").Body))
		}
		return lines
	}
	one, all := play(1), play(0)
	assertSame(t, one, all, "with more processors")
	t.Logf("%d answers are the same with GOMAXPROCS 1 and %d", len(one), runtime.GOMAXPROCS(0))
	assert.Greater(t, len(one), len(exchanges))
}

func goldenRequest(b *simtest.Bank, r fixtures.Request) *http.Request {
	request := b.Request(r.Method, b.BaseURL()+r.Path, r.Content())
	if r.Chunked {
		request.Body, request.ContentLength, request.GetBody = io.NopCloser(request.Body), -1, nil
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return request
}

// answerLine returns all of an answer but its date.
func answerLine(b *simtest.Bank, res simtest.Answer) string {
	line := fmt.Sprintf("%d %s", res.StatusCode, normalized(b, res.Body))
	var headers []string
	for name, values := range res.Header {
		if name != "Date" {
			headers = append(headers, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(headers)
	return line + "\n" + strings.Join(headers, "\n")
}

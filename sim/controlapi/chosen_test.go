package controlapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// addRefused adds exchanges, of which every tenth is refused.
func addRefused(sb *sandbox.Sandbox, count int) {
	for i := range count {
		raw := journal.Raw{Operation: "groups.list", Method: http.MethodGet, Status: 200, Decision: journal.Decision{Outcome: journal.Accepted}}
		if i%10 == 9 {
			raw.Status, raw.Decision.Outcome, raw.Decision.Rule = 400, journal.Refused, "group-exists"
		}
		sb.Now().Journal.Add(raw)
	}
}

// streamed is what a stream has written.
type streamed struct {
	numbers         []uint64 // of the exchanges
	missed, sampled uint64   // of the gaps: those that were left out on purpose are sampled
	heartbeats      int
}

func parseStream(t *testing.T, text string) (got streamed) {
	t.Helper()
	var kind string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			kind = name
		}
		if line == ": heartbeat" {
			got.heartbeats++
		}
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case ok && kind == "exchange":
			var x journal.Exchange
			require.NoError(t, json.Unmarshal([]byte(data), &x))
			got.numbers = append(got.numbers, x.Number())
		case ok && kind == "gap":
			var gap struct {
				Missed  uint64
				Sampled bool
			}
			require.NoError(t, json.Unmarshal([]byte(data), &gap))
			if gap.Sampled {
				got.sampled += gap.Missed
			} else {
				got.missed += gap.Missed
			}
		}
	}
	assert.IsIncreasing(t, append([]uint64{0}, got.numbers...))
	return got
}

// A sampled stream has so many exchanges a second at most, evenly, and counts the others.
func TestASampledStream(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		all, refused := &slowReader{query: "?perSecond=20"}, &slowReader{query: "?perSecond=20&outcome=refused"}
		follow(all)
		follow(refused)
		seen := 0
		for range 5 {
			for range 100 { // 5,000 a second
				addRefused(sb, 50)
				time.Sleep(10 * time.Millisecond)
			}
			synctest.Wait()
			now := len(parseStream(t, all.text.String()).numbers)
			assert.InDelta(t, 19, now-seen, 2, "in a second")
			seen = now
		}
		time.Sleep(2 * time.Second)
		end()

		got := parseStream(t, all.text.String())
		assert.EqualValues(t, 25_000, got.sampled+uint64(len(got.numbers)))
		assert.Zero(t, got.missed)
		for i, number := range got.numbers[1:] {
			assert.LessOrEqual(t, number-got.numbers[i], uint64(600), "they are even")
		}
		got = parseStream(t, refused.text.String())
		assert.EqualValues(t, 2500, got.sampled+uint64(len(got.numbers)), "what doesn't match doesn't count")
		assert.InDelta(t, 110, len(got.numbers), 15, "some come after the last second")
		assert.Zero(t, got.missed)
		for _, number := range got.numbers {
			assert.Zero(t, number%10)
		}
	})
}

// A sampled stream has everything as long as that is no more than it may have in a second, though later.
func TestASampledStreamIsWholeWhileThereIsLittle(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		s := &slowReader{query: "?perSecond=20"}
		follow(s)
		for range 10 {
			addRefused(sb, 20)
			time.Sleep(1500 * time.Millisecond)
		}
		end()
		assert.Equal(t, streamed{numbers: upTo(200)}, parseStream(t, s.text.String()))
	})
}

func upTo(last uint64) (numbers []uint64) {
	for i := range last {
		numbers = append(numbers, i+1)
	}
	return numbers
}

// What a sampled stream has left out stays left out when it is resumed.
func TestASampledStreamResumes(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		first := &slowReader{query: "?perSecond=1"}
		follow(first)
		addRefused(sb, 1)
		synctest.Wait()
		addRefused(sb, 99)
		time.Sleep(3 * time.Second)
		second := &slowReader{query: "?perSecond=1&after=100"}
		follow(second)
		addRefused(sb, 1)
		time.Sleep(3 * time.Second)
		end()
		assert.Equal(t, streamed{numbers: []uint64{1, 100, 101}, sampled: 98}, parseStream(t, first.text.String()))
		assert.Equal(t, streamed{numbers: []uint64{101}}, parseStream(t, second.text.String()))
	})
}

// A stream with a filter misses nothing that matches, and has a heartbeat while nothing does.
func TestAFilteredStream(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		addRefused(sb, 8000) // what the journal holds is not skipped
		of := map[string]*slowReader{}
		for _, query := range []string{"?outcome=refused", "?status=400", "?text=GROUP-EXISTS", "?operation=tokens.*"} {
			of[query] = &slowReader{query: query}
			follow(of[query])
		}
		for range 2000 {
			addRefused(sb, 10)
			time.Sleep(10 * time.Millisecond)
		}
		end()
		for query, s := range of {
			got := parseStream(t, s.text.String())
			assert.Zero(t, got.missed+got.sampled, query)
			if query == "?operation=tokens.*" {
				assert.Equal(t, streamed{heartbeats: 1}, got)
				continue
			}
			require.Len(t, got.numbers, 2800, query)
			for i, number := range got.numbers {
				require.EqualValues(t, (i+1)*10, number)
			}
		}
	})
}

// A stream with a filter whose client is slow skips ahead, and counts only what matches.
func TestASlowFilteredStreamSkipsAhead(t *testing.T) {
	t.Parallel()
	underStreams(t, func(sb *sandbox.Sandbox, follow func(*slowReader), end func()) {
		s := &slowReader{query: "?outcome=refused", gate: make(chan struct{})}
		follow(s)
		s.gate <- struct{}{} // the first comment
		addRefused(sb, 10)
		synctest.Wait() // it is writing that
		addRefused(sb, 7000)
		close(s.gate)
		time.Sleep(time.Second)
		end()
		got := parseStream(t, s.text.String())
		assert.EqualValues(t, 701, got.missed+uint64(len(got.numbers)))
		assert.Less(t, len(got.numbers), 20)
		assert.EqualValues(t, 7010, got.numbers[len(got.numbers)-1])
		assert.Zero(t, got.sampled)
	})
}

func TestChosenStreamsEnd(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"a"}`)
	a := b.In("a")
	for _, query := range []string{"?perSecond=5", "?outcome=accepted"} {
		stream := follow(t, b, query)
		simtest.ListGroups.Send(b)
		assert.Equal(t, event{id: "1", name: "exchange", data: get(b, "/journal/1")}, stream.next())
		b.ControlSandbox(204, "POST /reset", "")
		stream.ended("reset")
	}
	stream := follow(t, a, "?perSecond=5")
	b.Control(204, "DELETE /v1/sandboxes/a", "")
	stream.ended("deleted")
	stream = follow(t, b, "?text=x")
	require.NoError(t, b.Server.Shutdown(t.Context()), "streams don't delay the shutdown")
	stream.ended("shutdown")
}

// A gap of exchanges that are no longer held, and one of those that were left out, are two.
func TestASampledStreamReportsGaps(t *testing.T) {
	t.Parallel()
	b := smallJournals(t, 3)
	for range 8 {
		simtest.ListGroups.Send(b)
	}
	stream := follow(t, b, "?after=1&perSecond=1")
	assert.Equal(t, event{name: "gap", data: `{"missed":4}`}, stream.next())
	assert.Equal(t, event{name: "gap", data: `{"missed":2,"sampled":true}`}, stream.next())
	assert.Equal(t, "8", stream.next().id)
}

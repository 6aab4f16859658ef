package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// smallRequests sends many requests of all operations; most of them change something.
func (p *patient) smallRequests() {
	calls := []simtest.Call{simtest.ListGroups, simtest.GetDisclosures, simtest.UpdateUser, simtest.UpdateAccount, simtest.CreateAlert, simtest.IssueTokens}
	p.each(*survivalRequests, 16, func(i int) {
		if i%10 == 0 {
			p.call("", simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d"}`, i)))
			return
		}
		p.call("", calls[i%len(calls)])
	})
}

// largeBodies sends 200 bodies of 2 MiB at once, to both listeners and to all operations with a body.
func (p *patient) largeBodies() {
	filler := strings.Repeat("x", 2<<20)
	calls := []simtest.Call{
		simtest.CreateAlert.WithBody(`{"alertOpted":true,"additionalInfo":{"a":"` + filler + `"}}`),
		simtest.CreateGroup.WithBody(`{"groupName":"x","groupDescription":"` + filler + `"}`),
		simtest.IssueTokens.WithBody(`{"grant_type":"password","username":"` + filler + `"}`),
	}
	p.each(200, 200, func(i int) {
		if i%4 == 3 {
			p.control("POST /v1/sandboxes", `{"scenarioYaml":"`+filler+`"}`, io.Discard)
			return
		}
		p.call("", calls[i%4])
	})
}

// archives fills a journal and downloads it six times at once, as an archive.
func (p *patient) archives() {
	call := simtest.CreateGroup.WithBody(`{"groupName":"x","groupDescription":"` + strings.Repeat("long ", 1600) + `"}`) // refused, and journaled
	p.each(3000, 8, func(int) { p.call("", call) })
	var size atomic.Int64
	p.each(6, 6, func(int) { size.Store(p.download("GET /v1/sandboxes/default/journal.har")) })
	p.Logf("an archive of %d bytes, six times", size.Load())
	require.Positive(p, size.Load())
}

// manySandboxes creates 2,000 sandboxes and sends 20 requests to each.
func (p *patient) manySandboxes() {
	p.each(2000, 16, func(i int) {
		name := fmt.Sprintf("many-%d", i)
		if res := p.control("POST /v1/sandboxes", fmt.Sprintf(`{"name":%q}`, name), io.Discard); res == nil || res.StatusCode != http.StatusCreated {
			return
		}
		for j := range 20 {
			p.call("/sandboxes/"+name, []simtest.Call{simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d"}`, j)), simtest.GetDisclosures,
				simtest.UpdateUser, simtest.ListGroups}[j%4])
		}
	})
}

// stalledStreams opens 1,000 streams that nobody reads while requests come. Some may be refused.
func (p *patient) stalledStreams() {
	open := p.stall(1000)
	defer open()
	const count = 5000
	call := simtest.CreateGroup.WithBody(`{"groupName":"x","groupDescription":"` + strings.Repeat("long ", 200) + `"}`)
	started := time.Now()
	p.each(count, 8, func(int) { p.call("", call) })
	p.Logf("%.0f requests a second beside stalled streams", count/time.Since(started).Seconds())
}

// stall opens so many streams and returns what closes them.
func (p *patient) stall(count int) (closeAll func()) {
	conns := make([]net.Conn, count)
	p.each(count, 16, func(i int) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(*survivalControl, "http://"))
		if err != nil {
			p.wrong("stream %d: %v", i, err)
			return
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4096)
		_, err = fmt.Fprintf(conn, "GET /v1/sandboxes/default/journal/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", *survivalToken)
		if err != nil {
			p.wrong("stream %d: %v", i, err)
		}
		conns[i] = conn
	})
	return func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}
}

// hostileRequests sends requests that no client library sends, for a while, on many connections. A connection keeps its port
// for a minute after its end, so a long run sends no more than a machine with 28,000 ports can.
func (p *patient) hostileRequests() {
	calls := simtest.Hostile()
	deadline := time.Now().Add(*survivalHostile)
	turns := time.NewTicker(4 * time.Millisecond) // of the requests after the first burst
	defer turns.Stop()
	const burst = 12_000
	var sent, waiting atomic.Int64
	p.each(32, 32, func(worker int) {
		for i := worker; time.Now().Before(deadline) && p.failures.Load() < 20; i++ {
			raw := calls[i%len(calls)].Raw("")
			if i%7 == 0 {
				raw = raw[:len(raw)/2]
			}
			if sent.Add(1) > burst {
				<-turns.C
			}
			if !p.rawly(raw) {
				waiting.Add(1)
			}
		}
	})
	p.Logf("%d hostile requests, of which %d took longer than a second", sent.Load(), waiting.Load())
}

// uploads imports files of 1 MiB into five groups of each of 8 sandboxes, all at once, three times.
func (p *patient) uploads() {
	const sandboxes, groups, rounds = 8, 5, 3
	bank := func(i int) string { return fmt.Sprintf("uploads-%d", i%sandboxes) }
	var yaml strings.Builder
	yaml.WriteString("extends: retail\ninstitutions:\n- institutionId: \"02688\"\n  groups:\n")
	for i := range groups {
		fmt.Fprintf(&yaml, "  - {groupId: %q, groupName: uploads %d}\n", uploadsGroup(i), i)
	}
	p.each(sandboxes, sandboxes, func(i int) {
		res := p.control("POST /v1/sandboxes", simtest.JSON(map[string]string{"name": bank(i), "scenarioYaml": yaml.String()}), io.Discard)
		require.Equal(p, http.StatusCreated, res.StatusCode)
	})
	for round := range rounds {
		p.each(sandboxes*groups, sandboxes*groups, func(i int) {
			var file strings.Builder
			file.WriteString("ParticipantId\n")
			for id := round << 20; file.Len() < 1<<20-500; id++ {
				fmt.Fprintf(&file, "%x\n", id)
			}
			p.call("/sandboxes/"+bank(i), simtest.UploadParticipants.At(strings.Replace(simtest.UploadParticipants.Path, simtest.RetailGroup, uploadsGroup(i/sandboxes), 1)).
				WithBody(simtest.Multipart("ADD", file.String())))
		})
		p.each(sandboxes, sandboxes, func(i int) {
			p.control("POST /v1/sandboxes/"+bank(i)+"/clock", `{"advance":"1h"}`, io.Discard)
			p.call("/sandboxes/"+bank(i), simtest.ListGroups)
		})
	}
}

func uploadsGroup(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// export downloads the state of the world, twice at once.
func (p *patient) export() {
	var size atomic.Int64
	p.each(2, 2, func(int) { size.Store(p.download("GET /v1/sandboxes/default/state")) })
	p.Logf("a state of %d bytes, twice", size.Load())
	require.Positive(p, size.Load())
}

package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// mixed are calls, most of which change something.
var mixed = []simtest.Call{
	simtest.ListGroups,
	simtest.GetDisclosures,
	simtest.UpdateUser,
	simtest.UpdateAccount,
	simtest.CreateAlert,
	simtest.IssueTokens,
}

// group is the call that creates a group with a number.
func group(number int) simtest.Call {
	return simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d"}`, number))
}

// smallRequests sends many requests of all operations.
func (p *loaded) smallRequests() {
	p.each(*survivalRequests, 16, func(i int) {
		if i%10 == 0 {
			p.call("", group(i))
			return
		}
		p.call("", mixed[i%len(mixed)])
	})
}

// largeBodies sends 200 bodies of 2 MiB at once, to both listeners and to all operations with a body.
func (p *loaded) largeBodies() {
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
func (p *loaded) archives() {
	// refused, and journaled
	call := simtest.CreateGroup.WithBody(`{"groupName":"x","groupDescription":"` + strings.Repeat("long ", 1600) + `"}`)
	p.each(3000, 8, func(int) { p.call("", call) })
	var size atomic.Int64
	p.each(6, 6, func(int) { size.Store(p.download("GET /v1/sandboxes/default/journal.har")) })
	p.Logf("an archive of %d bytes, six times", size.Load())
	require.Positive(p, size.Load())
}

// stalledReaders asks 1,000 times for the journal and doesn't read it, while requests come. Some may be refused.
func (p *loaded) stalledReaders() {
	open := p.stall(1000)
	defer open()
	const count = 5000
	call := simtest.CreateGroup.WithBody(`{"groupName":"x","groupDescription":"` + strings.Repeat("long ", 200) + `"}`)
	started := time.Now()
	p.each(count, 8, func(int) { p.call("", call) })
	p.Logf("%.0f requests a second beside stalled readers", count/time.Since(started).Seconds())
}

// stall opens so many connections, and returns what closes them.
func (p *loaded) stall(count int) (closeAll func()) {
	conns := make([]net.Conn, count)
	p.each(count, 16, func(i int) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(*survivalControl, "http://"))
		if err != nil {
			p.wrong("reader %d: %v", i, err)
			return
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4096)
		_, err = fmt.Fprintf(
			conn,
			"GET /v1/sandboxes/default/journal?after=0&limit=1000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
			*survivalToken,
		)
		if err != nil {
			p.wrong("reader %d: %v", i, err)
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

// export downloads the state of the world, twice at once.
func (p *loaded) export() {
	var size atomic.Int64
	p.each(2, 2, func(int) { size.Store(p.download("GET /v1/sandboxes/default/state")) })
	p.Logf("a state of %d bytes, twice", size.Load())
	require.Positive(p, size.Load())
}

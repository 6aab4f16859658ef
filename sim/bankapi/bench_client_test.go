package bankapi_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const (
	benchConnections = 4   // at once, where a benchmark doesn't say
	benchBatch       = 100 // requests per connection before the other server's turn
)

// benchClient is connections to one server. It does next to nothing, so that it doesn't soften ratios.
type benchClient []*benchConn

type benchConn struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dialBench(b *testing.B, url string) benchClient {
	b.Helper()
	return dialConnections(b, url, benchConnections)
}

func dialConnections(b *testing.B, url string, connections int) benchClient {
	b.Helper()
	var c benchClient
	for range connections {
		scheme, address, _ := strings.Cut(url, "://")
		conn, err := net.Dial("tcp", address)
		require.NoError(b, err)
		if scheme == "https" {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		}
		b.Cleanup(func() { _ = conn.Close() })
		c = append(c, &benchConn{conn, bufio.NewReaderSize(conn, 64<<10)})
	}
	return c
}

// benchRound is what a number of requests took.
type benchRound struct {
	took time.Duration   // all of it
	each []time.Duration // its requests, the fastest first
}

// percentile returns the time in which that many of a hundred requests were answered.
func (r benchRound) percentile(n int) time.Duration { return r.each[(len(r.each)*n-1)/100] }

// batch sends a batch of requests on each connection, and returns how long that took.
func (c benchClient) batch(b *testing.B, op simtest.Call, sent int) time.Duration {
	b.Helper()
	return c.round(b, op, benchBatch, sent).took
}

// round sends as many requests on each connection, one after the other; sent is how many were sent before.
func (c benchClient) round(b *testing.B, op simtest.Call, requests, sent int) benchRound {
	b.Helper()
	return c.send(b, c.prepare(b, op, requests, sent))
}

// prepare returns as many requests for each connection. In a body, "Night owls" becomes a name of its own for each request.
func (c benchClient) prepare(b *testing.B, op simtest.Call, requests, sent int) [][][]byte {
	b.Helper()
	var header strings.Builder
	require.NoError(b, op.Header.Write(&header))
	prepared := make([][][]byte, len(c))
	for i := range c {
		for j := range requests {
			body := strings.Replace(op.Body, "Night owls", fmt.Sprintf("%010d", sent+i*requests+j), 1)
			prepared[i] = append(prepared[i], fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bank\r\n%sContent-Length: %d\r\n\r\n%s",
				op.Method, op.Path, header.String(), len(body), body))
		}
	}
	return prepared
}

// send sends the requests of each connection, one after the other.
func (c benchClient) send(b *testing.B, requests [][][]byte) benchRound {
	b.Helper()
	times := make([][]time.Duration, len(c))
	var wg sync.WaitGroup
	started := time.Now()
	for i, conn := range c {
		wg.Go(func() {
			before := started
			times[i] = make([]time.Duration, 0, len(requests[i]))
			for _, request := range requests[i] {
				if err := conn.exchange(request); err != nil {
					b.Error(err)
					return
				}
				now := time.Now()
				times[i] = append(times[i], now.Sub(before))
				before = now
			}
		})
	}
	wg.Wait()
	took := time.Since(started)
	if b.Failed() {
		b.FailNow()
	}
	return benchRound{took, slices.Sorted(slices.Values(slices.Concat(times...)))}
}

var contentLength = []byte("Content-Length: ")

// exchange sends a request and reads past the answer.
func (c *benchConn) exchange(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	length, first := 0, true
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 2")) {
			return fmt.Errorf("the answer is %q", line)
		}
		first = false
		if digits, ok := bytes.CutPrefix(line, contentLength); ok {
			for _, d := range bytes.TrimSpace(digits) {
				length = 10*length + int(d-'0')
			}
		}
		if len(line) == 2 {
			_, err := c.reader.Discard(length)
			return err
		}
	}
}

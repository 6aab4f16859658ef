package bankapi_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

const (
	benchConnections = 4   // at once
	benchBatch       = 100 // requests per connection before the other server's turn
)

// BenchmarkBesideBare sends the same requests over loopback, in turn, to the simulator and to a bare net/http
// handler that reads the body and writes the same bytes. It prints the requests per second of each and the ratio
// of the two ("of-bare", 1 would be as fast). The client does next to nothing, so that it doesn't soften the ratio.
func BenchmarkBesideBare(b *testing.B) {
	for name, op := range map[string]simtest.Call{
		"groups.list":                listGroups.WithQuery("size=20"),
		"estatements.getDisclosures": getDisclosures,
		"groups.create":              createGroup,
	} {
		b.Run(name, func(b *testing.B) {
			bank := simtest.StartScenario(b, simtest.FrozenRetail)
			sample := op.Send(bank)
			require.Less(b, sample.StatusCode, 300, sample.Body)
			bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				for name, values := range sample.Header {
					w.Header()[name] = values
				}
				_, _ = io.WriteString(w, sample.Body)
			}))
			defer bare.Close()

			ours, theirs := dialBench(b, bank.Server.ServiceURL()), dialBench(b, bare.URL)
			var took, tookBare time.Duration
			sent := 0
			for b.Loop() {
				took += ours.batch(b, op, sent)
				tookBare += theirs.batch(b, op, sent)
				sent += benchBatch * benchConnections
			}
			b.ReportMetric(float64(sent)/took.Seconds(), "req/s")
			b.ReportMetric(float64(sent)/tookBare.Seconds(), "bare-req/s")
			b.ReportMetric(tookBare.Seconds()/took.Seconds(), "of-bare")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkHTTPSBesideHTTP sends the same requests in turn to the listeners of a simulator for https and for http, over
// connections that stay open. It prints the requests per second of each and the ratio of the two ("of-http").
func BenchmarkHTTPSBesideHTTP(b *testing.B) {
	for name, op := range map[string]simtest.Call{"groups.list": listGroups.WithQuery("size=20"), "groups.create": createGroup} {
		b.Run(name, func(b *testing.B) {
			certificates, err := tlsca.Open(tlsca.Config{})
			require.NoError(b, err)
			bank := simtest.Start(b, server.Config{ServiceTLS: "127.0.0.1:0", Certificates: certificates})
			secure, plain := dialBench(b, bank.Server.HTTPSURL()), dialBench(b, bank.Server.ServiceURL())
			secure.batch(b, listGroups, 0) // so that no handshake is measured
			var took, tookPlain time.Duration
			sent, number := 0, 0
			for b.Loop() {
				took += secure.batch(b, op, number)
				tookPlain += plain.batch(b, op, number+benchBatch*benchConnections)
				sent += benchBatch * benchConnections
				number += 2 * benchBatch * benchConnections
			}
			b.ReportMetric(float64(sent)/took.Seconds(), "req/s")
			b.ReportMetric(float64(sent)/tookPlain.Seconds(), "http-req/s")
			b.ReportMetric(tookPlain.Seconds()/took.Seconds(), "of-http")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkListOverManyGroups reads pages of 20 out of 20 and out of many groups (see -groups), in turn, and prints how many
// times as much the latter cost ("times").
func BenchmarkListOverManyGroups(b *testing.B) {
	few, many := bankOfGroups(b, 20), bankOfGroups(b, *groups)
	for name, query := range map[string]string{"first": "", "middle": "&page=%d", "sorted": "&page=%d&sort=groupName,desc"} {
		b.Run(name, func(b *testing.B) {
			page := func(number int) simtest.Call {
				return listGroups.WithQuery("size=20" + strings.Replace(query, "%d", strconv.Itoa(number), 1))
			}
			small, large := page(0), page(*groups/40)
			require.Contains(b, small.Send(few).Body, `"totalElements":20,`)
			require.Contains(b, large.Send(many).Body, fmt.Sprintf(`"totalElements":%d,`, *groups))
			fromFew, fromMany := dialBench(b, few.Server.ServiceURL()), dialBench(b, many.Server.ServiceURL())
			var tookFew, tookMany time.Duration
			for b.Loop() {
				tookFew += fromFew.batch(b, small, 0)
				tookMany += fromMany.batch(b, large, 0)
			}
			b.ReportMetric(tookMany.Seconds()/tookFew.Seconds(), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchClient is a few connections to one server.
type benchClient []*benchConn

type benchConn struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dialBench(b *testing.B, url string) benchClient {
	b.Helper()
	var c benchClient
	for range benchConnections {
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

// batch sends a batch of requests on each connection, one after the other, and returns how long that took. In a
// body, "Night owls" becomes a name of its own for each request.
func (c benchClient) batch(b *testing.B, op simtest.Call, sent int) time.Duration {
	var header strings.Builder
	require.NoError(b, op.Header.Write(&header))
	requests := make([][][]byte, len(c))
	for i := range c {
		for j := range benchBatch {
			body := strings.Replace(op.Body, "Night owls", fmt.Sprintf("%010d", sent+i*benchBatch+j), 1)
			requests[i] = append(requests[i], fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bank\r\n%sContent-Length: %d\r\n\r\n%s",
				op.Method, op.Path, header.String(), len(body), body))
		}
	}
	started := time.Now()
	var wg sync.WaitGroup
	for i, conn := range c {
		wg.Go(func() {
			for _, request := range requests[i] {
				if err := conn.exchange(request); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(started)
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

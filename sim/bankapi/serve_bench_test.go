package bankapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// besideBare are the operations that are measured beside a bare handler: with a large answer, with a token, with a
// change.
var besideBare = []struct {
	name string
	simtest.Call
}{
	{"groups.list", listGroups.WithQuery("size=20")},
	{"groups.list with a token", listGroups.WithQuery("size=20").WithToken("demo-token")},
	{"estatements.getDisclosures", getDisclosures},
	{"groups.create", createGroup},
}

const (
	serveConnections = 64  // at once
	serveBatch       = 50  // requests per connection before the other server's turn
	serveBefore      = 200 // requests per connection before the first turn: as many as fill the journal
)

var servedProgram = flag.String("program", "",
	"program that BenchmarkServeBesideBare measures instead of the one that it builds")

// BenchmarkServeBesideBare sends the same requests over loopback, in turn, to the program as users run it (banksim
// serve, its log written to a file) and to a program with a bare net/http handler that reads the body and writes the
// same bytes. Each has a process of its own. It prints, as the medians of the rounds: requests per second of both, the
// ratio of the two ("of-bare", 1 would be as fast), in how many milliseconds half and 99 % of the requests were
// answered, and how many times the bare handler's 99 % ours took ("p99-times").
func BenchmarkServeBesideBare(b *testing.B) {
	bareProgram, bankProgram := buildProgram(b, "./testdata/bare"), *servedProgram
	if bankProgram == "" {
		bankProgram = buildProgram(b, "../../cmd/banksim")
	}
	for _, op := range besideBare {
		b.Run(op.name, func(b *testing.B) {
			bank := serveBank(b, bankProgram)
			bare := serveBare(b, bareProgram, sampleAnswer(b, bank.url, op.Call))
			sent := 1
			for _, s := range []*served{bank, bare} {
				s.client = dialConnections(b, s.url, serveConnections)
				s.client.round(b, op.Call, serveBefore, sent)
			}
			sent += serveConnections * serveBefore
			for b.Loop() {
				turns := []*served{bank, bare}
				if len(bank.rounds)%2 == 1 { // so that nobody is always the first
					slices.Reverse(turns)
				}
				for _, s := range turns {
					s.rounds = append(s.rounds, s.client.round(b, op.Call, serveBatch, sent))
				}
				sent += serveConnections * serveBatch
			}
			for _, s := range []*served{bank, bare} {
				s.report(b)
			}
			b.ReportMetric(medianOf(
				bank.rounds,
				func(i int) float64 { return bare.rounds[i].took.Seconds() / bank.rounds[i].took.Seconds() },
			), "of-bare")
			b.ReportMetric(medianOf(bank.rounds, func(i int) float64 {
				return bank.rounds[i].percentile(99).Seconds() / bare.rounds[i].percentile(99).Seconds()
			}), "p99-times")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func buildProgram(b *testing.B, folder string) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), filepath.Base(folder))
	out, err := exec.Command("go", "build", "-o", program, folder).CombinedOutput()
	require.NoError(b, err, string(out))
	return program
}

// served is a server in a process of its own.
type served struct {
	url    string
	unit   string // what its figures' units begin with
	client benchClient
	rounds []benchRound
}

// report prints the medians of the rounds.
func (s *served) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(medianOf(s.rounds, func(i int) float64 {
		return float64(len(s.rounds[i].each)) / s.rounds[i].took.Seconds()
	}), s.unit+"req/s")
	for _, n := range []int{50, 99} {
		b.ReportMetric(medianOf(s.rounds, func(i int) float64 { return 1e3 * s.rounds[i].percentile(n).Seconds() }),
			s.unit+"p"+strconv.Itoa(n)+"-ms")
	}
}

// medianOf returns the median of a figure of each round, so that a round during which the machine did something else
// doesn't decide.
func medianOf(rounds []benchRound, figure func(i int) float64) float64 {
	figures := make([]float64, len(rounds))
	for i := range rounds {
		figures[i] = figure(i)
	}
	slices.Sort(figures)
	return (figures[(len(figures)-1)/2] + figures[len(figures)/2]) / 2
}

// serveBank starts the program on its default scenario. It ends with the benchmark, or when nobody calls it anymore.
func serveBank(b *testing.B, program string) *served {
	b.Helper()
	dir := b.TempDir()
	ready := filepath.Join(dir, "ready.json")
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(b, err)
	defer func() { _ = log.Close() }()
	cmd := exec.Command(program, "serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--exit-when-idle=1m",
		"--ready-file", ready)
	cmd.Stderr = log
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(b, cmd.Wait())
	})
	var addresses struct{ Service string }
	require.Eventually(b, func() bool {
		text, err := os.ReadFile(ready)
		return err == nil && json.Unmarshal(text, &addresses) == nil
	}, simtest.Patience, time.Millisecond, "the program doesn't start")
	return &served{url: addresses.Service}
}

// serveBare starts a bare handler that writes an answer.
func serveBare(b *testing.B, program string, answer []byte) *served {
	b.Helper()
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, in.Close())
		require.NoError(b, cmd.Wait())
	})
	_, err = in.Write(answer)
	require.NoError(b, err)
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	return &served{url: strings.TrimSpace(url), unit: "bare-"}
}

// sampleAnswer sends a call and returns its answer as it was on the wire.
func sampleAnswer(b *testing.B, url string, call simtest.Call) []byte {
	b.Helper()
	r, err := http.NewRequest(call.Method, url+call.Path, strings.NewReader(call.Body))
	require.NoError(b, err)
	r.Header = call.Header
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	res, err := client.Do(r)
	require.NoError(b, err)
	answer, err := httputil.DumpResponse(res, true)
	require.NoError(b, err)
	require.Less(b, res.StatusCode, 300, string(answer))
	return answer
}

// benchClient is connections to one server. It does next to nothing, so that it doesn't soften ratios.
type benchClient []*benchConn

type benchConn struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dialConnections(b *testing.B, url string, connections int) benchClient {
	b.Helper()
	var c benchClient
	for range connections {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(b, err)
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

// round sends as many requests on each connection, one after the other; sent is how many were sent before. In a body,
// "Night owls" becomes a name of its own for each request.
func (c benchClient) round(b *testing.B, op simtest.Call, requests, sent int) benchRound {
	b.Helper()
	var header strings.Builder
	require.NoError(b, op.Header.Write(&header))
	prepared := make([][][]byte, len(c))
	for i := range c {
		for j := range requests {
			body := strings.Replace(op.Body, "Night owls", fmt.Sprintf("%010d", sent+i*requests+j), 1)
			prepared[i] = append(
				prepared[i],
				fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bank\r\n%sContent-Length: %d\r\n\r\n%s",
					op.Method, op.Path, header.String(), len(body), body),
			)
		}
	}
	times := make([][]time.Duration, len(c))
	var wg sync.WaitGroup
	started := time.Now()
	for i, conn := range c {
		wg.Go(func() {
			before := started
			times[i] = make([]time.Duration, 0, requests)
			for _, request := range prepared[i] {
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

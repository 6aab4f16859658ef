package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart starts the program on the default scenario and requests a page of groups, by http and by https. It reports the
// time from the start of the process to the first 200 ("ms-to-200") and, where the system has /proc, the resident memory of the
// process after that ("MB").
func BenchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "banksim")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	b.Run("http", func(b *testing.B) { benchmarkStart(b, program, regexp.MustCompile(`msg=serving service=(\S+)`)) })
	b.Run("https", func(b *testing.B) {
		benchmarkStart(b, program, regexp.MustCompile(`msg=serving .* https=(\S+)`), "--tls-listen", "127.0.0.1:0")
	})
}

func benchmarkStart(b *testing.B, program string, servingAt *regexp.Regexp, flags ...string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	var took time.Duration
	var memory float64
	starts := 0
	for b.Loop() {
		started := time.Now()
		cmd := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"}, flags...)...)
		log, err := cmd.StderrPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		var address []string
		for lines := bufio.NewScanner(log); address == nil; {
			require.True(b, lines.Scan(), "the log ends before the service starts")
			address = servingAt.FindStringSubmatch(lines.Text())
		}
		r, err := http.NewRequest(http.MethodGet, address[1]+"/digitalbanking/groups/v3/groups", nil)
		require.NoError(b, err)
		r.Header.Set("transactionId", "t-1")
		res, err := client.Do(r)
		require.NoError(b, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(b, err)
		require.NoError(b, res.Body.Close())
		require.Equal(b, http.StatusOK, res.StatusCode)
		took += time.Since(started)
		starts++

		memory += residentMB(cmd.Process.Pid)
		require.NoError(b, cmd.Process.Signal(syscall.SIGTERM))
		_, err = io.Copy(io.Discard, log)
		require.NoError(b, err)
		require.NoError(b, cmd.Wait())
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(starts), "ms-to-200")
	b.ReportMetric(memory/float64(starts), "MB")
	b.ReportMetric(0, "ns/op")
}

var vmRSS = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// residentMB returns the resident memory of a process; 0 where the system has no /proc.
func residentMB(pid int) float64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	match := vmRSS.FindSubmatch(status)
	kB, _ := strconv.ParseFloat(string(match[1]), 64)
	return kB / 1024
}

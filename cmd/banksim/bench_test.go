package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart starts the program on the default scenario and requests a page of groups. It reports the time from the
// start of the process to the first 200 ("ms-to-200") and, where the system has /proc, the resident memory of the
// process after that ("MB"). It starts a bare net/http server in turn with the program, and reports the same of it
// ("bare-ms-to-200", "bare-MB") and how many times as long the program takes ("times-bare"). All are medians.
func BenchmarkStart(b *testing.B) {
	serve := []string{
		filepath.Join(b.TempDir(), "banksim"),
		"serve",
		"--listen",
		"127.0.0.1:0",
		"--control",
		"127.0.0.1:0",
	}
	bare := []string{filepath.Join(b.TempDir(), "bare")}
	for source, program := range map[string]string{".": serve[0], "./testdata/bare": bare[0]} {
		out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput()
		require.NoError(b, err, string(out))
	}
	own, others := &starts{}, &starts{}
	for b.Loop() {
		others.start(b, bare)
		own.start(b, serve)
	}
	own.report(b, "")
	others.report(b, "bare-")
	b.ReportMetric(median(own.took)/median(others.took), "times-bare")
}

var serving = regexp.MustCompile(`msg=serving service=(\S+)`)

// starts are those of one program.
type starts struct {
	took, size []float64 // milliseconds to the first 200, megabytes after it
}

// start starts the program, requests a page of groups, and ends it.
func (s *starts) start(b *testing.B, command []string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	started := time.Now()
	cmd := exec.Command(command[0], command[1:]...)
	log, err := cmd.StderrPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	var address []string
	for lines := bufio.NewScanner(log); address == nil; {
		require.True(b, lines.Scan(), "the log ends before the service starts")
		address = serving.FindStringSubmatch(lines.Text())
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
	s.took = append(s.took, float64(time.Since(started).Microseconds())/1000)

	s.size = append(s.size, residentMB(cmd.Process.Pid))
	require.NoError(b, cmd.Process.Kill())
	_, err = io.Copy(io.Discard, log)
	require.NoError(b, err)
	require.Error(b, cmd.Wait(), "it was killed")
}

// report reports the medians, with a prefix to their units.
func (s *starts) report(b *testing.B, prefix string) {
	b.ReportMetric(median(s.took), prefix+"ms-to-200")
	b.ReportMetric(median(s.size), prefix+"MB")
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
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

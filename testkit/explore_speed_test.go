package testkit_test

import (
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// explorations are enough to notice that what a run takes isn't given back.
var explorations = flag.Int("explorations", 400, "how many runs the exploration has whose memory is measured")

// threeCalls is the test of an app that makes three calls, whatever comes of them. Where one fails without an answer, it waits for as
// long as its deadline, which is not what is measured.
func threeCalls(t *testing.T, bank *testkit.Bank, deadline time.Duration) {
	app := &Onboarding{BaseURL: bank.BaseURL(), Token: bank.Token(), HTTP: &http.Client{Timeout: deadline, Transport: &http.Transport{}}}
	defer app.HTTP.CloseIdleConnections()
	for _, step := range []func() error{
		func() error { _, _, err := try(bank, http.MethodGet, groupsPath, "", ""); return err },
		func() error { return app.goPaperless("1001") },
		func() error {
			_, err := app.send(app.HTTP, http.MethodPost, "/digitalbanking/db-alerts-preferences/v1/alert-preferences", "1001", lowBalance)
			return err
		},
	} {
		if err := step(); err != nil && bank.Failure() == nil {
			t.Error(err)
		}
	}
}

func TestInside300(t *testing.T) {
	skipOutside(t)
	start := time.Now()
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) { threeCalls(t, bank, 50*time.Millisecond) }, testkit.InProcess(), testkit.MaxRuns(300), testkit.MaxFaults(3), testkit.EachWithin(2*time.Second))
	t.Logf("it took %d ms", time.Since(start).Milliseconds())
}

// BenchmarkExplore300 measures an exploration of 300 runs with three calls, in a test binary of its own.
func BenchmarkExplore300(b *testing.B) {
	var took int
	for b.Loop() {
		out, _ := insideWith(b, "^TestInside300$", "-test.v")
		require.Contains(b, out, " in 300 runs ")
		ms, err := strconv.Atoi(regexp.MustCompile(`it took (\d+) ms`).FindStringSubmatch(out)[1])
		require.NoError(b, err)
		took += ms
	}
	b.ReportMetric(float64(took)/float64(b.N), "ms/exploration")
}

// heap returns how much memory is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestInsideManyRuns(t *testing.T) {
	skipOutside(t)
	var once sync.Once
	var before int64
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) {
		if bank.Failure() != nil {
			once.Do(func() { before = heap() })
		}
		threeCalls(t, bank, time.Second)
		threeCalls(t, bank, time.Second)
	}, testkit.InProcess(), testkit.MaxRuns(*explorations), testkit.MaxFaults(4), testkit.EachWithin(10*time.Second),
		testkit.OnlyFailures("*/[0-9]*", "*/reset")) // none that waits
	t.Logf("it took %d bytes", heap()-before)
	runtime.KeepAlive(t)
}

// What an exploration keeps of a run is little: the run's bank, requests and rows are gone.
func TestMemoryOfExplorations(t *testing.T) {
	if race {
		t.Skip("it takes long under the race detector: .ci/run runs it without")
	}
	t.Parallel()
	out, passed := insideWith(t, "^TestInsideManyRuns$", "-test.v", fmt.Sprintf("-explorations=%d", *explorations))
	require.True(t, passed, out)
	require.Contains(t, out, fmt.Sprintf(" in %d runs ", *explorations))
	bytes, err := strconv.Atoi(regexp.MustCompile(`it took (-?\d+) bytes`).FindStringSubmatch(out)[1])
	require.NoError(t, err)
	t.Logf("%d runs took %d bytes", *explorations, bytes)
	assert.Less(t, bytes / *explorations, 12<<10)
}

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
var explorations = flag.Int("explorations", 300, "how many runs the exploration has whose memory is measured")

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

func TestInsideThreeCalls(t *testing.T) {
	skipOutside(t)
	start := time.Now()
	testkit.Explore(t, func(t *testing.T, bank *testkit.Bank) { threeCalls(t, bank, 50*time.Millisecond) }, testkit.InProcess(), testkit.EachWithin(2*time.Second))
	t.Logf("it took %d ms", time.Since(start).Milliseconds())
}

// BenchmarkExplore measures an exploration with three calls, in a test binary of its own.
func BenchmarkExplore(b *testing.B) {
	var took, runs int
	for b.Loop() {
		out, _ := insideWith(b, "^TestInsideThreeCalls$", "-test.v")
		took += number(b, `it took (\d+) ms`, out)
		runs += number(b, `(\d+) runs in `, out)
	}
	b.ReportMetric(float64(took)/float64(runs), "ms/run")
}

// number returns the number that an expression finds in an output.
func number(t testing.TB, expression, output string) int {
	t.Helper()
	found := regexp.MustCompile(expression).FindStringSubmatch(output)
	require.NotNil(t, found, output)
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return n
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
		for range 12 {
			threeCalls(t, bank, time.Second)
		}
	}, testkit.InProcess(), testkit.MaxRuns(*explorations), testkit.EachWithin(10*time.Second),
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
	require.Contains(t, out, fmt.Sprintf("%d runs in ", *explorations))
	bytes := number(t, `it took (-?\d+) bytes`, out)
	t.Logf("%d runs took %d bytes", *explorations, bytes)
	assert.Less(t, bytes / *explorations, 12<<10)
}

package server_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// soakFor is how long TestSoak puts load on a simulator.
var soakFor = flag.Duration("soak", 10*time.Second, "how long TestSoak runs")

const (
	soakSeed      = 20261121
	soakSandboxes = 100
	soakWorkers   = 16
)

// injectedHeader marks the answers that the soak's own faults give.
const injectedHeader = "X-Injected"

// soakFaults are faults of all kinds, whose delays are short.
const soakFaults = `  [
    {"name":"unavailable","operation":"groups.create","when":{"every":3},
     "then":{"status":500,"headers":{"X-Injected":"yes"}}},
    {"name":"late","operation":"estatements.*","when":{"every":5},"then":{"delay":"20ms"}},
    {"name":"lost","operation":"tokens.issue","when":{"every":3},"phase":"after","then":{"connection":"reset"}},
    {"name":"short","operation":"groups.list","when":{"every":4},"phase":"after","then":{"connection":"truncate"}}]`

// Mixed load on sandboxes that come and go, with faults, resets, restores and waiting readers, gets no server error
// that nobody asked for, and leaves no goroutine and no file descriptor behind. It is not parallel: it counts those of
// the process.
func TestSoak(t *testing.T) {
	simtest.Night(t, "it puts load on the machine")
	b := simtest.StartScenario(t, simtest.WithFaults(soakFaults))
	s := &soak{loaded{T: t, service: b.Server.ServiceURL(), controlURL: b.Server.ControlURL(), hasFaults: true,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakWorkers}, Timeout: simtest.Patience}}}
	goroutines, descriptors := leastOpen(
		t, 200*time.Millisecond, 0, 0,
	) // the start leaves connections that are about to end

	ctx, cancel := context.WithTimeout(t.Context(), *soakFor)
	defer cancel()
	var workers sync.WaitGroup
	for i := range soakWorkers {
		workers.Go(func() { s.work(ctx, rand.New(rand.NewPCG(soakSeed, uint64(i)))) })
	}
	workers.Wait()
	for i := range soakSandboxes {
		s.control("DELETE "+sandboxPath(i), "", io.Discard)
	}
	s.client.CloseIdleConnections()
	_, wasLost := s.statuses.Load(0)
	assert.True(t, wasLost, "faults have fired")
	t.Logf("seed %d: %s", soakSeed, &s.loaded)
	assert.Equal(t, 1, b.Sandboxes.Len())
	leftGoroutines, leftDescriptors := leastOpen(t, 30*time.Second, goroutines, descriptors)
	t.Logf(
		"goroutines: %d before, %d after; descriptors: %d before, %d after", goroutines, leftGoroutines, descriptors,
		leftDescriptors,
	)
	assert.LessOrEqual(t, leftGoroutines, goroutines, "goroutines")
	assert.LessOrEqual(t, leftDescriptors, descriptors, "file descriptors")
	if t.Failed() {
		stacks := make([]byte, 1<<20)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// leastOpen returns the smallest numbers of goroutines and of file descriptors that the process has within a time; it
// ends early when there are no more than enough of both.
func leastOpen(
	t *testing.T,
	within time.Duration,
	enoughGoroutines, enoughDescriptors int,
) (goroutines, descriptors int) {
	goroutines, descriptors = runtime.NumGoroutine(), openDescriptors(t)
	for end := time.Now().Add(within); time.Now().Before(end); runtime.Gosched() {
		if goroutines <= enoughGoroutines && descriptors <= enoughDescriptors {
			break
		}
		goroutines, descriptors = min(goroutines, runtime.NumGoroutine()), min(descriptors, openDescriptors(t))
	}
	return goroutines, descriptors
}

// openDescriptors returns how many file descriptors the process has open.
func openDescriptors(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/fd")
	if os.IsNotExist(err) {
		return 0 // not on this system
	}
	require.NoError(t, err)
	return len(all)
}

// soak is mixed load on one simulator.
type soak struct{ loaded }

func sandboxPath(i int) string { return fmt.Sprintf("/v1/sandboxes/soak-%d", i) }

// soakSteps are what a worker does with a sandbox, each as often as it is listed.
var soakSteps = []func(s *soak, ctx context.Context, sandbox int, r *rand.Rand){
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).callBank,
	(*soak).read,
	(*soak).read,
	(*soak).change,
	(*soak).change,
	(*soak).follow,
}

// work puts load on one sandbox after the other.
func (s *soak) work(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		sandbox := r.IntN(soakSandboxes)
		s.control("POST /v1/sandboxes", fmt.Sprintf(`{"name":"soak-%d"}`, sandbox), io.Discard)
		for range 50 {
			if ctx.Err() != nil {
				return
			}
			soakSteps[r.IntN(len(soakSteps))](s, ctx, sandbox, r)
		}
		if r.IntN(2) == 0 {
			s.control("DELETE "+sandboxPath(sandbox), "", io.Discard)
		}
	}
}

func (s *soak) callBank(_ context.Context, sandbox int, r *rand.Rand) {
	calls := append(slices.Clone(mixed), simtest.RevokeTokens, group(r.IntN(1000)))
	s.call(fmt.Sprintf("/sandboxes/soak-%d", sandbox), calls[r.IntN(len(calls))])
}

func (s *soak) read(_ context.Context, sandbox int, r *rand.Rand) {
	paths := []string{"/state", "/diff", "/journal", "/journal.har", "/faults", "/clock", "/snapshots", "/scenario", ""}
	s.control("GET "+sandboxPath(sandbox)+paths[r.IntN(len(paths))], "", io.Discard)
}

func (s *soak) change(_ context.Context, sandbox int, r *rand.Rand) {
	calls := [][2]string{
		{"/reset", ""},
		{"/snapshots", `{"name":"then"}`},
		{"/snapshots/then/restore", ""},
		{"/clock", `{"advance":"1h"}`},
		{"/journal/verify", `{"operation":"groups.*","atLeast":0}`},
		{"/faults",
			`{"name":"more","operation":"alerts.*","when":{"every":3},"then":{"delay":"5ms"}}`},
		{"/fork", fmt.Sprintf(`{"name":"soak-%d"}`, r.IntN(soakSandboxes))},
	}
	call := calls[r.IntN(len(calls))]
	s.control("POST "+sandboxPath(sandbox)+call[0], call[1], io.Discard)
}

// follow waits for exchanges, and reads a part of them.
func (s *soak) follow(ctx context.Context, sandbox int, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+r.IntN(50))*time.Millisecond)
	defer cancel()
	url := s.controlURL + sandboxPath(sandbox) + "/journal?after=0&wait=1s"
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	if res, err := s.client.Do(q); err == nil {
		_, _ = io.CopyN(io.Discard, res.Body, int64(r.IntN(20_000)))
		_ = res.Body.Close()
	}
}

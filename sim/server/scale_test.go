package server_test

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const (
	fewUsers      = 10
	manyUsers     = 100_000
	manySandboxes = 10_000
)

// A million takes half a minute or so:
//
//	go test ./sim/server -run '^$' -bench ManyLists -benchtime 1x -list-requests 1000000
var listRequests = flag.Int("list-requests", 100_000, "requests of BenchmarkManyLists")

// populous returns a scenario with so many users, each with two accounts and their disclosures.
func populous(b *testing.B, users int) *scenario.Scenario {
	b.Helper()
	w := sim.NewWorld(7, sim.DefaultBehavior())
	accepted := []sim.Disclosure{{Name: "OLS", Status: sim.Accepted, StatusUpdate: refStart}}
	require.NoError(b, w.AddInstitution(sim.Institution{InstitutionID: "02688", Multistatement: true}))
	require.NoError(b, w.AddClient(sim.Client{InstitutionID: "02688", SharedKey: "demo-app", SecretKey: "demo-secret"}))
	require.NoError(b, w.AddGrant(sim.Grant{InstitutionID: "02688", SharedKey: "demo-app", GrantType: sim.GrantClientCredentials, AccessToken: "demo-token"},
		refStart, time.Hour, 0))
	for i := range users {
		id := strconv.Itoa(1001 + i)
		require.NoError(b, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: id, Username: "user" + id, Password: "demo", Active: true, Disclosures: accepted}))
		for _, kind := range []string{"checking", "savings"} {
			require.NoError(b, w.AddAccount(sim.Account{InstitutionID: "02688", HostUserID: id, AccountID: "acc-" + id + "-" + kind, Disclosures: accepted}))
		}
	}
	return &scenario.Scenario{Name: fmt.Sprintf("%d users", users), Seed: 7, Start: refStart, World: w}
}

// BenchmarkSandboxes creates, forks and resets sandboxes over a scenario with few and with many users, in turn, and
// prints the microseconds that each took and how many times as long it took over many users ("times").
func BenchmarkSandboxes(b *testing.B) {
	const batch = 100
	few, many := newHerd(b, fewUsers), newHerd(b, manyUsers)
	for _, act := range []struct {
		name string
		do   func(*herd) *sandbox.Sandbox
	}{{"create", (*herd).create}, {"fork", (*herd).fork}, {"reset", (*herd).reset}} {
		b.Run(act.name, func(b *testing.B) {
			var tookFew, tookMany time.Duration
			acts := 0
			for b.Loop() {
				tookFew += few.batch(b, batch, act.do)
				tookMany += many.batch(b, batch, act.do)
				acts += batch
			}
			b.ReportMetric(float64(tookFew.Nanoseconds())/1e3/float64(acts), "us-over-10-users")
			b.ReportMetric(float64(tookMany.Nanoseconds())/1e3/float64(acts), "us-over-100000-users")
			b.ReportMetric(tookMany.Seconds()/tookFew.Seconds(), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// herd is a registry over a scenario, with a sandbox that was written to.
type herd struct {
	*sandbox.Registry
	written *sandbox.Sandbox
	writes  int
}

func newHerd(b *testing.B, users int) *herd {
	b.Helper()
	h := &herd{Registry: sandbox.NewRegistry(sandbox.Config{Scenario: populous(b, users)})}
	b.Cleanup(h.Close)
	h.written = h.Default()
	return h
}

func (h *herd) create() *sandbox.Sandbox {
	made, _ := h.Create(sandbox.Plan{})
	return made
}

func (h *herd) fork() *sandbox.Sandbox {
	made, _ := h.Fork(h.written, "")
	return made
}

func (h *herd) reset() *sandbox.Sandbox {
	h.written.Reset()
	return nil
}

// batch does something so many times, and returns how long that took: without the write before, or the deletions
// after it.
func (h *herd) batch(b *testing.B, times int, do func(*herd) *sandbox.Sandbox) time.Duration {
	b.Helper()
	h.writes++
	require.NoError(b, h.written.Change(func(m sandbox.Moment) error {
		return m.World.UpdateUserPreference(sim.Caller{InstitutionID: "02688"}, "1001", h.writes%2 == 0)
	}))
	made := make([]*sandbox.Sandbox, times)
	started := time.Now()
	for i := range made {
		made[i] = do(h)
	}
	took := time.Since(started)
	for _, s := range made {
		if s != nil {
			require.NoError(b, h.Delete(s.Name()))
		}
	}
	return took
}

// quietService is a service without a log.
func quietService(sandboxes *sandbox.Registry) http.Handler {
	return bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
}

// BenchmarkManySandboxes writes once, over the service, to each of ten thousand sandboxes over a scenario with many
// users, and prints how many MB they hold that one sandbox doesn't ("MB-more").
func BenchmarkManySandboxes(b *testing.B) {
	h := newHerd(b, manyUsers)
	handler := quietService(h.Registry)
	update := func(name string, user int) {
		a := updateAccount.at("/sandboxes/" + name + eachURL + strconv.Itoa(1001+user)).
			saying(fmt.Sprintf(`{"activateEstatement":true,"accountId":"acc-%d-checking"}`, 1001+user))
		status, _, body := serve(handler, "", a)
		require.Equal(b, http.StatusOK, status, body)
	}
	update(sandbox.Default, 0)
	for b.Loop() {
		before := heapMB()
		names := make([]string, manySandboxes)
		started := time.Now()
		for i := range names {
			s, err := h.Create(sandbox.Plan{})
			require.NoError(b, err)
			names[i] = s.Name()
			update(names[i], i*(manyUsers/manySandboxes))
		}
		b.ReportMetric(float64(time.Since(started).Microseconds())/manySandboxes, "us-each")
		b.ReportMetric(heapMB()-before, "MB-more")
		for _, name := range names {
			require.NoError(b, h.Delete(name))
		}
	}
	b.ReportMetric(0, "ns/op")
}

// nowhere is a response writer that keeps nothing but its headers and its status.
type nowhere struct {
	header http.Header
	status int
}

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (w *nowhere) WriteHeader(status int)      { w.status = status }

// BenchmarkManyLists lists groups so many times (see -list-requests), in process and with the journal on, and prints
// the memory before and after.
func BenchmarkManyLists(b *testing.B) {
	sc, err := scenario.Load("retail")
	require.NoError(b, err)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	b.Cleanup(sandboxes.Close)
	handler := quietService(sandboxes)
	list := func(number int) {
		r := httptest.NewRequest(http.MethodGet, groupsURL+"?size=20", nil)
		r.Header.Set("transactionId", "t-"+strconv.Itoa(number))
		w := &nowhere{header: http.Header{}}
		handler.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatalf("request %d was answered with %d", number, w.status)
		}
	}
	list(0)
	sent := 0
	for b.Loop() {
		b.ReportMetric(heapMB(), "heap-MB-before")
		b.ReportMetric(residentMB(), "RSS-MB-before")
		for range *listRequests {
			sent++
			list(sent)
		}
		b.ReportMetric(residentMB(), "RSS-MB-after")
		b.ReportMetric(heapMB(), "heap-MB-after")
	}
	of := sandboxes.Default().Now().Journal
	require.Equal(b, uint64(sent+1), of.Last())
	b.ReportMetric(float64(sent)/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64(of.Evicted()), "evicted")
	b.ReportMetric(0, "ns/op")
}

// heapMB returns what the heap holds, after a collection.
func heapMB() float64 {
	runtime.GC()
	runtime.GC() // what finalizers have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// residentMB returns what the process holds of the machine's memory, or 0 where that can't be told.
func residentMB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
	kB, _, _ := strings.Cut(strings.TrimSpace(string(after)), " ")
	n, err := strconv.Atoi(kB)
	if err != nil {
		return 0
	}
	return float64(n) / 1024
}

package bankapi_test

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

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// The sizes of benchmarks. Those with a million of requests or groups, or with 20,000 sandboxes, take up to half a minute:
//
//	go test ./sim/bankapi -run '^$' -bench ManyLists -benchtime 1x -list-requests 1000000
//	go test ./sim/bankapi -run '^$' -bench ManyGroups -groups 1000000
//	go test ./sim/bankapi -run '^$' -bench BusySandboxes -benchtime 1x -sandboxes 19999
var (
	listRequests  = flag.Int("list-requests", 100_000, "requests of BenchmarkManyLists")
	groups        = flag.Int("groups", 100_000, "groups of the larger bank of BenchmarkListOverManyGroups and BenchmarkCreateAmongManyGroups")
	busySandboxes = flag.Int("sandboxes", 1000, "sandboxes of BenchmarkBusySandboxes")
)

// quietAPI returns the sandboxes of a scenario, and a handler for them without a log.
func quietAPI(b *testing.B, yaml string) (*sandbox.Registry, http.Handler) {
	b.Helper()
	sandboxes := simtest.Registry(b, yaml)
	b.Cleanup(sandboxes.Close)
	return sandboxes, bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
}

// BenchmarkManySandboxes writes once to each of ten thousand sandboxes over a scenario with many users. It reports how many
// MB they hold that one sandbox doesn't ("MB-more").
func BenchmarkManySandboxes(b *testing.B) {
	const users, count = 100_000, 10_000
	sandboxes, handler := quietAPI(b, fmt.Sprintf("extends: base\ninstitutions: [{institutionId: '02688', generate: {users: %d}}]\n", users))
	update := func(name string, user int) {
		id := 1_000_001 + user // of a generated user
		status, _, body := serve(handler, "/sandboxes/"+name, updateAccount.At(simtest.UpdateAccountPath+strconv.Itoa(id)).
			WithBody(fmt.Sprintf(`{"activateEstatement":true,"accountId":"acc-%d-checking"}`, id)))
		require.Equal(b, http.StatusOK, status, body)
	}
	update(sandbox.Default, 0)
	for b.Loop() {
		before := heapMB()
		names := make([]string, count)
		started := time.Now()
		for i := range names {
			s, err := sandboxes.Create(sandbox.Plan{})
			require.NoError(b, err)
			names[i] = s.Name()
			update(names[i], i*(users/count))
		}
		b.ReportMetric(float64(time.Since(started).Microseconds())/count, "us-each")
		b.ReportMetric(heapMB()-before, "MB-more")
		for _, name := range names {
			require.NoError(b, sandboxes.Delete(name))
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBusySandboxes sends ten requests to each of many sandboxes (see -sandboxes), with the journal on: lists of 20 groups and
// disclosures in turn, or a group that is created and then those. It reports how many kB a sandbox holds with what the journal
// has ("kB-each") and without ("kB-without-journal"), and the memory of the process at the end ("RSS-MB").
func BenchmarkBusySandboxes(b *testing.B) {
	read := []simtest.Call{listGroups.WithQuery("size=20"), getDisclosures}
	for name, first := range map[string]simtest.Call{"reads": read[0], "a-create": createGroup} {
		b.Run(name, func(b *testing.B) {
			sandboxes, handler := quietAPI(b, "extends: retail\n")
			for b.Loop() {
				before := heapMB()
				var names []string
				for range *busySandboxes {
					s, err := sandboxes.Create(sandbox.Plan{})
					require.NoError(b, err)
					names = append(names, s.Name())
					for i := range 10 {
						call := read[i%2]
						if i == 0 {
							call = first
						}
						status, _, body := serve(handler, "/sandboxes/"+s.Name(), call)
						require.Less(b, status, 300, body)
					}
				}
				kB := 1024 / float64(*busySandboxes)
				b.ReportMetric(residentMB(), "RSS-MB")
				b.ReportMetric((heapMB()-before)*kB, "kB-each")
				for _, name := range names {
					s, _ := sandboxes.Get(name)
					s.Now().Journal.Clear()
				}
				b.ReportMetric((heapMB()-before)*kB, "kB-without-journal")
				for _, name := range names {
					require.NoError(b, sandboxes.Delete(name))
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bankOfGroups starts a bank with so many groups and no other rows but its institution.
func bankOfGroups(b *testing.B, count int) *simtest.Bank {
	b.Helper()
	return simtest.StartScenario(b, fmt.Sprintf("extends: empty\ninstitutions: [{institutionId: '02688', generate: {groups: %d}}]\n", count))
}

// BenchmarkCreateAmongManyGroups creates groups in a bank with 100 and in one with many (see -groups), in turn, and prints how
// many times as much the latter cost ("times").
func BenchmarkCreateAmongManyGroups(b *testing.B) {
	few, many := bankOfGroups(b, 100), bankOfGroups(b, *groups)
	toFew, toMany := dialBench(b, few.Server.ServiceURL()), dialBench(b, many.Server.ServiceURL())
	var tookFew, tookMany time.Duration
	sent := 0
	for b.Loop() {
		few.Sandbox.Reset()
		tookFew += toFew.batch(b, createGroup, sent)
		tookMany += toMany.batch(b, createGroup, sent)
		sent += benchBatch * benchConnections
	}
	b.ReportMetric(tookMany.Seconds()/tookFew.Seconds(), "times")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkManyLists lists groups many times (see -list-requests), with the journal on. It reports the memory before and
// after that.
func BenchmarkManyLists(b *testing.B) {
	sandboxes, handler := quietAPI(b, "extends: retail\n")
	list := func(number int) {
		r := httptest.NewRequest(http.MethodGet, simtest.GroupsPath+"?size=20", nil)
		r.Header.Set("transactionId", "t-"+strconv.Itoa(number))
		w := &statusOnly{header: http.Header{}}
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
	journal := sandboxes.Default().Now().Journal
	require.Equal(b, uint64(sent+1), journal.Last())
	b.ReportMetric(float64(sent)/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64(journal.Evicted()), "evicted")
	b.ReportMetric(0, "ns/op")
}

// statusOnly is a response writer that keeps only its headers and its status.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }

// heapMB returns the size of the heap after a collection.
func heapMB() float64 {
	runtime.GC()
	runtime.GC() // for what finalizers have released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// residentMB returns how much of the machine's memory the process holds, or 0 if that is unknown.
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

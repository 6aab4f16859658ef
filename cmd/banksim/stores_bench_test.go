package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// BenchmarkStores measures requests to banks that are kept in different places: in memory, in a file, in a database
// that one program uses ("database"), and in a database that three programs share ("replicas"). A fixed number of
// clients sends the requests to one bank or to eight. The requests take turns over the programs and the banks. They
// list groups, create groups, or do both: every fifth request of a "mix" creates a group.
//
// "req/s" is the number of answers in a second. "p99-ms" is the time within which 99 % of the requests are answered.
//
//	BANKSIM_POSTGRES=URL go test -run '^$' -bench 'Stores/database/banks=1/clients=8/list' ./cmd/banksim
//
// BANKSIM_BENCH_PROGRAM names an executable that is measured instead of this program. It may have been built from
// another commit. Run both in turn to compare them, so that a change of the machine's load meets both:
//
//	go build -o /tmp/before ./cmd/banksim   # in a clone that has the other commit
//	go test -c -o /tmp/bench ./cmd/banksim
//	for i in 1 2 3 4 5; do
//		BANKSIM_BENCH_PROGRAM=/tmp/before /tmp/bench -test.run '^$' -test.bench Stores >>before.txt
//		/tmp/bench -test.run '^$' -test.bench Stores >>after.txt
//	done
//	benchstat before.txt after.txt
func BenchmarkStores(b *testing.B) {
	for _, kind := range []string{"memory", "file", "database", "replicas"} {
		b.Run(kind, func(b *testing.B) {
			m := startMeasured(b, kind)
			for _, banks := range []int{1, 8} {
				for _, clients := range []int{8, 32} {
					for _, operation := range []string{"list", "create", "mix"} {
						b.Run(fmt.Sprintf("banks=%d/clients=%d/%s", banks, clients, operation), func(b *testing.B) {
							m.measure(b, banks, clients, operation)
						})
					}
				}
			}
		})
	}
}

// measured are the programs that a benchmark measures. They have the same banks.
type measured struct {
	services []string
	control  string // of one of them
	created  int    // banks so far
}

// startMeasured starts the programs for a kind of store. They end with the benchmark.
func startMeasured(b *testing.B, kind string) *measured {
	args := []string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"}
	replicas := 1
	switch kind {
	case "file":
		args = append(args, "--data", b.TempDir())
	case "replicas":
		replicas = 3
		fallthrough
	case "database":
		args = append(args, "--data", databaseURL(b, "BANKSIM_POSTGRES"))
	}
	program := cmp.Or(os.Getenv("BANKSIM_BENCH_PROGRAM"), "banksim") // the test binary: see testscript.Main
	m := &measured{}
	for range replicas {
		ready := filepath.Join(b.TempDir(), "ready.json")
		cmd := exec.Command(program, append(slices.Clip(args), "--ready-file", ready)...)
		require.NoError(b, cmd.Start())
		b.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
		var service string
		service, m.control = awaitAddresses(b, ready)
		m.services = append(m.services, service)
	}
	return m
}

// measure measures b.N requests to banks that are new, with 20 groups besides those of the default scenario.
func (m *measured) measure(b *testing.B, banks, clients int, operation string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var names []string
	for range banks {
		m.created++
		name := fmt.Sprintf("bank-%d", m.created)
		m.call(b, client, http.MethodPost, "", `{"name":"`+name+`"}`, http.StatusCreated)
		defer m.call(b, client, http.MethodDelete, "/"+name, "", http.StatusNoContent)
		names = append(names, name)
	}
	send := func(n int, op *contract.Operation, group string) time.Duration {
		bank := m.services[n%len(m.services)] + "/sandboxes/" + names[n%banks]
		r := requestTo(b, bank, op, "", `{"groupName":"`+group+`"}`, "")
		began := time.Now()
		res, err := client.Do(r)
		if assert.NoError(b, err) {
			_, err = io.Copy(io.Discard, res.Body)
			assert.NoError(b, err)
			_ = res.Body.Close()
			assert.Equal(b, http.StatusOK, res.StatusCode)
		}
		return time.Since(began)
	}
	share(clients, 20*banks, func(n int) { send(n, contract.GroupsCreate, fmt.Sprintf("before-%d", n)) })
	// These open the connections, and each program opens each bank.
	share(clients, 4*clients*len(m.services), func(n int) { send(n, contract.GroupsList, "") })

	took := make([]time.Duration, b.N)
	b.ResetTimer()
	share(clients, b.N, func(n int) {
		op := contract.GroupsList
		if operation == "create" || operation == "mix" && n%5 == 0 {
			op = contract.GroupsCreate
		}
		took[n] = send(n, op, fmt.Sprint(n))
	})
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// call makes a call of the control API about sandboxes.
func (m *measured) call(b *testing.B, client *http.Client, method, path, body string, status int) {
	r, err := http.NewRequest(method, m.control+"/v1/sandboxes"+path, strings.NewReader(body))
	require.NoError(b, err)
	res, err := client.Do(r)
	require.NoError(b, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(b, err)
	require.NoError(b, res.Body.Close())
	require.Equal(b, status, res.StatusCode, "%s", answer)
}

// share calls a function with each number from 0 up to another. Clients share the calls.
func share(clients, calls int, call func(n int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for n := int(next.Add(1)) - 1; n < calls; n = int(next.Add(1)) - 1 {
				call(n)
			}
		})
	}
	running.Wait()
}

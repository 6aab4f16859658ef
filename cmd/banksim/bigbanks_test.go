//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	bigBank   = "big"
	manyUsers = 200_000

	bigPause = 50 * time.Millisecond // between two requests of a client

	// These bounds hold on a busy machine.
	bigUnread = time.Minute      // how long after the answer to a call a replica may still read the new world
	bigSlow   = 20 * time.Second // how long a request to another bank may take
)

// bigAnswer is the answer to a request of a client.
type bigAnswer struct {
	replica     int
	bank        string
	began, came time.Time
	status      int // or 0 without an answer
	text        string
}

// bigCall is a call of the control API.
type bigCall struct {
	path        string
	began, came time.Time
}

// bigBanks are programs with a bank of many rows and two small ones, and what clients are answered.
type bigBanks struct {
	t        *testing.T
	client   *http.Client
	replicas []replica

	mu      sync.Mutex
	answers []bigAnswer
	calls   []bigCall
}

// startBigBanks starts programs that keep their banks in a place, and creates the banks. The big one has as many
// accounts as users.
func startBigBanks(t *testing.T, data string, programs, users int) *bigBanks {
	b := &bigBanks{t: t, client: &http.Client{
		Timeout: 5 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 16},
	}}
	t.Cleanup(b.client.CloseIdleConnections)
	for range programs {
		b.replicas = append(b.replicas, startReplica(t, data))
	}
	b.create(bigBank, fmt.Sprintf("    generate: {users: %d, accountsPerUser: 1}\n", users))
	b.create("small-1", "")
	b.create("small-2", "")
	return b
}

// create creates a bank at the first program.
func (b *bigBanks) create(name, institution string) {
	text := "name: " + name + "\nextends: base\ninstitutions:\n  - institutionId: \"02688\"\n" + institution
	body, err := json.Marshal(map[string]string{"name": name, "scenarioYaml": text})
	require.NoError(b.t, err)
	b.call(0, "POST ", string(body))
}

// call makes a call of the control API about sandboxes, such as "DELETE /big", which must succeed.
func (b *bigBanks) call(replica int, call, body string) {
	b.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	began := time.Now()
	callControl(b.t, b.client, method, b.replicas[replica].control+"/v1/sandboxes"+path, body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, bigCall{path, began, time.Now()})
}

// ask sends a request of a client, and notes what comes.
func (b *bigBanks) ask(replica int, bank string, op *contract.Operation, body string) (text []byte) {
	r := requestTo(b.t, b.replicas[replica].service+"/sandboxes/"+bank, op, "", body, "")
	a := bigAnswer{replica: replica, bank: bank, began: time.Now()}
	res, err := b.client.Do(r)
	if err == nil {
		a.status = res.StatusCode
		text, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if a.came = time.Now(); err != nil {
		a.status, a.text = 0, err.Error()
	} else if a.status != http.StatusOK {
		a.text = string(text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers = append(b.answers, a)
	return text
}

// open has each program read the big bank, and forgets what was answered.
func (b *bigBanks) open() {
	for replica := range b.replicas {
		b.groups(replica, bigBank)
	}
	b.answers = nil
}

// disturb has clients list and create groups, in all banks and at all programs, while a function runs.
func (b *bigBanks) disturb(fn func()) {
	done := make(chan struct{})
	var clients sync.WaitGroup
	defer clients.Wait()
	defer close(done)
	for replica := range b.replicas {
		for _, bank := range []string{bigBank, "small-1", "small-2"} {
			b.everySoOften(&clients, done, func(int) { b.ask(replica, bank, contract.GroupsList, "") })
			b.everySoOften(&clients, done, func(n int) {
				b.ask(replica, bank, contract.GroupsCreate, fmt.Sprintf(`{"groupName":"at-%d-%d"}`, replica, n))
			})
		}
	}
	fn()
}

func (b *bigBanks) everySoOften(clients *sync.WaitGroup, done chan struct{}, ask func(n int)) {
	clients.Go(func() {
		tick := time.NewTicker(bigPause)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
				ask(n)
			}
		}
	})
}

// awaitService waits until each program serves the big bank again.
func (b *bigBanks) awaitService() {
	b.t.Helper()
	from := time.Now()
	require.Eventually(b.t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		served := map[int]int{}
		for _, a := range b.answers {
			if a.bank == bigBank && a.began.After(from) && a.status == http.StatusOK {
				served[a.replica]++
			}
		}
		for replica := range b.replicas {
			if served[replica] < 5 {
				return false
			}
		}
		return true
	}, time.Minute, 10*time.Millisecond, "the big bank is served again")
}

// replaceWorlds makes the calls that work on all rows of the big bank. The last program makes those that any may make.
func (b *bigBanks) replaceWorlds() {
	last := len(b.replicas) - 1
	for _, c := range []struct {
		replica    int
		call, body string
	}{
		{0, "POST /big/snapshots", `{"name":"before"}`},
		{0, "POST /big/snapshots/before/restore", ""},
		{0, "POST /big/fork", `{"name":"fork"}`},
		{0, "POST /big/reset", ""},
		{last, "POST /big/reset", ""},
		{0, "DELETE /fork", ""},
	} {
		b.call(c.replica, c.call, c.body)
		b.awaitService()
	}
}

// check checks what the clients were answered.
func (b *bigBanks) check() {
	for _, a := range b.answers {
		call := b.callBefore(a.came)
		switch isReplaced := strings.HasSuffix(call.path, "/reset") || strings.HasSuffix(call.path, "/restore"); {
		case a.status == http.StatusOK:
		case a.bank == bigBank && len(b.replicas) > 1 && isReplaced && a.status == http.StatusServiceUnavailable:
			assert.Less(b.t, a.came.Sub(call.came), bigUnread, "after %s: %+v", call.path, a)
		default:
			assert.Fail(b.t, "a request failed", "after %s: %+v", call.path, a)
		}
		if a.bank != bigBank {
			assert.LessOrEqual(b.t, a.came.Sub(a.began), bigSlow, "after %s: %+v", call.path, a)
		}
	}
}

// callBefore returns the last call that was made before a time.
func (b *bigBanks) callBefore(at time.Time) (last bigCall) {
	for _, call := range b.calls {
		if call.began.Before(at) {
			last = call
		}
	}
	return last
}

// groups returns the names of all groups of a bank, as a program lists them. It waits while the program reads the bank.
func (b *bigBanks) groups(replica int, bank string) (names []string) {
	for page := 0; ; page++ {
		listed := *contract.GroupsList
		listed.Path += fmt.Sprintf("?size=2000&page=%d", page)
		var list struct{ Content []struct{ GroupName string } }
		var text []byte
		require.Eventually(b.t, func() bool {
			text = b.ask(replica, bank, &listed, "")
			return b.answers[len(b.answers)-1].status == http.StatusOK
		}, time.Minute, 10*time.Millisecond, "program %d lists the groups of %s", replica, bank)
		require.NoError(b.t, json.Unmarshal(text, &list))
		if len(list.Content) == 0 {
			return names
		}
		for _, g := range list.Content {
			names = append(names, g.GroupName)
		}
	}
}

// checkGroups checks that each program lists what each other one has created.
func (b *bigBanks) checkGroups() {
	for creator := range b.replicas {
		name := fmt.Sprintf("last-%d", creator)
		b.ask(creator, bigBank, contract.GroupsCreate, `{"groupName":"`+name+`"}`)
		first := b.groups(0, bigBank)
		assert.Contains(b.t, first, name)
		for other := range b.replicas {
			assert.Equal(b.t, first, b.groups(other, bigBank), "the groups that program %d lists", other)
		}
	}
}

// A bank of many rows is served while it is saved, restored, forked and reset, and other banks don't notice.
func TestBigBanks(t *testing.T) {
	night(t, "it replaces worlds of 400,000 rows")
	t.Run("database", func(t *testing.T) {
		testBigBanks(t, databaseURL(t, "BANKSIM_POSTGRES"), 2)
	})
	t.Run("file", func(t *testing.T) { testBigBanks(t, t.TempDir(), 1) })
}

func testBigBanks(t *testing.T, data string, programs int) {
	b := startBigBanks(t, data, programs, manyUsers)
	b.open()
	b.disturb(b.replaceWorlds)
	b.checkGroups()
	b.check()
}

// A program that has stopped for so long that it must load the bank anew serves the bank soon after it goes on.
func TestLaggingReplica(t *testing.T) {
	const creates = 9_000 // more than are followed
	url := databaseURL(t, "BANKSIM_POSTGRES")
	night(t, "it makes thousands of changes one after the other")
	b := startBigBanks(t, url, 2, 10_000)
	b.open()
	stopped := b.replicas[1].process.Process
	require.NoError(t, stopped.Signal(syscall.SIGSTOP))
	for n := range creates { // one after the other, so each is a change
		b.ask(0, bigBank, contract.GroupsCreate, fmt.Sprintf(`{"groupName":"missed-%d"}`, n))
	}
	require.NoError(t, stopped.Signal(syscall.SIGCONT))
	b.client.CloseIdleConnections() // the program may close those that were idle while it was stopped
	began := time.Now()
	b.ask(1, bigBank, contract.GroupsCreate, `{"groupName":"late"}`)
	assert.Less(t, time.Since(began), bigUnread)
	b.checkGroups()
	b.check()
}

// A replica that is killed in the middle of a reset leaves the bank as it was, or as it is after the reset. A later
// reset works.
func TestKilledInReset(t *testing.T) {
	t.Run("commit is lost", func(t *testing.T) { testKilledInReset(t, true) })
	t.Run("commit may arrive", func(t *testing.T) { testKilledInReset(t, false) })
}

func testKilledInReset(t *testing.T, isLost bool) {
	url := databaseURL(t, "BANKSIM_POSTGRES")
	b := startBigBanks(t, url, 2, times(5_000, manyUsers))
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	count := func(query string) (n int64) {
		require.NoError(t, pool.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	const unused = `SELECT count(*) FROM rows r JOIN banks b ON b.id = r.bank JOIN heads h ON h.bank = r.bank
		WHERE b.name = 'big' AND r.world NOT IN (0, h.world)`

	b.open()
	b.ask(1, bigBank, contract.GroupsCreate, `{"groupName":"stays"}`)
	before := b.groups(1, bigBank)
	require.Equal(t, []string{"stays"}, before)
	lock, err := pool.Begin(t.Context()) // the reset stages its world, and its commit waits
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(),
		"SELECT FROM heads h JOIN banks b ON b.id = h.bank WHERE b.name = 'big' FOR UPDATE OF h")
	require.NoError(t, err)
	ended := make(chan error)
	go func() {
		_, err := b.client.Post(b.replicas[0].control+"/v1/sandboxes/big/reset", "application/json", nil)
		ended <- err
	}()
	isStaged := func() bool { return count(unused) > 0 }
	require.Eventually(t, isStaged, time.Minute, 5*time.Millisecond, "a world is staged")
	require.NoError(t, b.replicas[0].process.Process.Kill())
	require.Error(t, <-ended)
	_ = b.replicas[0].process.Wait() // it was killed
	if isLost {
		require.Eventually(t, func() bool {
			ended, err := lock.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`)
			require.NoError(t, err)
			return ended.RowsAffected() == 0
		}, time.Minute, 5*time.Millisecond, "no commit waits in the database")
	}
	require.NoError(t, lock.Rollback(t.Context()))

	after := b.groups(1, bigBank)
	if isLost || len(after) > 0 {
		assert.Equal(t, before, after)
	}
	b.call(1, "POST /big/reset", "")
	assert.Empty(t, b.groups(1, bigBank))
	b.replicas = append(b.replicas[1:], startReplica(t, url))
	b.open()
	b.checkGroups()
	b.call(1, "DELETE /big", "")
	assert.Zero(t, count("SELECT count(*) FROM rows r WHERE NOT EXISTS (SELECT FROM banks b WHERE b.id = r.bank)"))
}

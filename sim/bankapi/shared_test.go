package bankapi_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
)

// line is a proxy before a database, which can break.
type line struct {
	net.Listener
	to string

	mu     sync.Mutex
	conns  []net.Conn
	broken bool   // whether all connections are closed, also new ones
	lose   string // "request" or "answer": of the next commit; then the connection is closed
	breaks bool   // whether that breaks the line
	commit string // what the request of a commit contains
}

func (l *line) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *line) serve() {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.to)
		l.set(func() {
			if err != nil || l.broken {
				_ = client.Close()
				return
			}
			l.conns = append(l.conns, client)
			var mute atomic.Bool
			go copyTo(server, client, func(data []byte) bool { return l.loses(data, client, &mute) })
			go copyTo(client, server, func([]byte) bool { return mute.Load() }) // it has committed, and nobody is told
		})
	}
}

// copyTo copies what a connection receives to another one, until the connection ends or something is lost.
func copyTo(to, from net.Conn, loses func(data []byte) bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	data := make([]byte, 1<<20)
	for {
		n, err := from.Read(data)
		if err != nil || loses(data[:n]) {
			return
		}
		if _, err := to.Write(data[:n]); err != nil {
			return
		}
	}
}

// loses reports whether a request is lost on its way to the database. Once mute is set, the answer is.
func (l *line) loses(request []byte, client net.Conn, mute *atomic.Bool) (isLost bool) {
	l.set(func() {
		if l.lose == "" || !bytes.Contains(request, []byte(l.commit)) {
			return
		}
		isLost = l.lose == "request"
		mute.Store(!isLost)
		l.lose, l.broken = "", l.breaks
		for _, conn := range l.conns {
			if l.breaks && conn != client {
				_ = conn.Close()
			}
		}
	})
	return isLost
}

// startBehindLine starts a simulator that reaches its database over a line, and logs to log. It returns the URL of the
// database without the line, too.
func startBehindLine(t *testing.T, log io.Writer) (b *simtest.Bank, l *line, direct *url.URL) {
	address := os.Getenv("BANKSIM_POSTGRES")
	if address == "" {
		t.Skip("BANKSIM_POSTGRES has no URL of a PostgreSQL database, such as .ci/postgres starts")
	}
	direct, err := url.Parse(fmt.Sprintf("%s&search_path=test%d", address, time.Now().UnixNano()))
	require.NoError(t, err)
	direct.User = url.UserPassword(direct.User.Username(), "s3cret")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l = &line{Listener: listener, to: direct.Host, commit: "g-lost"} // the name of a group
	t.Cleanup(func() { _ = l.Close() })
	go l.serve()
	over := *direct
	over.Host = l.Addr().String()
	sandboxes := openShared(t, over.String())
	logger := slog.New(slog.NewTextHandler(log, nil))
	return simtest.Start(t, server.Config{Sandboxes: sandboxes, Log: logger}), l, direct
}

// A simulator says what became of a change while the database was away, and goes on when it is there again.
func TestDatabaseFails(t *testing.T) {
	var log simtest.Log
	b, l, direct := startBehindLine(t, &log)
	all := listGroups.WithQuery("size=100")
	for name, c := range map[string]struct {
		lose   string
		breaks bool
		status int
		retry  string
		made   bool
	}{
		"answer lost":           {lose: "answer", status: 200, made: true},
		"request lost":          {lose: "request", status: 503, retry: "5"},
		"answer and line lost":  {lose: "answer", breaks: true, status: 503, made: true},
		"request and line lost": {lose: "request", breaks: true, status: 503},
	} {
		require.NoError(t, b.Sandbox.Reset(t.Context(), ""))
		l.set(func() { l.lose, l.breaks, l.broken = c.lose, c.breaks, false })
		res := createGroup.WithBody(`{"groupName":"g-lost"}`).Expect(b, c.status, name)
		assert.Equal(t, c.retry, res.Header.Get("Retry-After"), name)
		if c.status == 503 && c.retry == "" {
			assert.Contains(t, res.Body, "may have been made", name)
			all.Expect(b, 503, name)
			assert.Contains(t, b.ControlSandbox(503, "GET /state", "").Body, "can't be used at present")
			require.Eventually(t, func() bool { // five seconds after the store began to fail
				res := b.Do(b.Request(http.MethodGet, b.Server.ControlURL()+"/readyz", ""))
				return res.StatusCode == 503 && strings.Contains(res.Body, "the store of the banks")
			}, simtest.Patience, 10*time.Millisecond)
		}
		l.set(func() { l.broken = false })
		assert.Equal(t, c.made, strings.Contains(all.Send(b).Body, "g-lost"), name)
		assert.NotContains(t, b.Control(200, "GET /readyz", "").Body, "stored", name)
	}
	assert.NotContains(t, log.String()+b.Control(200, "GET /v1/info", "").Body, "s3cret")
	assert.NotContains(t, log.String(), direct.User.Username())
}

// A bank that was created or deleted is so, though the answer of the database was lost.
func TestDatabaseLosesAnswers(t *testing.T) {
	b, l, _ := startBehindLine(t, io.Discard)
	l.set(func() { l.commit = "\x0bcommit\x00" })
	for _, lost := range []string{"answer", "request"} { // of the deletion
		l.set(func() { l.lose = "answer" })
		b.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
		l.set(func() { l.lose = lost })
		b.Control(204, "DELETE /v1/sandboxes/other", "")
		b.Control(404, "GET /v1/sandboxes/other", "")
	}
}

// A change is not refused as not made only because the log of the database has no record of it any more.
func TestDatabaseLosesRecords(t *testing.T) {
	b, l, direct := startBehindLine(t, io.Discard)
	conn, err := pgx.Connect(t.Context(), direct.String())
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), loseRecords)
	require.NoError(t, err)
	l.set(func() { l.lose = "answer" })
	res := createGroup.WithBody(`{"groupName":"g-lost"}`).Expect(b, 503)
	assert.Empty(t, res.Header.Get("Retry-After"))
}

// loseRecords has the log lose each record at once, as after many changes.
const loseRecords = `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN EXECUTE format(''DELETE FROM %I.log WHERE bank = $1 AND seq = $2'', TG_TABLE_SCHEMA)
		USING NEW.bank, NEW.seq; RETURN NULL; END';
CREATE TRIGGER lose AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION lose()`

// openShared returns the registry of a replica that uses the database of a URL.
func openShared(t *testing.T, url string) *sandbox.Registry {
	t.Helper()
	address, err := store.ParseAddress(url)
	require.NoError(t, err)
	kept, err := store.OpenPostgres(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = kept.Close() })
	r, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: simtest.Scenario(t, simtest.FrozenRetail)},
		kept)
	require.NoError(t, err)
	return r
}

// What is done to a bank at one replica is so at the others at once.
func TestReplicasAgree(t *testing.T) {
	for variable, program := range map[string]string{
		"BANKSIM_POSTGRES": "postgres", "BANKSIM_POSTGRES_POOLED": "pgbouncer",
	} {
		t.Run(program, func(t *testing.T) {
			address := os.Getenv(variable)
			if address == "" {
				t.Skip(variable + " has no URL of a PostgreSQL database, such as .ci/" + program + " starts")
			}
			testReplicasAgree(t, address)
		})
	}
}

// startReplicas starts two simulators that share a database.
func startReplicas(t *testing.T, address string) (a, b *simtest.Bank) {
	t.Helper()
	return simtest.Start(t, server.Config{Sandboxes: openShared(t, address)}),
		simtest.Start(t, server.Config{Sandboxes: openShared(t, address)})
}

func testReplicasAgree(t *testing.T, address string) {
	a, b := startReplicas(t, fmt.Sprintf("%s&search_path=test%d", address, time.Now().UnixNano()))
	createGroup.Expect(a, 200)
	urls := strings.NewReplacer(a.Server.ServiceURL(), "URL", b.Server.ServiceURL(), "URL")
	changed := func() {
		for _, path := range []string{"/state", "/journal", "/clock", "/faults", "/snapshots", "/diff", ""} {
			here, there := a.Get(path), b.Get(path)
			assert.Equal(t, urls.Replace(here), urls.Replace(there), path)
		}
	}
	changed()
	a.ControlSandbox(201, "POST /snapshots", `{"name":"then"}`)
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	a.ControlSandbox(201, "POST /faults", `{"operation":"groups.list","then":{"status":500}}`)
	listGroups.Expect(b, 500)
	changed()
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	b.ControlSandbox(204, "POST /snapshots/then/restore", "") // a loads the bank again, without the version before
	changed()
	b.ControlSandbox(204, "DELETE /faults", "")
	a.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	for range 600 { // of all records since b has looked, that of the clock alone is deleted
		listGroups.Expect(a, 200)
	}
	changed()
	var creating sync.WaitGroup
	for n := range 20 {
		creating.Go(func() { createGroup.WithBody(fmt.Sprintf(`{"groupName":"Group %d"}`, n)).Expect(b, 200) })
	}
	creating.Wait()
	createGroup.WithBody(`{"groupName":"Last"}`).Expect(b, 200)
	changed()
	for _, x := range a.Exchanges(journal.Query{Limit: 21, Newest: true}) {
		step, _ := a.Journal().Step(x.ID)
		if step.After == nil { // changes that are committed together have no worlds in between
			assert.NotEqual(t, a.Last().ID, x.ID)
			continue
		}
		before, after := slices.Collect(step.Before.Groups("02688")), slices.Collect(step.After.Groups("02688"))
		assert.Equal(t, 1, len(after)-len(before), "around exchange %s", x.ID)
	}
	a.ControlSandbox(204, "DELETE /journal", "")
	changed()
	b.ControlSandbox(204, "POST /reset", "")
	changed()

	a.Control(201, "POST /v1/sandboxes", `{"name":"other"}`)
	b.Control(409, "POST /v1/sandboxes", `{"name":"other"}`)
	b.Control(204, "DELETE /v1/sandboxes/other", "")
	a.Control(404, "GET /v1/sandboxes/other/state", "")
	b.Control(201, "POST /v1/sandboxes", `{"name":"other","seed":5}`)
	assert.Contains(t, a.Control(200, "GET /v1/sandboxes/other", "").Body, `"seed":5`)
	for range 3 {
		a.Control(201, "POST /v1/sandboxes", "{}")
	}
	b.Control(201, "POST /v1/sandboxes", "{}") // its first names are taken, which it doesn't know
}

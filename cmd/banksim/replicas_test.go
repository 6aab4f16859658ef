//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	replicaClients = 8
	replicaSteps   = 40 // of each client in a round
	replicaGroups  = 5  // names of groups
	replicaFaults  = 3  // how often the fault fires after each reset
)

// replicatedScenario is a bank without groups, with a fault that fires for the first requests.
const replicatedScenario = `
name: replicated
extends: base
institutions: [{institutionId: "02688", tokens: [{accessToken: always, client: demo-app, expiresIn: 8760h}]}]
faults: [{name: first, operation: jobs.list, when: {first: 3}, then: {status: 500}}]
`

// replicaStep is what a client asks for.
type replicaStep struct {
	kind   string
	name   int    // of the group
	id     string // of the group
	client int    // whose token it is
	token  string
}

// replicaOutcome is what it is answered.
type replicaOutcome struct {
	unknown bool // whether it was carried out
	status  int
	id      string                // of the created group, or the issued token
	listed  [replicaGroups]string // ids of the groups; empty: there is none
}

// replicaState is what the model knows of the bank.
type replicaState struct {
	groups [replicaGroups]string  // ids; empty: there is none; "?": no answer had it
	tokens [replicaClients]string // the newest of each client; empty: it has none that works
	fired  int
}

// replicaModel says which outcomes are right.
var replicaModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{replicaState{}} },
	Step: func(state, input, output any) []any {
		s, in, out := state.(replicaState), input.(replicaStep), output.(replicaOutcome)
		next, legal := s.step(in, out)
		switch {
		case out.unknown:
			return []any{s, next}
		case legal:
			return []any{next}
		}
		return nil
	},
}).ToModel()

// step returns the state after a step, and whether its outcome is right.
func (s replicaState) step(in replicaStep, out replicaOutcome) (replicaState, bool) {
	at := -1 // the group
	for name, id := range s.groups {
		if in.id != "" && id == in.id {
			at = name
		}
	}
	switch in.kind {
	case "create":
		if s.groups[in.name] != "" {
			return s, out.status == 400
		}
		s.groups[in.name] = out.id
		if out.unknown {
			s.groups[in.name] = "?"
		}
	case "list":
		for name, id := range out.listed {
			if s.groups[name] == "?" && id != "" {
				s.groups[name] = id
			}
		}
		return s, out.status == 200 && out.listed == s.groups
	case "update":
		if at < 0 {
			return s, out.status == 400
		}
		if at != in.name && s.groups[in.name] != "" {
			return s, out.status == 400
		}
		s.groups[at] = ""
		s.groups[in.name] = in.id
	case "delete":
		if at < 0 {
			return s, out.status == 400
		}
		s.groups[at] = ""
	case "issue":
		if out.unknown { // no client has the token
			return s, true
		}
		s.tokens[in.client] = out.id
	case "use":
		return s, out.status == map[bool]int{true: 200, false: 401}[s.tokens[in.client] == in.token]
	case "revoke":
		if s.tokens[in.client] == in.token {
			s.tokens[in.client] = ""
		}
	case "probe":
		if s.fired < replicaFaults {
			s.fired++
			return s, out.status == 500
		}
	case "reset":
		return replicaState{}, out.status == 204
	}
	return s, out.status == 200
}

// replicas are programs that share a database, or one program with a file.
type replicas struct {
	t           *testing.T
	url         string // of the database, or the folder of the file
	application string // the name by which the database knows connections of replicas
	kinds       int    // of disturbances: see disturb
	client      *http.Client

	mu    sync.Mutex
	all   []replica
	known []string // ids of groups
}

// start starts a replica, in the place of one that has ended.
func (r *replicas) start(number int) {
	data := r.url
	if strings.Contains(data, "://") {
		data += "&application_name=" + r.application
	}
	started := startReplica(r.t, data)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[number] = started
}

func (r *replicas) at(number int) replica {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[number]
}

// allKinds is how many kinds of disturbances there are.
const allKinds = 4

// disturb does something that replicas and databases meet. The kinds are numbered.
func (r *replicas) disturb(kind int, random *rand.Rand) {
	number := random.IntN(len(r.all))
	victim := r.at(number).process
	switch kind % r.kinds {
	case 0:
		_ = victim.Process.Kill()
		_ = victim.Wait() // it was killed
		r.start(number)
	case 1: // for longer than the others have to wait for it
		_ = victim.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(3*time.Second, func() { _ = victim.Process.Signal(syscall.SIGCONT) })
	case 2:
		r.terminateBackends(random)
	case 3:
		out, err := exec.Command("bash", "-c", os.Getenv("BANKSIM_POSTGRES_RESTART")).CombinedOutput()
		assert.NoError(r.t, err, "%s", out)
	}
}

// terminateBackends has the database end all connections of replicas that are at work, every few milliseconds for a
// second. Now and then the answer to a commit is lost by that.
func (r *replicas) terminateBackends(random *rand.Rand) {
	ctx := r.t.Context()
	conn, err := pgx.Connect(ctx, r.url)
	require.NoError(r.t, err)
	defer conn.Close(ctx)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = $1 AND state = 'active'`, r.application)
		require.NoError(r.t, err)
		time.Sleep(time.Duration(1+random.IntN(15)) * time.Millisecond)
	}
}

// replicaOperations are the operations of the bank that steps stand for.
var replicaOperations = map[string]*contract.Operation{
	"create": contract.GroupsCreate, "list": contract.GroupsList, "update": contract.GroupsUpdate,
	"delete": contract.GroupsDelete, "issue": contract.TokensIssue, "revoke": contract.TokensRevoke,
	"use": contract.GroupsList, "probe": contract.JobsList,
}

// carryOut carries out a step at a replica, and returns the id of the exchange, too.
func (r *replicas) carryOut(at replica, bank string, in replicaStep) (out replicaOutcome, exchange string) {
	var request *http.Request
	if op := replicaOperations[in.kind]; op != nil {
		named := fmt.Sprintf(`{"groupName":"g%d"}`, in.name)
		body := map[string]string{
			"issue": `{"grant_type":"client_credentials"}`, "revoke": `{"token":"` + in.token + `"}`,
			"create": named, "update": named,
		}[in.kind]
		token := "always"
		if in.kind == "use" {
			token = in.token
		}
		request = requestTo(r.t, at.service+"/sandboxes/"+bank, op, in.id, body, token)
	} else {
		request, _ = http.NewRequest(http.MethodPost, at.control+"/v1/sandboxes/"+bank+"/reset", nil)
	}
	res, err := r.client.Do(request)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return replicaOutcome{status: 503}, ""
	}
	if err != nil {
		return replicaOutcome{unknown: true}, ""
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode == 503 && res.Header.Get("Retry-After") == "" {
		return replicaOutcome{unknown: true}, ""
	}
	type group struct{ GroupID, GroupName string }
	var body struct {
		group
		Token   string `json:"access_token"`
		Content []group
	}
	_ = json.Unmarshal(data, &body) // without an id the outcome is wrong
	out = replicaOutcome{status: res.StatusCode, id: body.GroupID + body.Token}
	for _, g := range body.Content {
		var name int
		if _, err := fmt.Sscanf(g.GroupName, "g%d", &name); err == nil {
			out.listed[name] = g.GroupID
		}
	}
	return out, res.Header.Get(contract.ExchangeHeader.Name)
}

// round has clients use a bank that is new, over all replicas, while those or their database are disturbed. The kinds
// of disturbance alternate. The outcomes must be those of some order of the steps. The journal must have what was
// answered.
func (r *replicas) round(number int) {
	bank := fmt.Sprintf("round-%d", number)
	body := fmt.Sprintf(`{"name": %q, "scenarioYaml": %q}`, bank, replicatedScenario)
	require.Eventually(r.t, func() bool { // the round before may have left the database in its restart
		res, err := r.client.Post(r.at(0).control+"/v1/sandboxes", "application/json", strings.NewReader(body))
		return err == nil && res.Body.Close() == nil && (res.StatusCode == 201 || res.StatusCode == 409)
	}, time.Minute, 20*time.Millisecond)
	kinds := []string{
		"create", "create", "list", "list", "update", "delete", "issue", "use", "use", "revoke", "probe",
	}
	resets := number%2 == 0
	if resets {
		kinds = append(kinds, "reset")
	}
	var clock, steps atomic.Int64
	var mu sync.Mutex
	var history []porcupine.Operation
	answered := map[string]replicaStep{} // by exchange
	drawn := map[string]bool{}           // ids and tokens
	var clients sync.WaitGroup
	for client := range replicaClients {
		random := rand.New(rand.NewPCG(uint64(number), uint64(client)))
		clients.Go(func() {
			token := ""
			for done := 0; done < replicaSteps; done++ {
				in := replicaStep{
					kind: kinds[random.IntN(len(kinds))], name: random.IntN(replicaGroups),
					client: client, token: token,
				}
				if token == "" && (in.kind == "use" || in.kind == "revoke") {
					in.kind = "issue"
				}
				if in.kind == "update" || in.kind == "delete" {
					if in.id = r.someGroup(random); in.id == "" {
						in.kind = "list"
					}
				}
				called := clock.Add(1)
				out, exchange := r.carryOut(r.at(random.IntN(len(r.all))), bank, in)
				returned := clock.Add(1)
				isRead := in.kind == "list" || in.kind == "use"
				if out.status == 503 || out.unknown && isRead { // nothing was changed
					time.Sleep(20 * time.Millisecond) // the bank can't be used at present
					done--
					continue
				}
				if in.kind == "issue" && out.id != "" {
					token = out.id
				}
				r.noteGroups(in, out)
				mu.Lock()
				history = append(history, porcupine.Operation{
					ClientId: client, Input: in, Call: called, Output: out, Return: returned,
				})
				if out.id != "" && !resets && (in.kind == "create" || in.kind == "issue") {
					assert.False(r.t, drawn[out.id], "%s is drawn twice", out.id)
					drawn[out.id] = true
				}
				if exchange != "" && isLasting(in, out) {
					if other, twice := answered[exchange]; twice && !resets {
						assert.Fail(r.t, "two answers have the same exchange", "%s: %+v and %+v", exchange, other, in)
					}
					answered[exchange] = in
				}
				mu.Unlock()
				steps.Add(1)
			}
		})
	}
	random := rand.New(rand.NewPCG(uint64(number), 99))
	for disturbed := range 3 {
		for steps.Load() < int64(replicaClients*replicaSteps*(disturbed+1)/5) {
			time.Sleep(time.Millisecond) // until they are so far
		}
		r.disturb(number+disturbed, random)
	}
	clients.Wait()
	// A database may carry out a step of unknown outcome at any time after. A program that was killed does nothing
	// more.
	for i, op := range history {
		if op.Output.(replicaOutcome).unknown && len(r.all) > 1 {
			history[i].Return, history[i].ClientId = clock.Add(1), replicaClients+i
		}
	}
	result := porcupine.CheckOperationsTimeout(replicaModel, history, time.Minute)
	if result != porcupine.Ok {
		for _, op := range history {
			r.t.Logf("%d to %d: %+v: %+v", op.Call, op.Return, op.Input, op.Output)
		}
		problem := "the outcomes are those of no order of the steps"
		if result == porcupine.Unknown {
			problem = "the search for an order of the steps took more than a minute"
		}
		require.Fail(r.t, problem, "round %d", number)
	}
	if !resets && len(r.all) > 1 { // a program keeps the journal in memory
		r.checkJournal(bank, answered)
	}
}

// isLasting reports whether the exchange of a step has surely changed the bank. Others may be lost when the database
// crashes.
func isLasting(in replicaStep, out replicaOutcome) bool {
	switch in.kind {
	case "create", "delete", "issue":
		return out.status == 200
	case "probe": // the fault counts it
		return out.status == 500
	}
	return false
}

// journal returns the journal of a bank as a replica shows it. After a restart of the database, a replica may answer a
// few calls with 503 before it has new connections.
func (r *replicas) journal(number int, bank string) (data []byte) {
	require.Eventually(r.t, func() bool {
		res, err := r.client.Get(r.at(number).control + "/v1/sandboxes/" + bank + "/journal?after=0&limit=1000")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		data, err = io.ReadAll(res.Body)
		return err == nil && res.StatusCode == http.StatusOK
	}, 20*time.Second, 20*time.Millisecond)
	return data
}

// checkJournal checks that each replica shows all exchanges, and among them those that were answered.
func (r *replicas) checkJournal(bank string, answered map[string]replicaStep) {
	var first string
	for number := range r.all {
		data := r.journal(number, bank)
		if first == "" {
			first = string(data)
		}
		assert.Equal(r.t, first, string(data), "the journal of another replica")
	}
	var journal struct {
		Exchanges []struct{ ID, Operation string }
	}
	require.NoError(r.t, json.Unmarshal([]byte(first), &journal))
	for i, x := range journal.Exchanges {
		assert.Equal(r.t, fmt.Sprint(i+1), x.ID)
		if in, ok := answered[x.ID]; ok {
			assert.Equal(r.t, replicaOperations[in.kind].Name, x.Operation)
			delete(answered, x.ID)
		}
	}
	assert.Empty(r.t, answered, "answered, and not in the journal")
}

func (r *replicas) someGroup(random *rand.Rand) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) == 0 {
		return ""
	}
	return r.known[random.IntN(len(r.known))]
}

func (r *replicas) noteGroups(in replicaStep, out replicaOutcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if in.kind == "create" && out.id != "" {
		r.known = append(r.known, out.id)
		r.known = r.known[max(0, len(r.known)-2*replicaGroups):]
	}
}

// testReplicas runs rounds with programs that share the database of a URL, or with one that keeps its banks in a
// folder.
func testReplicas(t *testing.T, url string, programs, kinds, rounds int) {
	r := &replicas{
		t:           t,
		url:         url,
		application: fmt.Sprintf("replicas-%d", os.Getpid()),
		kinds:       kinds,
		all:         make([]replica, programs),
		client:      &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	for number := range r.all {
		r.start(number)
	}
	for round := range rounds {
		r.known = nil
		r.round(round)
	}
}

// What a bank has answered is there after the end of its process, at whatever moment that is killed.
func TestBanksOutliveTheirProcess(t *testing.T) {
	testReplicas(t, filepath.Join(t.TempDir(), "data"), 1, 1, times(4, 60))
}

// Replicas that share a database are one bank, whatever happens to them and to the database. A database that is
// restarted is for this test alone, because other tests go on meanwhile.
func TestReplicas(t *testing.T) {
	variable, kinds := "BANKSIM_POSTGRES", allKinds
	if os.Getenv("BANKSIM_POSTGRES_CRASHING") != "" {
		variable = "BANKSIM_POSTGRES_CRASHING"
	}
	if os.Getenv("BANKSIM_POSTGRES_RESTART") == "" {
		t.Log("the database goes on running: BANKSIM_POSTGRES_RESTART has no command that restarts it")
		kinds--
	}
	testReplicas(t, databaseURL(t, variable), 3, kinds, times(5, 60))
}

// Replicas are one bank behind a pooler, too. It gives each of their transactions any connection of its own.
func TestReplicasBehindAPooler(t *testing.T) {
	testReplicas(t, databaseURL(t, "BANKSIM_POSTGRES_POOLED"), 3, 2, times(2, 10))
}

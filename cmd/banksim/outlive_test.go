package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// survivors is what a bank has answered, over many processes.
type survivors struct {
	t      *testing.T
	client *http.Client

	mu      sync.Mutex
	names   map[string]string // of groups that are there, by id
	deleted map[string]bool   // ids of groups
	tokens  map[string]bool   // access tokens, and whether they work
	seen    map[string]bool   // all ids and tokens
}

// requestTo returns a request to an operation of a bank, with a JSON body and, if there is one, an access token.
func requestTo(t testing.TB, bank string, op *contract.Operation, id, body, token string) *http.Request {
	r, err := http.NewRequest(op.Method, bank+strings.Replace(op.Path, "{groupId}", id, 1), strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{"institutionId": "02688", "transactionId": "t-1", "Content-Type": "application/json"} {
		r.Header.Set(name, value)
	}
	if op.Security == contract.Basic {
		r.SetBasicAuth("demo-app", "demo-secret")
	} else if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// send sends a request and decodes the answer. It reports whether the request is answered and accepted.
func (s *survivors) send(service string, op *contract.Operation, id, body, token string, into any) (status int, ok bool) {
	r := requestTo(s.t, service, op, id, body, token)
	res, err := s.client.Do(r)
	if err != nil {
		return 0, false
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && into != nil && res.StatusCode < 300 {
		require.NoError(s.t, json.Unmarshal(data, into))
	}
	return res.StatusCode, err == nil && res.StatusCode < 300
}

// change makes changes one after the other, until one isn't answered.
func (s *survivors) change(service string, random *rand.Rand, client string) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s-%d", client, n)
		var group struct {
			ID string `json:"groupId"`
		}
		if _, ok := s.send(service, contract.GroupsCreate, "", `{"groupName":"`+name+`"}`, "", &group); !ok {
			return
		}
		s.note(group.ID, func() { s.names[group.ID] = name })
		var issued struct {
			Token string `json:"access_token"`
		}
		if _, ok := s.send(service, contract.TokensIssue, "", `{"grant_type":"client_credentials"}`, "", &issued); !ok {
			return
		}
		s.note(issued.Token, func() { s.tokens[issued.Token] = true })
		if random.IntN(2) == 0 {
			s.locked(func() { delete(s.tokens, issued.Token) }) // until it is answered, either may be
			if _, ok := s.send(service, contract.TokensRevoke, "", `{"token":"`+issued.Token+`"}`, "", nil); !ok {
				return
			}
			s.locked(func() { s.tokens[issued.Token] = false })
		}
		if random.IntN(2) == 0 {
			s.locked(func() { delete(s.names, group.ID) })
			if _, ok := s.send(service, contract.GroupsDelete, group.ID, "", "", nil); !ok {
				return
			}
			s.locked(func() { s.deleted[group.ID] = true })
		}
	}
}

func (s *survivors) locked(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// note notes an id or a token, which must not have been drawn before.
func (s *survivors) note(drawn string, then func()) {
	s.locked(func() {
		assert.False(s.t, s.seen[drawn], "%s is drawn twice", drawn)
		s.seen[drawn] = true
		then()
	})
}

// check checks that the bank has what it has answered, and nothing that it hasn't.
func (s *survivors) check(service string) {
	groups := map[string]string{}
	for page := 0; ; page++ {
		var list struct {
			Content []struct {
				ID   string `json:"groupId"`
				Name string `json:"groupName"`
			} `json:"content"`
		}
		listed := *contract.GroupsList
		listed.Path += fmt.Sprintf("?size=2000&page=%d", page)
		_, ok := s.send(service, &listed, "", "", "", &list)
		require.True(s.t, ok)
		if len(list.Content) == 0 {
			break
		}
		for _, g := range list.Content {
			groups[g.ID] = g.Name
		}
	}
	for id, name := range s.names {
		assert.Equal(s.t, name, groups[id], "a group whose creation was answered")
	}
	for id := range s.deleted {
		assert.NotContains(s.t, groups, id, "a group whose deletion was answered")
	}
	for token, works := range s.tokens {
		status, _ := s.send(service, contract.GroupsList, "", "", token, nil)
		assert.Equal(s.t, map[bool]int{true: 200, false: 401}[works], status, "a token")
		if len(s.tokens) > 200 { // enough to look at in each round
			delete(s.tokens, token)
		}
	}
	for id := range groups { // one that wasn't answered, too
		s.seen[id] = true
	}
}

// startProgram starts the program on free ports. It ends with the test.
func startProgram(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("banksim") // the test binary: see testscript.Main
	require.NoError(t, err)
	cmd := exec.Command(program, append([]string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"}, args...)...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// What a bank has answered is there after the end of its process, at whatever moment that is killed.
func TestBanksOutliveTheirProcess(t *testing.T) {
	rounds := 10
	if os.Getenv("BANKSIM_NIGHT") == "1" {
		rounds = 200
	}
	dir := t.TempDir()
	data, ready := filepath.Join(dir, "data"), filepath.Join(dir, "ready.json")
	s := &survivors{t: t, client: &http.Client{Timeout: time.Minute}, names: map[string]string{},
		deleted: map[string]bool{}, tokens: map[string]bool{}, seen: map[string]bool{}}
	defer s.client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		_ = os.Remove(ready)
		p := startProgram(t, "--data", data, "--ready-file", ready)
		service, _ := awaitAddresses(t, ready)
		s.check(service)
		var clients sync.WaitGroup
		for client := range 16 {
			random := rand.New(rand.NewPCG(uint64(round), uint64(client)))
			clients.Go(func() { s.change(service, random, fmt.Sprintf("%d-%d", round, client)) })
		}
		time.AfterFunc(time.Duration(20+random.IntN(200))*time.Millisecond, func() { _ = p.Process.Signal(syscall.SIGKILL) })
		clients.Wait()
		_ = p.Wait() // it was killed
		s.client.CloseIdleConnections()
	}
	assert.Greater(t, len(s.seen), 100, "they had time for changes")
	t.Logf("%d groups and %d tokens, %d ids", len(s.names), len(s.tokens), len(s.seen))
}

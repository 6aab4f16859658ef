//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// What a replica says of a request, another one says, too, and so does one that was started later: fingerprints of
// tokens are the same, the reasons, and the faults.
func TestReplicasTellTheSame(t *testing.T) {
	t.Parallel()
	r := &replicas{
		t: t, url: databaseURL(t, "BANKSIM_POSTGRES"), application: "told", all: make([]replica, 3),
		client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	ask := func(number int, method, path, body string) string {
		return string(callControl(t, r.client, method, r.at(number).control+path, body))
	}
	const bank = "/v1/sandboxes/default"
	r.start(0)
	r.start(1)
	var minted struct{ AccessToken string }
	require.NoError(t, json.Unmarshal([]byte(ask(0, "POST", bank+"/tokens", `{"expiresIn": "1h"}`)), &minted))
	ask(0, "POST", bank+"/faults", `{"name": "idle", "operation": "jobs.get", "required": true, "then": {"status": 500}}`)
	ask(0, "POST", bank+"/clock", `{"advance": "25h", "run": false}`)
	res, err := r.client.Do(requestTo(t, r.at(0).service, contract.GroupsList, "", "", minted.AccessToken))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusUnauthorized, res.StatusCode)

	paths := []string{"/journal", "/journal/newest/why?format=full", "/state", "/faults", "/verdict", "/clock", "/diff",
		"/scenario"}
	for _, path := range paths {
		require.EventuallyWithT(t, func(c *assert.CollectT) { // a replica looks once a second for what others did
			assert.Equal(c, ask(0, "GET", bank+path, ""), ask(1, "GET", bank+path, ""), path)
		}, 10*time.Second, 50*time.Millisecond)
	}
	assert.Contains(t, ask(1, "GET", bank+"/journal/newest/why?format=full", ""), "it expired at")
	again := ask(1, "GET", bank+"/journal/newest", "")
	var sent struct {
		Request struct{ Headers map[string][]string }
	}
	require.NoError(t, json.Unmarshal([]byte(again), &sent))
	shown := sent.Request.Headers["Authorization"][0]
	answer := ask(1, "POST", bank+"/requests", `{"path": "/v3/groups", "headers": {"Authorization": "`+shown+`"}}`)
	assert.Contains(t, answer, `"status":401`, "the fingerprint stands for the token here, too")

	// Who revoked a token is in the records, also for a replica that has read the bank later.
	send := func(op *contract.Operation, replacing ...string) (body string) {
		e := op.Example()
		plan, err := json.Marshal(map[string]any{"method": op.Method, "path": e.Path, "headers": e.Headers,
			"body": strings.NewReplacer(replacing...).Replace(e.Content())})
		require.NoError(t, err)
		var sent struct{ Response struct{ Body string } }
		require.NoError(t, json.Unmarshal([]byte(ask(0, "POST", bank+"/requests", string(plan))), &sent))
		return sent.Response.Body
	}
	var issued struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(send(contract.TokensIssue)), &issued))
	var revocation struct {
		Token string `json:"refresh_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(contract.TokensRevoke.Example().Content()), &revocation))
	send(contract.TokensRevoke, revocation.Token, issued.Refresh)
	send(contract.GroupsCreate)
	res, err = r.client.Do(requestTo(t, r.at(0).service, contract.GroupsList, "", "", issued.Access))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusUnauthorized, res.StatusCode)
	assert.Regexp(t, `it was revoked by exchange \d+, tokens.revoke;`, ask(0, "GET", bank+"/journal/newest/why", ""))

	r.start(2)
	for _, path := range paths {
		assert.Equal(t, ask(0, "GET", bank+path, ""), ask(2, "GET", bank+path, ""), path)
	}
}

// A start waits for its database.
func TestTheDatabaseComesLater(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(databaseURL(t, "BANKSIM_POSTGRES"))
	require.NoError(t, err)
	database := to.Host
	closed, err := net.Listen("tcp", "127.0.0.1:0") // nobody answers here: its queue is never read
	require.NoError(t, err)
	to.Host = closed.Addr().String()
	require.NoError(t, closed.Close())
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := serveOnFreePorts(t, "--data", to.String(), "--ready-file", ready)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "the database isn't there yet: the start waits for it")
	assert.NotContains(t, line, to.User.String())
	there, err := net.Listen("tcp", to.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = there.Close() })
	go func() {
		for {
			in, err := there.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", database)
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	_, control := awaitAddresses(t, ready)
	callControl(t, http.DefaultClient, http.MethodGet, control+"/readyz", "")
}

package bankapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// pastScenario is a bank that remembers the ids of requests, with faults that requests ask for by a header.
const pastScenario = `
name: past
extends: retail
clock: {run: false}
behavior: {groups: {transactionIdReuse: reject}}
faults:
  - {name: before, when: {request: {header: {x-fail: before}}}, then: {status: 500}}
  - {name: after, when: {request: {header: {x-fail: after}}}, phase: after, then: {status: 500}}
`

// past is a bank whose requests are carried out again in forks of what it was before them.
type past struct {
	*simtest.Bank
	t      *testing.T
	groups []string // the ids of some

	mu   sync.Mutex
	sent map[string]sentCall // by its User-Agent, which the journal shows
}

type sentCall struct {
	simtest.Call
	answer simtest.Answer
}

// send sends a generated request, now and then one that a fault answers.
func (p *past) send(g generator, agent string) {
	c := g.valid(one(g, contract.Operations...))
	switch g.IntN(8) {
	case 0:
		c = g.oddly(one(g, contract.Operations...))
	case 1:
		if c.Body != "" {
			c = c.WithBody(c.Body[:g.IntN(len(c.Body))])
		}
	case 2:
		c = c.With("x-fail", one(g, "before", "after"))
	case 3:
		c = c.With("transactionId", "again") // the groups refuse it from the second time on
	}
	c.Path = strings.Replace(c.Path, simtest.RetailGroup, one(g, p.groups...), 1)
	c = c.With("User-Agent", agent)
	res, err := c.Try(p.Bank)
	if !assert.NoError(p.t, err) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[agent] = sentCall{c, res}
}

// disturb changes the sandbox from outside of the bank, or looks back while others send requests.
func (p *past) disturb(g generator, resets bool) {
	control := func(call, body string, statuses ...int) {
		res := p.TryControl(strings.Replace(call, " ", " "+p.ControlPath(), 1), body)
		assert.Contains(p.t, statuses, res.StatusCode, "%s %s: %s", call, body, res.Body)
	}
	exchange := fmt.Sprint(1 + g.IntN(int(p.Journal().Last())+1))
	switch g.IntN(8) {
	case 0:
		control("PATCH /institutions/02688/users/1001", fmt.Sprintf(`{"active":%t}`, g.IntN(4) > 0), 200)
	case 1:
		control("POST /institutions/02688/tokens", `{"client":"demo-app"}`, 201)
	case 2:
		control("POST /snapshots/s/restore", "", 204)
	case 3: // an import is a few seconds long, so some run meanwhile
		seconds := one(g, 1, 1, 2, 3, -2, -600, g.IntN(1000))
		control("POST /clock", fmt.Sprintf(`{"advance":"%ds"}`, seconds), 200)
	case 4:
		control("GET /journal/"+exchange+"/why", "", 200, 404)
	case 5, 6:
		name := fmt.Sprintf("look-%x", g.Uint64())
		control("POST /fork", fmt.Sprintf(`{"name":%q,%q:%q}`, name, one(g, "before", "after"), exchange), 201, 404)
		_ = p.Sandboxes.Delete(name) // it may not be there
	case 7:
		if resets && g.IntN(4) == 0 {
			control("POST /reset", "", 204)
		}
	}
}

// The bank can go back to what it was before any of its last changes: there, the same request gets the same answer, ids
// included, makes the same changes, and leads to what the bank was after it. That is so whatever happens at the same time.
func TestRequestsAreTheSameInThePast(t *testing.T) {
	t.Parallel()
	const senders, requests = 6, 60
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := &past{Bank: simtest.StartScenario(t, pastScenario), t: t, sent: map[string]sentCall{}}
			for g := range p.World().Groups("02688") {
				p.groups = append(p.groups, g.GroupID)
			}
			p.groups = append(p.groups[:3], simtest.RetailGroup)
			startImport(t, p.Bank, p.groups[0])
			p.ControlSandbox(201, "POST /snapshots", `{"name":"s"}`)
			checked := p.Client // it looks an exchange up by its id, which a reset gives to another one
			p.Client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}, Timeout: simtest.Patience}
			var all sync.WaitGroup
			for sender := range senders {
				all.Go(func() {
					g := generator{rand.New(rand.NewPCG(seed, uint64(sender)))}
					for i := range requests {
						if g.IntN(6) == 0 {
							p.disturb(g, i < requests/3)
						}
						p.send(g, fmt.Sprintf("sender/%d.%d", sender, i))
					}
				})
			}
			all.Wait()
			p.Client.CloseIdleConnections()
			p.Client = checked
			again, forgotten, changed := 0, 0, 0
			for _, x := range p.Journal().Page(journal.Query{}).Exchanges {
				if !strings.HasPrefix(x.Request.Headers["User-Agent"][0], "sender/") {
					continue // the import that runs in the snapshot
				}
				sent, ok := p.sent[x.Request.Headers["User-Agent"][0]]
				require.True(t, ok, x.Request.Headers)
				if p.again(x, sent) {
					again++
				} else {
					forgotten++
					assert.Zero(t, again, "exchange %s is forgotten, though an older one isn't", x.ID)
				}
				if x.Changed {
					changed++
				}
			}
			t.Logf("%d requests were the same, %d are forgotten; %d have changed something", again, forgotten, changed)
			assert.Greater(t, again, 50)
			assert.Greater(t, changed, 20)
		})
	}
}

// again carries out a request again in a fork of what the sandbox was before it. It reports whether that is still known.
func (p *past) again(x journal.Exchange, sent sentCall) (known bool) {
	t := p.t
	changes := p.TryControl("GET "+p.ControlPath()+"/journal/"+x.ID+"/why", "")
	var got struct{ Changes []json.RawMessage }
	if changes.StatusCode == http.StatusOK {
		require.NoError(t, json.Unmarshal([]byte(changes.Body), &got))
		assert.Equal(t, x.Changed, len(got.Changes) > 0, "%s %s", x.ID, changes.Body)
	}
	before, ok := p.fork("before", x.ID)
	after, ok2 := p.fork("after", x.ID)
	if !ok || !ok2 {
		return false
	}
	require.Equal(t, http.StatusOK, changes.StatusCode)
	defer func() {
		require.NoError(t, p.Sandboxes.Delete(before.Sandbox.Name()))
		require.NoError(t, p.Sandboxes.Delete(after.Sandbox.Name()))
	}()
	for _, fork := range []*simtest.Bank{before, after} {
		assert.Equal(t, x.At, fork.Sandbox.Now().Now, x.ID)
	}
	var rows []sim.Change
	for c := range after.World().Diff(x.At, before.World(), x.At) {
		rows = append(rows, c)
	}
	assert.Len(t, rows, len(got.Changes), x.ID)

	res := sent.Send(before)
	assert.Equal(t, sent.answer.StatusCode, res.StatusCode, "%s: %s", x.ID, sent.Call)
	assert.Equal(t, sent.answer.Body, strings.ReplaceAll(res.Body, before.BaseURL(), p.BaseURL()), "%s: %s", x.ID, sent.Call)
	assert.True(t, before.World().Equal(after.World()), "%s: %s", x.ID, sent.Call)
	y := before.Last()
	assert.Equal(t, x.Decision, y.Decision)
	assert.Equal(t, x.Changed, y.Changed)
	diff := before.ControlSandbox(200, "GET /diff", "").Body
	_, want, _ := strings.Cut(changes.Body, `"changes":`)
	_, is, _ := strings.Cut(diff, `"changes":`)
	assert.Equal(t, want, is, "%s: %s", x.ID, sent.Call)
	return true
}

// fork forks the sandbox as it was around an exchange; ok is false if that is no longer known.
func (p *past) fork(side, exchange string) (fork *simtest.Bank, ok bool) {
	name := side + "-" + exchange
	res := p.TryControl("POST "+p.ControlPath()+"/fork", fmt.Sprintf(`{"name":%q,%q:%q}`, name, side, exchange))
	if res.StatusCode == http.StatusGone {
		assert.Contains(p.t, res.Body, "keeps the worlds before its last 100 changes")
		return nil, false
	}
	require.Equal(p.t, http.StatusCreated, res.StatusCode, res.Body)
	return p.In(name), true
}

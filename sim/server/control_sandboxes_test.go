package server_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// sandboxInfo is a sandbox as the control API describes it.
type sandboxInfo struct {
	Name      string     `json:"name"`
	BaseURL   string     `json:"baseUrl"`
	Scenario  string     `json:"scenario"`
	Seed      uint64     `json:"seed"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt"`
}

func TestCreateSandbox(t *testing.T) {
	b := startBank(t, frozenRetail)
	for name, test := range map[string]struct {
		body string
		want sandboxInfo
	}{
		"empty body":        {"", sandboxInfo{Name: "sandbox-1", Scenario: "test", Seed: 7}},
		"all by default":    {"{}", sandboxInfo{Name: "sandbox-1", Scenario: "test", Seed: 7}},
		"null is left out":  {`{"name":null,"seed":null,"ttl":null,"scenario":null}`, sandboxInfo{Name: "sandbox-1", Scenario: "test", Seed: 7}},
		"name":              {`{"name":"0-ci-run-42"}`, sandboxInfo{Name: "0-ci-run-42", Scenario: "test", Seed: 7}},
		"longest name":      {`{"name":"` + strings.Repeat("x", 63) + `"}`, sandboxInfo{Name: strings.Repeat("x", 63), Scenario: "test", Seed: 7}},
		"embedded scenario": {`{"name":"a","scenario":"empty","seed":18446744073709551615}`, sandboxInfo{Name: "a", Scenario: "empty", Seed: 1<<64 - 1}},
		"YAML":              {`{"name":"a","scenarioYaml":"name: mine\nseed: 9\nextends: base\n"}`, sandboxInfo{Name: "a", Scenario: "mine", Seed: 9}},
		"YAML and seed":     {`{"name":"a","scenarioYaml":"extends: base\nseed: 7\n","seed":0}`, sandboxInfo{Name: "a", Scenario: "scenario", Seed: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			b := startBank(t, frozenRetail)
			res := b.call(201, "POST "+sandboxesURL, test.body)
			got := decode[sandboxInfo](t, res)
			assert.Equal(t, sandboxesURL+"/"+test.want.Name, res.Header.Get("Location"))
			assert.WithinRange(t, got.CreatedAt, began, time.Now())
			test.want.CreatedAt, test.want.BaseURL = got.CreatedAt, b.server.ServiceURL()+"/sandboxes/"+test.want.Name
			assert.Equal(t, test.want, got)
			assert.Contains(t, res.body, `"expiresAt":null`)
			assert.Equal(t, res.body, b.call(200, "GET "+res.Header.Get("Location"), "").body)
			assert.Contains(t, b.call(200, "GET "+sandboxesURL, "").body, res.body)
			assert.Equal(t, 200, b.send("GET", got.BaseURL+groupsURL, "", "transactionId: t-1").StatusCode)

			b.call(204, "DELETE "+res.Header.Get("Location"), "")
			b.call(404, "GET "+res.Header.Get("Location"), "")
			assert.Equal(t, 404, b.send("GET", got.BaseURL+groupsURL, "", "transactionId: t-1").StatusCode)
			assert.Equal(t, 1, b.sandboxes.Len())
		})
	}
	bad := b.call(422, "POST "+sandboxesURL, `{"scenarioYaml":"extends: retial\ninstitutions: []\n"}`)
	p := decode[problem](t, bad)
	require.NotEmpty(t, p.Problems)
	assert.Equal(t, "scenario.yaml", p.Problems[0].File)
	assert.Equal(t, []int{1, 10}, []int{p.Problems[0].Line, p.Problems[0].Column})
	assert.Contains(t, p.Problems[0].Message, `did you mean "retail"?`)
}

// Sandboxes from one scenario and seed answer alike; from another seed, otherwise.
func TestSeedDecidesWhatIsDrawn(t *testing.T) {
	b := startBank(t, frozenRetail)
	for _, body := range []string{`{"name":"a","seed":7}`, `{"name":"b","seed":7}`, `{"name":"c","seed":8}`} {
		b.call(201, "POST "+sandboxesURL, body)
	}
	first := createGroup.in("a").send(b).body
	assert.Equal(t, first, createGroup.in("b").send(b).body)
	assert.NotEqual(t, first, createGroup.in("c").send(b).body)
}

func TestSandboxExpires(t *testing.T) {
	b := startBank(t, frozenRetail)
	kept := decode[sandboxInfo](t, b.call(201, "POST "+sandboxesURL, `{"name":"kept","ttl":"1h"}`))
	require.NotNil(t, kept.ExpiresAt)
	assert.Equal(t, time.Hour, kept.ExpiresAt.Sub(kept.CreatedAt))
	b.call(201, "POST "+sandboxesURL, `{"name":"brief","ttl":"20ms"}`)
	require.Eventually(t, func() bool {
		return b.control("GET", sandboxesURL+"/brief", "").StatusCode == 404
	}, 10*time.Second, 5*time.Millisecond)
	b.call(200, "GET "+sandboxesURL+"/kept", "")
	b.call(201, "POST "+sandboxesURL, `{"name":"brief"}`)
}

func TestSandboxesAreLimited(t *testing.T) {
	sc, err := scenario.Load("empty")
	require.NoError(t, err)
	b := serveBank(t, server.Config{
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc, Limit: 3}),
		Log:       slog.New(slog.DiscardHandler),
	})
	b.call(201, "POST "+sandboxesURL, `{"name":"a"}`)
	b.call(201, "POST "+sandboxesURL+"/a/fork", "")
	for _, request := range []string{"POST " + sandboxesURL, "POST " + sandboxesURL + "/a/fork"} {
		p := decode[problem](t, b.call(429, request, ""))
		assert.Contains(t, p.Detail, "delete some, give them a ttl, or raise --max-sandboxes")
	}
	b.call(204, "DELETE "+sandboxesURL+"/a", "")
	b.call(201, "POST "+sandboxesURL, "")
}

// A fork is as the sandbox is now, and goes its own way from there.
func TestFork(t *testing.T) {
	b := startBank(t, frozenRetail)
	createGroup.send(b)
	b.call(200, "POST "+defaultURL+"/clock", `{"advance":"1h"}`)
	state := b.state()
	forked := b.call(201, "POST "+defaultURL+"/fork", `{"name":"f"}`)
	assert.Equal(t, sandboxesURL+"/f", forked.Header.Get("Location"))
	assert.Equal(t, b.server.ServiceURL()+"/sandboxes/f", decode[sandboxInfo](t, forked).BaseURL)
	assert.Equal(t, state, b.call(200, "GET "+sandboxesURL+"/f/state", "").body)
	assert.Equal(t, b.call(200, "GET "+defaultURL+"/clock", "").body, b.call(200, "GET "+sandboxesURL+"/f/clock", "").body)
	assert.Contains(t, b.call(200, "GET "+sandboxesURL+"/f/journal", "").body, `"exchanges":[]`)
	assert.Contains(t, b.call(200, "GET "+sandboxesURL+"/f/diff", "").body, `"changes":[]`)

	next := createGroup.saying(`{"groupName":"Next"}`)
	assert.Equal(t, next.send(b).body, next.in("f").send(b).body, "both draw the same ids")
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Contains(t, b.call(200, "GET "+sandboxesURL+"/f/state", "").body, "Night owls")
	b.call(204, "POST "+sandboxesURL+"/f/reset", "")
	assert.Equal(t, state, b.call(200, "GET "+sandboxesURL+"/f/state", "").body, "a fork goes back to where it was forked")
}

func TestReset(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+defaultURL+"/snapshots", `{"name":"s"}`)
	before := b.observed()
	createGroup.send(b)
	b.call(200, "POST "+defaultURL+"/clock", `{"advance":"1h","run":true}`)
	b.call(200, "PATCH "+patchURL, `{"multistatement":false}`)
	require.NotEqual(t, before, b.observed())
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Equal(t, before, b.observed())
	assert.Contains(t, b.call(200, "GET "+defaultURL+"/journal", "").body, `"exchanges":[]`)
}

func TestScenario(t *testing.T) {
	b := startBank(t, frozenRetail)
	got := b.call(200, "GET "+defaultURL+"/scenario", "")
	assert.Equal(t, "application/yaml", got.Header.Get("Content-Type"))
	assert.Equal(t, strings.TrimSpace(frozenRetail), got.body)
	createGroup.send(b)

	const other = "name: other\nextends: empty\nseed: 9\nclock: {start: 2030-01-01T00:00:00Z, run: false}\n"
	put := decode[sandboxInfo](t, b.call(200, "PUT "+defaultURL+"/scenario", other, "Content-Type: application/yaml"))
	assert.Equal(t, "other", put.Scenario)
	assert.Equal(t, uint64(9), put.Seed, "the new scenario's")
	assert.Equal(t, strings.TrimSpace(other), b.call(200, "GET "+defaultURL+"/scenario", "").body)
	assert.Equal(t, `{"now":"2030-01-01T00:00:00Z","running":false}`, b.call(200, "GET "+defaultURL+"/clock", "").body)
	assert.Contains(t, b.call(200, "GET "+defaultURL+"/journal", "").body, `"exchanges":[]`)
	state := b.state()
	assert.NotContains(t, state, "1001")
	createGroup.send(b)
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Equal(t, state, b.state(), "a reset goes back to the new scenario")

	b.call(201, "POST "+sandboxesURL, `{"name":"seeded","seed":42}`)
	put = decode[sandboxInfo](t, b.call(200, "PUT "+sandboxesURL+"/seeded/scenario", other))
	assert.Equal(t, uint64(42), put.Seed, "a seed that the sandbox was given stays")
}

// What is changed in one sandbox is seen in no other.
func TestControlCallsStayInTheirSandbox(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+sandboxesURL, `{"name":"a"}`)
	b.call(201, "POST "+sandboxesURL+"/a/fork", `{"name":"b"}`)
	const a = sandboxesURL + "/a"
	observe := func() string {
		var all string
		for _, name := range []string{"/default", "/b"} {
			for _, path := range []string{"", "/state", "/clock", "/scenario", "/snapshots", "/diff", "/journal"} {
				all += b.call(200, "GET "+sandboxesURL+name+path, "").body + "\n"
			}
		}
		return all
	}
	before := observe()
	for _, test := range []struct {
		request, body string
		status        int
	}{
		{"PATCH " + a + "/institutions/02688", `{"multistatement":false}`, 200},
		{"PATCH " + a + "/institutions/02688/users/1001", `{"active":false,"disclosureStatus":"NOT_ACCEPTED"}`, 200},
		{"PATCH " + a + "/institutions/02688/users/1001/accounts/acc-1001-checking", `{"activateEstatement":true}`, 200},
		{"POST " + a + "/institutions/02688/tokens", `{"client":"demo-app"}`, 201},
		{"POST " + a + "/snapshots", `{"name":"s"}`, 201},
		{"POST " + a + "/clock", `{"advance":"1h"}`, 200},
		{"POST " + a + "/snapshots/s/restore", "", 204},
		{"DELETE " + a + "/journal", "", 204},
		{"POST " + a + "/reset", "", 204},
		{"PUT " + a + "/scenario", "extends: empty\n", 200},
		{"POST " + a + "/fork", `{"name":"c"}`, 201},
		{"DELETE " + a, "", 204},
	} {
		b.call(test.status, test.request, test.body)
		assert.Equal(t, before, observe(), test.request)
	}
}

func TestMetrics(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+sandboxesURL, "")
	res := b.call(200, "GET /metrics", "")
	assert.True(t, strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain"), res.Header)
	assert.Contains(t, res.body, "\nbanksim_sandboxes 2\n")
	assert.Regexp(t, `banksim_build_info\{goversion="go[^"]*",version="test"\} 1`, res.body)
	assert.Contains(t, res.body, "\ngo_goroutines ")
}

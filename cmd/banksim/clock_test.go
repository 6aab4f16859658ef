package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// clocked is a simulator whose clocks a test looks at.
type clocked struct {
	t                *testing.T
	service, control string
}

// whileServing runs serve with more arguments, and ends it when use returns.
func whileServing(t *testing.T, use func(clocked), args ...string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready.json")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() { ended <- serveWith(ctx, io.Discard, append(args, "--ready-file", ready)...) }()
	service, control := awaitAddresses(t, ready)
	use(clocked{t, service, control})
	stop()
	require.Equal(t, exitFine, <-ended)
}

// call sends a request that must succeed, and decodes its answer.
func (c clocked) call(method, url, body string, into any, headers ...string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, url, strings.NewReader(body))
	require.NoError(c.t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	require.NoError(c.t, res.Body.Close())
	require.Less(c.t, res.StatusCode, 300, "%s %s: %s", method, url, text)
	if into != nil {
		require.NoError(c.t, json.Unmarshal(text, into))
	}
}

// now returns what the clock of a sandbox shows.
func (c clocked) now(sandbox string) time.Time {
	c.t.Helper()
	var clock struct{ Now time.Time }
	c.call("GET", c.control+"/v1/sandboxes/"+sandbox+"/clock", "", &clock)
	return clock.Now
}

// assertStartsAt fails the test unless a clock has just started at a time.
func (c clocked) assertStartsAt(start time.Time, sandbox string) {
	c.t.Helper()
	assert.WithinDuration(c.t, start, c.now(sandbox), time.Minute, sandbox)
}

// create creates a sandbox from YAML, or from the scenario of the simulator.
func (c clocked) create(name, yaml string) {
	c.t.Helper()
	plan := map[string]string{"name": name, "scenarioYaml": yaml}
	if yaml == "" {
		delete(plan, "scenarioYaml")
	}
	body, err := json.Marshal(plan)
	require.NoError(c.t, err)
	c.call("POST", c.control+"/v1/sandboxes", string(body), nil)
}

// An app that checks an id_token by its own clock finds it valid.
func TestIDTokenOfServeIsValidNow(t *testing.T) {
	t.Parallel()
	whileServing(t, func(c clocked) {
		const form = "Content-Type: application/x-www-form-urlencoded"
		const id = "transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11"
		var code struct{ Code string }
		c.call("POST", c.service+"/v1/auth-code", "client_id=partner-app&scopes=accounts%3Aread&username=avery"+
			"&nonce=n-1&institution_user_id=E013E3BD0440D18C8638BBB61BED7FF7", &code,
			"Authorization: Bearer demo-token", "institutionId: 02688", form, id)
		var token struct {
			IDToken string `json:"id_token"`
		}
		c.call("POST", c.service+"/oauth2/v1/token", "grant_type=authorization_code&code="+code.Code, &token,
			"Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte("partner-app:partner-secret")), form, id)
		parts := strings.Split(token.IDToken, ".")
		require.Len(t, parts, 3)
		text, err := base64.RawURLEncoding.DecodeString(parts[1])
		require.NoError(t, err)
		var claims struct{ Iat, Exp int64 }
		require.NoError(t, json.Unmarshal(text, &claims))
		assert.WithinDuration(t, time.Now(), time.Unix(claims.Iat, 0), time.Minute)
		assert.Greater(t, time.Unix(claims.Exp, 0), time.Now())
	})
}

// Without a clock.start in the scenario, clocks of serve start at the real time: at the start, at a reset, in new
// sandboxes and whatever the seed. A stored bank goes on from where its clock was, and a reset takes it to the real
// time.
func TestClockStartsNow(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	whileServing(t, func(c clocked) {
		c.assertStartsAt(time.Now(), "default")
		c.create("mine", "")
		c.assertStartsAt(time.Now(), "mine")
		c.create("fixed", "extends: retail\nclock: {start: 2030-01-01T00:00:00Z}\n")
		c.assertStartsAt(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), "fixed")
		c.call("POST", c.control+"/v1/sandboxes/default/clock", `{"advance": "48h"}`, nil)
	}, "--data", data, "--seed=7")
	whileServing(t, func(c clocked) {
		c.assertStartsAt(time.Now().Add(48*time.Hour), "default")
		c.call("POST", c.control+"/v1/sandboxes/default/reset", "", nil)
		c.assertStartsAt(time.Now(), "default")
	}, "--data", data)
}

// With --clock-start, they start at that time. A scenario with a time, or with now, keeps it.
func TestClockStartsAtAGivenTime(t *testing.T) {
	t.Parallel()
	start := scenario.DefaultStart.Add(time.Hour)
	whileServing(t, func(c clocked) {
		c.assertStartsAt(start, "default")
		c.call("POST", c.control+"/v1/sandboxes/default/clock", `{"advance": "48h"}`, nil)
		c.call("POST", c.control+"/v1/sandboxes/default/reset", "", nil)
		c.assertStartsAt(start, "default")
		c.create("base", "extends: base\n")
		c.assertStartsAt(start, "base")
		c.create("now", "extends: base\nclock: {start: now}\n")
		c.assertStartsAt(time.Now(), "now")
	}, "--clock-start", start.Format(time.RFC3339))
}

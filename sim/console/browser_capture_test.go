package console_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// origins lets pages of this machine read the answers of a bank.
const origins = "behavior: {cors: {origins: [\"http://127.0.0.1:*\"]}}\n"

const realBank = "name: real\n" + origins + `clock: {start: 2026-01-15T09:00:00Z, run: false}
institutions:
  - institutionId: "77001"
    clients: [{sharedKey: real-app, secretKey: real-secret}]
    tokens:
      - {accessToken: real-token, client: real-app}
      - {accessToken: real-access, client: real-app, hostUserId: "7", refreshToken: real-refresh}
    users:
      - hostUserId: "7"
        disclosures: [{institutionDisclosureName: OLS, institutionDisclosureStatus: ACCEPTED}]
        accounts: [{accountId: acc-7, activateEstatement: false}]
      - {hostUserId: "8", accounts: [{accountId: acc-8}]}
      - {hostUserId: "9", active: false}
    groups: [{groupName: Real night owls, groupParticipantCount: 3}, {groupName: Real early birds}]
`

// standIns are what the bank of the capture has in place of the secrets and names of the real one.
var standIns = strings.NewReplacer("real-app", "app-1", "real-secret", "secret-1",
	"real-token", "demo-token-1", "real-access", "demo-token-2", "real-refresh", "demo-token-3",
	"Made by the page", "group-1", "Real early birds", "group-2", "Real night owls", "group-3") // in the same order

// firstCalls are the first calls of the README and what an app does around them, with the credentials of realBank.
var firstCalls = func() []pageCall {
	const bearer = "Bearer real-token"
	preference := func(user, token string) pageCall {
		return pageCall{Method: "PUT", Path: "/v2/e-statements/user/preferences?hostUserId=" + user,
			Body: `{"activateEstatement": true}`, Headers: map[string]string{"Authorization": token,
				"correlationId": "8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11", "Content-Type": "application/json"}}
	}
	groups := func(method, query, body string) pageCall {
		c := pageCall{Method: method, Path: simtest.GroupsPath + query, Body: body,
			Headers: map[string]string{"Authorization": bearer, "transactionId": "first-request"}}
		if body != "" {
			c.Headers["Content-Type"] = "application/json"
		}
		return c
	}
	revoke := pageCall{Method: "DELETE", Path: "/digitalbanking/oauth2/v1/revoke", Headers: map[string]string{
		"institutionId": "77001", "transactionId": "sign-out-1", "Content-Type": "application/json",
	}, User: "real-app", Password: "real-secret", Body: `{"refresh_token": "real-refresh"}`}
	return []pageCall{
		preference("8", bearer), // not accepted
		preference("7", bearer),
		preference("9", bearer), // not active
		preference("no-such-user", bearer),
		preference("7", "Bearer real-access"),
		preference("8", "Bearer real-access"), // another's
		revoke,
		preference("7", "Bearer real-access"), // revoked
		groups("GET", "?size=1&page=0&sort=groupName,asc", ""),
		groups("GET", "?size=1&page=1&sort=groupName,asc", ""),
		groups("POST", "", `{"groupName": "Made by the page"}`),
		groups("POST", "", `{"groupName": "Made by the page"}`), // taken
		groups("GET", "", ""),
	}
}()

// pageCall is a request that a page sends.
type pageCall struct {
	Method, Path, Body, User, Password string
	Headers                            map[string]string
}

// pageAnswer is what the page reads of the answer.
type pageAnswer struct {
	Status int
	Text   string
}

// fetchAll lets the page send calls to a bank, one after the other.
func (tab *browserTab) fetchAll(bank string, calls []pageCall) (answers []pageAnswer) {
	tab.t.Helper()
	tab.Eval(`(async (bank, calls) => {
		const answers = [];
		for (const { Method: method, Path, Headers: headers, Body, User, Password } of calls) {
			if (User) headers.Authorization = "Basic " + btoa(User + ":" + Password);
			const res = await fetch(bank + Path, { method, headers, body: Body || undefined });
			answers.push({ Status: res.status, Text: await res.text() });
		}
		return answers;
	})(`+quote(bank)+", "+simtest.JSON(calls)+")", &answers)
	return answers
}

// recorder notes what the browser sends and gets, as its network tools do.
type recorder struct {
	mu       sync.Mutex
	order    []*recorded
	requests map[network.RequestID]*recorded
	sent     map[network.RequestID]network.Headers // that came before the request they belong to
}

type recorded struct {
	id       network.RequestID
	start    time.Time
	request  *network.Request
	headers  network.Headers // as they were on the wire
	response *network.Response
	done     bool
}

func (r *recorder) notice(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		start := time.UnixMicro(int64(e.WallTime.Float64() * 1e6))
		x := &recorded{id: e.RequestID, start: start, request: e.Request, headers: maps.Clone(e.Request.Headers)}
		maps.Copy(x.headers, r.sent[e.RequestID])
		r.order = append(r.order, x)
		r.requests[e.RequestID] = x
	case *network.EventRequestWillBeSentExtraInfo:
		if x := r.requests[e.RequestID]; x != nil {
			maps.Copy(x.headers, e.Headers)
		} else {
			r.sent[e.RequestID] = e.Headers
		}
	case *network.EventResponseReceived:
		if x := r.requests[e.RequestID]; x != nil {
			x.response = e.Response
		}
	case *network.EventLoadingFinished:
		if x := r.requests[e.RequestID]; x != nil {
			x.done = true
		}
	}
}

// pending returns how many requests are not answered.
func (r *recorder) pending() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.order {
		if !x.done {
			n++
		}
	}
	return n
}

// all returns copies of what was recorded, since the browser can still tell more about the headers.
func (r *recorder) all() (list []recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.order {
		c := *x
		c.headers = maps.Clone(x.headers)
		list = append(list, c)
	}
	return list
}

// har returns what the recorder has seen as an HTTP archive.
func (r *recorder) har(tab *browserTab) string {
	tab.t.Helper()
	type pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	pairs := func(headers network.Headers) (list []pair) {
		for name, value := range headers {
			list = append(list, pair{name, fmt.Sprint(value)})
		}
		return list
	}
	var entries []map[string]any
	for _, x := range r.all() {
		request := map[string]any{"method": x.request.Method, "url": x.request.URL, "headers": pairs(x.headers)}
		if x.request.HasPostData {
			var body []byte
			for _, part := range x.request.PostDataEntries {
				body = append(body, part.Bytes...)
			}
			request["postData"] = map[string]any{"mimeType": "application/json", "text": string(body)}
		}
		content := map[string]any{"mimeType": x.response.MimeType}
		if x.request.Method != http.MethodOptions && x.response.Status != http.StatusNoContent {
			body := call(tab, network.GetResponseBody, network.GetResponseBodyParams{RequestID: x.id}).Body
			content["text"], content["size"] = string(body), len(body)
		}
		entries = append(entries, map[string]any{
			"startedDateTime": x.start.UTC().Format(time.RFC3339Nano),
			"request":         request,
			"response": map[string]any{
				"status":  x.response.Status,
				"headers": pairs(x.response.Headers),
				"content": content,
			},
		})
	}
	return simtest.JSON(map[string]any{"log": map[string]any{"version": "1.2", "entries": entries}})
}

// drawn are the values that a bank draws, times, and base URLs.
var drawn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|` +
	`http://[^/"]+(/sandboxes/again)?`)

// Chromium itself records a session: a page of another origin sends the first calls of the README. The bank behind the
// capture gives a page the same answers.
func TestCaptureOfChromium(t *testing.T) {
	t.Parallel()
	simtest.Night(t, "it needs Chromium")
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>app</title><link rel=icon href='data:,'>"))
	}))
	t.Cleanup(app.Close)
	b := simtest.Start(t, server.Config{Sandboxes: simtest.Registry(t, realBank), Inference: infer.Inference()})
	page := openTab(t, app.URL)
	page.mu.Lock()
	page.allowed = append(page.allowed, b.Server.ServiceURL()+"/")
	page.mu.Unlock()
	for _, status := range []string{"400", "401", "403", "404"} {
		page.Expect(status)
	}
	record := &recorder{requests: map[network.RequestID]*recorded{}, sent: map[network.RequestID]network.Headers{}}
	require.NoError(t, chromedp.Listen(page.ctx, record.notice))
	want := page.fetchAll(b.BaseURL(), firstCalls)
	for i, status := range []int{400, 204, 400, 404, 204, 403, 200, 400, 200, 200, 200, 400, 200} {
		require.Equal(t, status, want[i].Status, "%s %s: %s", firstCalls[i].Method, firstCalls[i].Path, want[i].Text)
	}
	page.until("the end of the recording", func() bool { return record.pending() == 0 })

	res := b.Control(http.StatusOK, "POST /v1/infer?name=again", record.har(page))
	found := simtest.Decode[controlapi.Inferred](t, res)
	assert.Empty(t, found.Unexplained)
	assert.Equal(t, len(firstCalls), found.Agree)
	assert.NotRegexp(t, "(?i)real", found.YAML, "secrets and names stay in the capture")

	b.Control(http.StatusCreated, "POST /v1/sandboxes", simtest.JSON(map[string]string{
		"name": "again", "scenarioYaml": found.YAML,
	}))
	var calls []pageCall
	require.NoError(t, json.Unmarshal([]byte(standIns.Replace(simtest.JSON(firstCalls))), &calls))
	got := page.fetchAll(b.In("again").BaseURL(), calls)
	for i, c := range firstCalls {
		assert.Equal(t, want[i].Status, got[i].Status, "%s %s", c.Method, c.Path)
		text := drawn.ReplaceAllString(standIns.Replace(want[i].Text), "drawn")
		assert.Equal(t, text, drawn.ReplaceAllString(got[i].Text, "drawn"), "%s %s", c.Method, c.Path)
	}
}

package infer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// said is a request and its answer.
type said struct {
	simtest.Call
	status int
	answer string
}

// archive returns what was said as an HTTP archive.
func archive(all []said) []byte {
	type object = map[string]any
	entries := []any{}
	for i, x := range all {
		headers := []object{}
		for name, values := range x.Header {
			headers = append(headers, object{"name": name, "value": values[0]})
		}
		entries = append(entries, object{
			"startedDateTime": start.Add(time.Duration(i) * time.Millisecond),
			"request": object{
				"method": x.Method, "url": "https://bank.example/api" + x.Path, "headers": headers,
				"postData": object{"mimeType": x.Header.Get("Content-Type"), "text": x.Body},
			},
			"response": object{
				"status":  x.status,
				"headers": []object{{"name": "Content-Type", "value": "application/json"}},
				"content": object{"text": x.answer},
			},
		})
	}
	text, _ := json.Marshal(object{"log": object{"entries": entries}}) // it has texts, numbers and a time
	return text
}

var start = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// record sends calls to a bank that begins as a scenario says.
func record(t testing.TB, yaml string, calls ...simtest.Call) (all []said) {
	t.Helper()
	sc, err := scenario.Parse("recorded.yaml", []byte(yaml))
	require.NoError(t, err)
	bank := infer.OpenBank(sc)
	defer bank.Close()
	for _, c := range calls {
		all = append(all, ask(t, bank, c))
	}
	return all
}

// ask sends a call to a bank, and returns what was said.
func ask(t require.TestingT, bank infer.Bank, c simtest.Call) said {
	r, err := http.NewRequest(c.Method, "https://bank.example"+c.Path, strings.NewReader(c.Body))
	require.NoError(t, err)
	r.Header = c.Header
	status, body := bank.Ask(start, r)
	return said{c, status, string(body)}
}

func find(t testing.TB, capture []byte, stubs bool) infer.Result {
	t.Helper()
	found, err := infer.Infer(t.Context(), capture, infer.Options{Name: "found", Stubs: stubs})
	require.NoError(t, err)
	_, err = scenario.Parse("found.yaml", []byte(found.YAML))
	require.NoError(t, err, found.YAML)
	return found
}

// small is a scenario with a row of each kind.
const small = `
name: small
extends: base
seed: 7
clock: {start: 2026-01-15T09:00:00Z, run: false}
institutions:
  - institutionId: "02688"
    groups:
      - groupName: Early adopters
        groupParticipantCount: 3
        jobs: [{type: ADD, inputFileName: a.csv}]
      - {groupName: Night owls}
    users:
      - hostUserId: "1001"
        alertPreferences:
          - alertPreferenceDetails: {alertTypeName: LOW_BALANCE, channelTypeName: SMS}
            alertOpted: true
`

const frozen = "name: recorded\nextends: retail\nseed: 7\nclock: {start: 2026-01-15T09:00:00Z, run: false}\n"

// reads are calls that change nothing.
var reads = []simtest.Call{
	simtest.GetDisclosures,
	simtest.Calls["groups.list"].WithQuery("size=3"),
	simtest.Calls["jobs.list"],
	simtest.Calls["users.getStatus"],
	simtest.Calls["alerts.listPreferences"],
	simtest.Calls["disclosures.listUser"],
}

// isExplained matches members that may differ from answer to answer.
var isExplained = regexp.MustCompile(`DateTime$|^workingFileName$|^institutionUserDisclosureId$|^href$`)

// A capture that has two answers to the same request has no bank: one of the two is named.
func TestContradictionsAreNamed(t *testing.T) {
	t.Parallel()
	all := record(t, small, reads...)
	require.Empty(t, find(t, archive(all), false).Unexplained)
	planted := 0
	for i, x := range all {
		var answer any
		require.NoError(t, json.Unmarshal([]byte(x.answer), &answer))
		eachAltered(answer, func(name string) {
			if isExplained.MatchString(name) {
				return
			}
			if planted++; planted%simtest.Times(18, 1) != 0 {
				return
			}
			changed, err := json.Marshal(answer)
			require.NoError(t, err)
			again := x
			again.answer = string(changed)
			unexplained := find(t, archive(append(slices.Clone(all), again)), false).Unexplained
			assert.True(t, slices.ContainsFunc(unexplained, func(d controlapi.Unexplained) bool {
				return d.Exchange == i+1 || d.Exchange == len(all)+1
			}), "%s of %s: %v", name, x.Path, unexplained)
		})
	}
	assert.Greater(t, planted, 30)
}

// eachAltered calls fn with the name of each text, number and boolean in a JSON value, while it has another value.
func eachAltered(value any, fn func(name string)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			eachAltered(element, fn)
		}
	case map[string]any:
		for name, member := range value {
			switch own := member.(type) {
			case string:
				value[name] = own + "9"
			case float64:
				value[name] = own + 1
			case bool:
				value[name] = !own
			default:
				eachAltered(member, fn)
				continue
			}
			fn(name)
			value[name] = member
		}
	}
}

// Neither the bank nor what is said of it has a secret, a login, a group's name or a card's number of the capture.
func TestSecretsStayInTheCapture(t *testing.T) {
	t.Parallel()
	card := `{"alertOpted":true,"alertPreferenceAccountDetails":{"cardNumber":"4111111111111111"},` +
		`"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"SMS","externalId":"mary@real.example"}}`
	all := record(t, frozen, append(slices.Clone(reads),
		simtest.Calls["tokens.issue"], simtest.Calls["tokens.revoke"], simtest.Calls["groups.create"],
		simtest.Calls["alerts.createPreference"].WithBody(card), simtest.Calls["disclosures.listUser"].
			At("/digitalbanking/db-disclosures/v1/institution-user-disclosures?loginId=avery"))...)
	all = append(all, said{simtest.NewCall("GET", "/v1/tokens/demo-refresh", ""), 200, ""})
	found := find(t, archive(all), true)
	said, err := json.Marshal(found)
	require.NoError(t, err)
	for _, secret := range []string{
		"demo-secret", "demo-app", "demo-refresh", "avery", "411111", "mary@real.example", "Early adopters",
		"password=demo",
	} {
		assert.NotContains(t, found.YAML+string(said), secret)
	}
	assert.Contains(t, strings.Join(found.Unmasked, " "), "hostUserId")
}

// Archives as a browser and as a proxy write them have the bank that the requests show.
func TestArchivesOfRecorders(t *testing.T) {
	t.Parallel()
	for _, recorder := range []string{"browser", "proxy"} {
		capture, err := os.ReadFile("testdata/" + recorder + ".har")
		require.NoError(t, err)
		found := find(t, capture, true)
		assert.Empty(t, found.Unexplained)
		want, err := os.ReadFile("testdata/" + recorder + ".yaml")
		require.NoError(t, err)
		assert.Equal(t, string(want), found.YAML)
	}
}

// A search ends with its context, also while it learns from many rows.
func TestSearchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var all []said
	for i := range 300 {
		path := fmt.Sprintf("/digitalbanking/ux-users/v1/e-statements/acc-%d/disclosures?hostUserId=%d", i, i)
		all = append(all, said{simtest.GetDisclosures.At(path), 200, `{"institutionUserDisclosures":[]}`})
	}
	ctx, cancel := context.WithCancel(t.Context())
	tried := 0
	_, err := infer.Infer(ctx, archive(all), infer.Options{Name: "found", Progress: func(int, int) {
		tried++
		cancel()
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, tried)
}

// What several exchanges show together is found, and an answer that another one contradicts teaches nothing.
func TestExchangesTogether(t *testing.T) {
	t.Parallel()
	alerts, disclosures := simtest.Calls["alerts.listPreferences"], simtest.GetDisclosures
	const clients = "institutions:\n  - institutionId: \"02688\"\n    clients: [{sharedKey: demo-app, scopes: " +
		"['alertPref:read', 'disclosures:read', 'groups:read']}]\n    tokens:\n      - "
	scoped := record(t, frozen+clients+"{accessToken: demo-token, client: demo-app, scopes: ['alertPref:read']}\n",
		disclosures, alerts)
	require.Equal(t, 403, scoped[0].status, scoped[0].answer)

	read, remove := simtest.Calls["disclosures.listUser"], simtest.Calls["disclosures.deleteUser"]
	narrow := record(t, frozen+clients+"{accessToken: demo-token, client: demo-app, scopes: ['disclosures:read']}\n",
		read, remove, read) // accounts:read would do for both

	lasting := record(t, frozen+"behavior: {tokens: {accessLifetime: 5m}}\n"+
		"institutions: [{institutionId: \"02688\", tokens: [{accessToken: demo-token, client: demo-app, expiresIn: 24h}]}]\n",
		disclosures, simtest.Calls["tokens.issue"], disclosures)

	busy := record(t, frozen, simtest.ListGroups.With("Authorization", "Bearer demo-token"), disclosures)
	busy[0].status, busy[0].answer = 401, `{"code":"2003","message":"busy"}`

	for name, test := range map[string]struct {
		all  []said
		yaml string
	}{
		"scopes":            {scoped, "scopes: ['accounts:read'"},
		"one of two scopes": {narrow, "scopes: ['alertMgmt:read'"},
		"a lasting token":   {lasting, "expiresIn: 8760h"},
		"a lifetime less 1 second": {record(t, frozen+"behavior: {dialect: public, tokens: {accessLifetime: 15m}}\n",
			simtest.ExampleOf(contract.Public().Operation("tokens.issue"))), "accessLifetime: 15m0s"},
		"a 401 before an answer": {busy, "accessToken: demo-token-1, client: "},
		"a login without a password": {record(t, frozen, simtest.Calls["users.getStatus"].At(
			"/digitalbanking/db-users/v1/user-status/avery?userIdType=LOGIN_ID")), "password: secret-of-"},
		"two switches": {record(t, frozen+"behavior: {groups: {createStatus: 201, experience: omit}}\n",
			simtest.Calls["groups.create"]), "createStatus: 201"},
	} {
		for _, later := range []string{"09:06:00Z", `09:00:00.002Z","_virtualTime":"2026-01-15T09:06:00Z`} {
			text := strings.Replace(string(archive(test.all)), "09:00:00.002Z", later, 1) // the third exchange
			found := find(t, []byte(text), false)
			assert.Empty(t, found.Unexplained, "%s\n%s", name, found.YAML)
			assert.Contains(t, found.YAML, test.yaml, name)
			assert.NotContains(t, found.YAML, "expiresAt", name)
		}
	}
}

// Requests to other paths become stubs, each with its own answer.
func TestStubs(t *testing.T) {
	t.Parallel()
	get := func(path, answer string) said { return said{simtest.NewCall("GET", path, ""), 200, answer} }
	found := find(t, archive([]said{
		get("/v1/accounts/7", `{"id":7}`), get("/v1/accounts/8", `{"id":8}`), get("/v1/rates", `{"usd":"1.1 {x}"}`),
		{simtest.NewCall("DELETE", "/v1/rates", ""), 204, ""},
		{simtest.NewCall("GET", "/v1/accounts/9", ""), 404, ""},
		get("/v1/"+strings.Repeat("x", 2000), `{"name":"demo-secret"}`), // it may be a token
		get("/v1"+strings.Repeat("/x", 33), ""),                         // longer than the path of a rule
		record(t, frozen, simtest.Calls["tokens.issue"])[0],
	}), true)
	assert.Equal(t, 6, found.Stubs)
	assert.NotContains(t, found.YAML, "demo-secret")
	assert.NotContains(t, found.YAML, "xxx")
	bank := openFound(t, found.YAML)
	for path, want := range map[string]string{
		"/api/v1/accounts/7": `{"id":7}`, "/api/v1/accounts/9": "",
		"/api/v1/rates": `{"usd":"1.1 {x}"}`, "/api/v1/another": `{"name":"secret-1"}`,
	} {
		assert.Equal(t, want, bank(path), path)
	}
}

// What can't be a capture is refused, with what to do.
func TestRefusedCaptures(t *testing.T) {
	t.Parallel()
	bare := record(t, frozen, simtest.GetDisclosures)
	bare[0].Call = bare[0].Without("authorization")
	for name, test := range map[string]struct {
		capture []byte
		message string
	}{
		"no JSON": {[]byte("GET /"), "no HTTP archive"},
		"empty":   {[]byte("{}"), "no exchanges"},
		"cut": {[]byte(`{"log":{"entries":[{"request":{"method":"GET","url":"/v3/groups"},"response":{"status":200,` +
			`"content":{"size":90,"text":"{"}}}]}}`), "exchange 1 was left out: the capture has only the beginning of a body"},
		"other": {archive([]said{{simtest.NewCall("GET", "/v1/rates", ""), 200, ""}}),
			"none of the 1 exchange"},
		"no credentials": {archive(bare), "sensitive data"},
		"too many": {[]byte(`{"log":{"entries":[{}` + strings.Repeat(",{}", 10_000) + `]}}`),
			"the capture has more than 10000 exchanges: record a shorter session"},
		"headers": {[]byte(`{"log":{"entries":[{"request":{"headers":[{}` + strings.Repeat(",{}", 100) + `]}}]}}`),
			"exchange 1 was left out: it has more than 100 headers or parameters"},
		"secret URL": {[]byte(`{"log":{"entries":[{"request":{"url":"https://me:p%ss@h/\u001b?access_token=t0p"}}]}}`),
			"exchange 1 was left out: its URL can't be read"},
		"large": {archive([]said{{simtest.GetDisclosures, 200, strings.Repeat(" ", 1<<20+1)}}),
			"a body has more than 1 MiB"},
		"more":  {[]byte(`{"log":{"entries":[{}]}} {}`), "another value follows it"},
		"early": {[]byte(`{"log":{"entries":[{}`), "it ends early"},
		"type":  {[]byte(`{"log":{"entries":[{},{"request":1}]}}`), "exchange 1 was left out: it has no answer"},
		"array": {[]byte(`{"log":[]}`), "it has another value where an archive has {, at byte 8"},
	} {
		_, err := infer.Infer(t.Context(), test.capture, infer.Options{Name: "found"})
		assert.ErrorContains(t, err, test.message, name)
	}
}

// A capture of twice the size takes about twice the memory, whatever in it is large.
func TestMemoryIsLinear(t *testing.T) { // not parallel: it counts what the whole process allocates
	for name, test := range map[string]struct {
		n     int
		large func(n int) []said
	}{
		"exchanges": {500, func(n int) []said {
			return slices.Repeat([]said{{simtest.NewCall("GET", "/v1/rates", ""), 200, "{}"}}, n)
		}},
		"segments": {200, func(n int) []said {
			return []said{{simtest.NewCall("GET", strings.Repeat("/1", n), ""), 200, "{}"}}
		}},
		"members below a long name": {2000, func(n int) []said {
			members := strings.Repeat(`"a":1,`, n)
			for i := range n {
				members += fmt.Sprintf(`"m%d":1,`, i)
			}
			answer := `{"` + strings.Repeat("n", 4*n) + `":{` + strings.TrimSuffix(members, ",") + `}}`
			return []said{{simtest.GetDisclosures, 200, answer}}
		}},
		"disclosures of a user": {200, func(n int) []said {
			rows := strings.Repeat(`{"institutionDisclosureName":"OLS"},`, n)
			answer := `{"institutionUserDisclosures":[` + strings.TrimSuffix(rows, ",") + `]}`
			return []said{{simtest.Calls["disclosures.listUser"], 200, answer}}
		}},
	} {
		allocated := func(n int) float64 {
			capture := archive(test.large(n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := infer.Infer(t.Context(), capture, infer.Options{Name: "found", Stubs: true})
			runtime.ReadMemStats(&after)
			require.NoError(t, err, name)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		allocated(1) // what is made once
		assert.Less(t, allocated(2*test.n)/allocated(test.n), 2.5, name)
	}
}

// Answers to the same request come one after the other, and by the parameters that tell them apart. Bytes stay as they
// are. Other hosts have stubs only if they are named.
func TestStubsOfACapture(t *testing.T) {
	t.Parallel()
	capture, err := os.ReadFile("../../fixtures/captures/stubs.har")
	require.NoError(t, err)
	found, err := infer.Infer(t.Context(), capture, infer.Options{Name: "stubs", Stubs: true})
	require.NoError(t, err)
	assert.Equal(t, []string{`no stubs for "cdn.example", which is another host than the service's: 1 request`}, found.Notes)
	bank := openFound(t, found.YAML)
	for _, call := range []struct{ path, answer string }{
		{"/v1/list?page=2&_=77", `{"page":2}`}, {"/v1/list?page=1", `{"page":1}`},
		{"/v1/poll", `{"state":"new"}`}, {"/v1/poll", `{"state":"done"}`}, {"/v1/poll", `{"state":"done"}`},
		{"/v1/statement", "%PDF-\xff\xfe\x00\x01"},
	} {
		assert.Equal(t, call.answer, bank(call.path), call.path)
	}
	named, err := infer.Infer(t.Context(), capture,
		infer.Options{Name: "stubs", Stubs: true, Hosts: []string{"cdn.example"}})
	require.NoError(t, err)
	assert.Equal(t, "let a", openFound(t, named.YAML)("/app.js"))
}

// A 429 or a 503 becomes a fault. Switched on, it answers the same request as in the capture.
func TestFaultsOfACapture(t *testing.T) {
	t.Parallel()
	capture, err := os.ReadFile("../../fixtures/captures/busy.har")
	require.NoError(t, err)
	found := find(t, capture, false)
	assert.Equal(t, 2, found.Faults)
	bank := openFound(t, strings.ReplaceAll(found.YAML, `"off": true`, `"off": false`))
	headers := []string{"Authorization: Bearer demo-token-1", "Correlationid: c-1"}
	path := "/digitalbanking/ux-users/v1/e-statements/acc-1001/disclosures?hostUserId=1001"
	assert.NotContains(t, bank(path, headers...), "429")
	assert.Contains(t, bank(path, headers...), "429")
	assert.NotContains(t, bank(path, headers...), "429")
}

// openFound opens a bank that was found. The function asks it by a request with "Name: value" headers.
func openFound(t *testing.T, yaml string) func(path string, headers ...string) string {
	t.Helper()
	sc, err := scenario.Parse("found.yaml", []byte(yaml))
	require.NoError(t, err, yaml)
	bank := infer.OpenBank(sc)
	t.Cleanup(bank.Close)
	return func(path string, headers ...string) string {
		return ask(t, bank, simtest.NewCall(http.MethodGet, path, "", headers...)).answer
	}
}

// An odd entry doesn't stop the others, and nothing of it that may be a secret is told.
func TestOddEntriesDoNotStopTheOthers(t *testing.T) {
	t.Parallel()
	good := said{simtest.GetDisclosures, 200, `{"institutionUserDisclosures":[]}`}
	odd := func(status int, answer string) said { return said{simtest.GetDisclosures, status, answer} }
	many := []said{}
	for i := range 600 {
		many = append(many, said{simtest.NewCall("GET", fmt.Sprintf("/poll?17%08d", i), ""), 200, fmt.Sprint(i % 2)})
	}
	large := []said{}
	for i := range 7 {
		path := fmt.Sprintf("/1/2/3/4/5/%d", i)
		large = append(large, said{simtest.NewCall("GET", path, ""), 200, strings.Repeat("1,2\n", 20_000)})
	}
	for name, all := range map[string][]said{
		"code of another service": {odd(503, `{"code":"SECRET_CODE"}`)},
		"institution of 60 digits": {
			{simtest.GetDisclosures.With("institutionId", strings.Repeat("9", 60)), 400, `{"code":"SECRET"}`},
		},
		"institution in words":   {odd(400, `{"institutionId":"SECRET x"}`)},
		"unknown member":         {odd(200, `{"sessionToken":"eyJSECRET","name":"Jane SECRET"}`)},
		"text in place of JSON":  {odd(200, `"SECRET"`)},
		"address in a path":      {{simtest.NewCall("GET", "/reset/secret@corp.example", ""), 0, ""}},
		"many stubs":             many,
		"large stubs":            large,
		"faults beyond the room": slices.Repeat([]said{odd(503, "")}, 1200),
	} {
		found, err := infer.Infer(t.Context(), archive(append([]said{good}, all...)), infer.Options{Stubs: true})
		if !assert.NoError(t, err, name) {
			continue
		}
		assert.Positive(t, found.Agree, name)
		found.YAML = ""
		assert.NotContains(t, strings.ToUpper(simtest.JSON(found)), "SECRET", name)
	}
}

// A file of a body is read only if its name is a digest, and only as far as there is room.
func TestFilesOfBodies(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("0a", 20) + ".json"
	files := fstest.MapFS{
		digest: {Data: []byte(`{"institutionUserDisclosures":[]}`)}, ".env": {Data: []byte("SECRET")},
		strings.Repeat("0b", 20): {Mode: fs.ModeNamedPipe},
	}
	for name, left := range map[string]int{digest: 0, ".env": 1, "../" + digest: 1, strings.Repeat("0b", 20): 1} {
		file := said{simtest.GetDisclosures, 200, "FILE"}
		text := string(archive([]said{{simtest.GetDisclosures, 200, string(files[digest].Data)}, file, file}))
		text = strings.ReplaceAll(text, `"text":"FILE"`, `"_file":`+simtest.JSON(name))
		found, err := infer.Infer(t.Context(), []byte(text), infer.Options{Files: files})
		require.NoError(t, err, name)
		assert.Len(t, found.LeftOut, 2*left, name)
		room := int64(len(text) + len(files[digest].Data)) // for the file once
		found, err = infer.Infer(t.Context(), []byte(text), infer.Options{Files: files, MaxBytes: room})
		require.NoError(t, err, name)
		assert.Len(t, found.LeftOut, 1+left, name)
	}
}

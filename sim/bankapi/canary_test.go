package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// canaries are secrets, one for each place of a request that may hold one, and the surfaces that must show none of them.
type canaries struct {
	t        *testing.T
	bank     *simtest.Bank     // that all requests go to
	places   map[string]string // where each was put, by its text in clear or encoded
	sent     int
	surfaces map[string]string // texts, by name
	given    map[string]bool   // the surfaces that may show what the present scenario gave
}

// canaryMark begins every canary.
const canaryMark = "Cnry"

// canary returns a new secret for a place.
func (a *canaries) canary(place string) string {
	c := fmt.Sprintf("%s%04dz", canaryMark, len(a.places))
	a.places[c] = place
	return c
}

// basic returns Basic credentials in which a canary is one part.
func (a *canaries) basic(place, before, after string) string {
	text := base64.StdEncoding.EncodeToString([]byte(before + a.canary(place) + after))
	a.places[text] = place + ", encoded"
	return "Basic " + text
}

// secret adds a secret that the simulator has drawn or was given.
func (a *canaries) secret(place, text string) string {
	require.Greater(a.t, len(text), 8, "too short to be looked for: %s", place)
	a.places[text] = place
	return text
}

// send sends a request to the service. The text of a refusal is a surface.
func (a *canaries) send(r simtest.Call) simtest.Answer {
	a.t.Helper()
	res := r.Send(a.bank)
	a.sent++
	if res.StatusCode >= 400 {
		a.surfaces["error texts"] += res.Body + fmt.Sprint(res.Header) + "\n"
	}
	return res
}

// order sends a control call. The text of a refusal is a surface.
func (a *canaries) order(method, path, body string, headers ...string) simtest.Answer {
	a.t.Helper()
	res := a.bank.TryControl(method+" "+path, body, headers...)
	a.sent++
	if res.StatusCode >= 400 {
		a.surfaces["error texts of the control API"] += res.Body + fmt.Sprint(res.Header) + "\n"
	}
	return res
}

// read reads surfaces from the control API.
func (a *canaries) read(paths ...string) {
	a.t.Helper()
	for _, path := range paths {
		a.surfaces[path] += a.bank.Control(200, "GET "+path, "").Body
	}
}

// The secrets of the scenario that the sandbox has in the end.
const presentScenario = "replaced"

var presentSecrets = []string{"secretKey", "password", "accessToken", "refreshToken"}

// textOf returns the secret of a place.
func (a *canaries) textOf(place string) string {
	for text, of := range a.places {
		if of == place {
			return text
		}
	}
	a.t.Fatalf("no secret of %s", place)
	return ""
}

// readGiven reads surfaces that show what the present scenario gave, and nothing else.
func (a *canaries) readGiven(paths ...string) {
	a.t.Helper()
	for _, path := range paths {
		a.given[path] = true
	}
	a.read(paths...)
}

// search fails for every canary on a surface.
func (a *canaries) search() {
	for surface := range a.given {
		for _, part := range presentSecrets {
			if place := presentScenario + " " + part; strings.HasPrefix(surface, a.bank.ControlPath()+"/users") && part == "refreshToken" {
				continue
			} else if !strings.Contains(a.surfaces[surface], a.textOf(place)) {
				assert.Fail(a.t, "a secret that the scenario gave is missing", "%s: %s", surface, place)
			}
		}
	}
	for surface, text := range a.surfaces {
		inClear := strings.Contains(text, canaryMark) // seldom, so that few texts are searched for each canary
		for canary, place := range a.places {
			if strings.HasPrefix(canary, canaryMark) && !inClear || a.given[surface] && strings.HasPrefix(place, presentScenario+" ") {
				continue
			}
			if at := strings.Index(text, canary); at >= 0 {
				assert.Fail(a.t, "a secret shows", "%s: %s\n…%s…", surface, place, text[max(0, at-120):min(len(text), at+80)])
			}
		}
	}
}

// A secret of a request, of a scenario or drawn by the simulator shows nowhere but in the answer to its owner.
func TestCanary(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	var log simtest.Log
	a := &canaries{t: t, places: map[string]string{}, surfaces: map[string]string{}, given: map[string]bool{},
		bank: simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})}
	a.scenarios()
	calls := maps.Clone(simtest.Calls)
	calls["no path"], calls["no method"] = listGroups.At("/digitalbanking/nothing"), listGroups.WithMethod(http.MethodPatch)
	for _, name := range simtest.Sample(slices.Sorted(maps.Keys(calls))) {
		call := calls[name]
		a.credentials(name, call)
		a.headersAndQueries(name, call)
		a.bodies(name, call)
	}
	public := publicCalls()
	for _, name := range simtest.Sample(slices.Sorted(maps.Keys(public))) {
		call := public[name]
		a.credentials(name, call)
		a.headersAndQueries(name, call)
		a.members(name, call)
	}
	a.successes()
	a.publicTokens()
	a.controlCalls()

	cage := a.bank.ControlPath()
	a.read("/metrics", "/v1/info", "/v1/sandboxes", cage, cage+"/state", cage+"/diff", cage+"/snapshots", cage+"/diff?since=start", cage+"/journal?limit=1000",
		cage+"/journal?after=0&limit=1000", cage+"/journal.har")
	a.readGiven(cage+"/state?format=scenario", cage+"/users", cage+"/scenario", cage+"/scenario?resolved=true")
	a.entriesAndStream()
	a.nearMisses()
	a.surfaces["log"] = log.String()
	a.search()
	t.Logf("%d requests with %d canaries, %d surfaces", a.sent, len(a.places), len(a.surfaces))
}

// scenarios creates the sandbox from a scenario full of secrets, after wrong ones.
func (a *canaries) scenarios() {
	yaml := func(name string) string {
		return fmt.Sprintf("name: cage\nextends: retail\nclock: {run: false}\nbehavior: {faultHeader: true, tokens: {unknownToken: error}}\ninstitutions:\n- institutionId: '02688'\n"+
			"  clients: [{sharedKey: bird-app, secretKey: %s}]\n"+
			"  users: [{hostUserId: '1001', username: avery, password: %s}]\n"+
			"  tokens: [{accessToken: %s, client: bird-app, refreshToken: %s}]\n",
			a.canary(name+" secretKey"), a.canary(name+" password"), a.canary(name+" accessToken"), a.canary(name+" refreshToken"))
	}
	create := func(source string) simtest.Answer {
		return a.order(http.MethodPost, "/v1/sandboxes", simtest.JSON(map[string]string{"name": "cage", "scenarioYaml": source}))
	}
	for _, wrong := range []string{
		yaml("unknown member") + "  pasword: " + a.canary("misspelt password"),
		yaml("syntax") + "  - {",
		yaml("tab") + "\t- " + a.canary("after a tab"),
		"institutions:\n- institutionId: '02688'\n  clients: [{sharedKey: a, secretKey: [" + a.canary("secretKey in a list") + "]}]\n",
		"institutions:\n- institutionId: '02688'\n  clients: [{sharedKey: a, secretKey: {" + a.canary("secretKey as a member") + ": 1}}]\n",
		"institutions:\n- institutionId: '02688'\n  tokens: [{accessToken: '" + a.canary("accessToken with a space") + " x', client: a}]\n",
		"institutions:\n- institutionId: '02688'\n  tokens: [{accessToken: &t " + a.canary("accessToken given twice") + ", client: a}, {accessToken: *t, client: a}]\n",
		"institutions:\n- institutionId: '02688'\n  users: [{hostUserId: '1', password: !!binary " + a.canary("tagged password") + "}]\n",
		"institutions:\n- institutionId: '02688'\n  users: [{hostUserId: '1', password: !!int " + a.canary("password tagged as a number") + "}]\n",
		"institutions:\n- institutionId: '02688'\n  users: [{hostUserId: '1', password: \"" + a.canary("password without an end") + "}]\n",
		a.canary("a scenario that is a word"),
	} {
		assert.Equal(a.t, 422, create(wrong).StatusCode, wrong)
		examined := a.order(http.MethodPost, "/v1/scenarios/validate?resolved=true", wrong)
		require.Equal(a.t, 200, examined.StatusCode)
		a.surfaces["validation"] += examined.Body
	}
	require.Equal(a.t, 201, create(yaml("created")).StatusCode)
	a.bank = a.bank.In("cage")
	put := a.order(http.MethodPut, a.bank.ControlPath()+"/scenario", yaml(presentScenario))
	require.Equal(a.t, 200, put.StatusCode, put.Body)
	assert.Equal(a.t, 422, a.order(http.MethodPut, a.bank.ControlPath()+"/scenario", yaml("refused")+"  users: 7\n").StatusCode)
}

// credentials sends every form of Authorization, right and wrong.
func (a *canaries) credentials(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", Authorization " + what) }
	basic := func(what, before, after string) string { return a.basic(name+", Basic "+what, before, after) }
	for _, value := range []string{
		"Bearer " + c("bearer"), "bearer " + c("lower case"), c("bare"), `Digest username="x", response="` + c("digest") + `"`,
		"Token " + c("unknown scheme"), "Bearer" + c("no space"), "Bearer:" + c("colon"), "Bearer  " + c("two spaces"), "Bearer\t" + c("tab"),
		"Bearer " + c("two tokens") + " " + c("the second of two"), "Bearer x, Bearer " + c("list"), c("reversed") + " Bearer",
		basic("secret key", "demo-app:", ""), basic("shared key", "", ":demo-secret"), basic("without a colon", "", ""), "Basic demo-app:" + c("not encoded"),
	} {
		a.send(call.With("authorization", value))
	}
	twice := call.With("authorization", "Bearer "+c("given twice"))
	a.send(twice.Adding("authorization", "Bearer "+c("the second given")))
}

func (a *canaries) headersAndQueries(name string, call simtest.Call) {
	for _, header := range []string{"Cookie", "cookie", "Proxy-Authorization"} {
		a.send(call.With(header, "session="+a.canary(name+", header "+header)))
	}
	c := func(what string) string { return a.canary(name + ", query " + what) }
	for _, query := range []string{
		"access_token=" + c("access_token"), "page=1;token=" + c("semicolon"), "%70assword=" + c("escaped name"), "Password=" + c("upper case"),
		"page=1&password=" + c("after another"), "password==" + c("two equals signs"), "password=%zz" + c("bad escape"),
	} {
		a.send(call.WithQuery(query))
	}
}

// bodies sends every form of body, right and wrong, even to an operation without a body.
func (a *canaries) bodies(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", body " + what) }
	named := strings.ReplaceAll(simtest.Multipart("ADD", "x"), `name="type"`, `name="password"`)
	a.send(call.WithBody(strings.ReplaceAll(named, "ADD", c("a part"))).With("content-type", simtest.MultipartType))
	for _, body := range []string{
		fmt.Sprintf(`{"grant_type":"password","username":"avery","password":%q}`, c("password")),
		fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, c("refresh_token")),
		fmt.Sprintf(`{"token":%q,"clientSecret":%q,"groupName":"x","PASSWORD":%q}`, c("token"), c("clientSecret"), c("upper case")),
		fmt.Sprintf(`{"unknown":[{"deep":{"pass\u0077ord":%q,"token":[{"x":%q}]}}]}`, c("escaped name"), c("in a list")),
		fmt.Sprintf(`{"groupName":{"password":%q}}`, c("in a mistyped member")),
		fmt.Sprintf(`{"alertPreferenceAccountDetails":{"cardNumber":%q},"additionalInfo":{"password":%q}}`, c("cardNumber"), c("in additionalInfo")),
		fmt.Sprintf(`{"password":%q,"password":%q}`, c("twice"), c("the second")),
		fmt.Sprintf(`{"password":%q`, c("cut off")),
		fmt.Sprintf(`{"password":%q}{"x":1}`, c("trailing data")),
		fmt.Sprintf(`{"password":%q,}`, c("trailing comma")),
		fmt.Sprintf("{\"x\":\"\xff\",\"password\":%q}", c("invalid UTF-8")),
		fmt.Sprintf(`{'password': '%s'}`, c("single quotes")), fmt.Sprintf(`{"password" %q}`, c("without a colon")), fmt.Sprintf("{\"password\":\r\n  %q,", c("on the next line")),
		fmt.Sprintf(`{"password": %s}`, c("without quotes")),
		"password=" + c("a form that says it is JSON"),
		"<password>" + c("XML") + "</password>",
		`{"password":"` + c("too large") + strings.Repeat("x", 1<<20) + `"}`,
	} {
		a.send(call.WithBody(body).With("content-type", "application/json"))
		a.send(call.WithBody(body).With("content-type", "text/plain"))
		a.send(call.WithBody(body).Without("content-type"))
	}
	for _, form := range []string{
		"grant_type=password&username=avery&password=" + c("form"), "refresh_token=" + c("form refresh_token"), "token=" + c("form token"),
		"password=" + c("form twice") + "&password=" + c("form second"),
		"password=" + c("form malformed") + "&%zz", "%70assword=" + c("form escaped"), "username=x;password=" + c("form semicolon"),
	} {
		a.send(call.WithForm(form))
	}
}

// successes sends requests that are accepted, with the right secrets, and adds the secrets that are drawn.
func (a *canaries) successes() {
	secrets := map[string]string{}
	for text, place := range a.places {
		secrets[place] = text
	}
	keys := "Basic " + base64.StdEncoding.EncodeToString([]byte("bird-app:"+secrets[presentScenario+" secretKey"]))
	a.places[strings.TrimPrefix(keys, "Basic ")] = "right client keys, encoded"
	login := issueTokens.With("authorization", keys).WithBody(fmt.Sprintf(`{"grant_type":"password","username":"avery","password":%q}`, secrets[presentScenario+" password"]))
	res := a.send(login)
	require.Equal(a.t, 200, res.StatusCode, res.Body)
	first := simtest.Decode[simtest.Tokens](a.t, res)
	refreshed := simtest.Decode[simtest.Tokens](a.t, a.send(login.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, a.secret("simtest.Tokens refresh token", first.RefreshToken)))))
	require.Equal(a.t, 200, a.send(getDisclosures.With("authorization", "Bearer "+a.secret("simtest.Tokens access token", first.AccessToken))).StatusCode)
	revoke := revokeTokens.With("authorization", keys)
	res = a.send(revoke.WithBody(fmt.Sprintf(`{"token":%q}`, a.secret("renewed access token", refreshed.AccessToken))))
	require.Equal(a.t, 200, res.StatusCode, res.Body)
	res = a.send(revoke.WithBody(fmt.Sprintf(`{"refresh_token":%q}`, a.secret("renewed refresh token", refreshed.RefreshToken))))
	require.Equal(a.t, 400, res.StatusCode, "it was revoked with the other: %s", res.Body)
	alert := createAlert.With("authorization", secrets[presentScenario+" accessToken"]).WithBody(fmt.Sprintf(
		`{"alertPreferenceAccountDetails":{"cardNumber":%q},"additionalInfo":{"password":%q}}`, a.canary("accepted cardNumber"), a.canary("accepted additionalInfo")))
	res = a.send(alert)
	require.Equal(a.t, 201, res.StatusCode, res.Body)
}

package conformance_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// A service answers requests as the bank does, or wrongly. One request comes after the other.
type service func(r *http.Request, bank asking) call

// asking asks the bank.
type asking func(*http.Request) call

// A slip is something that a service does wrongly after certain requests.
type slip struct {
	name     string
	dialect  sim.Dialect
	steps    int    // of the shortest journey that shows it
	behavior string // switches of the bank, or empty
	service  func() service
}

// anySteps is for a slip that leaves something behind: its journey isn't run again.
const anySteps = 0

// asTheBank is a service without a slip of its own.
func asTheBank() service { return func(r *http.Request, bank asking) call { return bank(r) } }

// slips are what journeys must find.
var slips = []slip{
	{"a deletion has no effect", "", anySteps, "", func() service {
		return func(r *http.Request, bank asking) call {
			if isFor(r, "groups.delete") {
				return replied(r, http.StatusOK, `{"code":"1000","message":"deleted"}`)
			}
			return bank(r)
		}
	}},
	{"a deleted group is listed", "", anySteps, "", listsDeleted},
	{"the name of a deleted group stays taken", "", 3, "", func() service {
		names, gone := map[string]string{}, map[string]bool{}
		return func(r *http.Request, bank asking) call {
			name := sentName(r)
			if isFor(r, "groups.create") && gone[name] {
				return replied(r, http.StatusBadRequest, `{"code":"2004","message":""}`)
			}
			c := bank(r)
			switch {
			case isFor(r, "groups.create"):
				names[idOf(c.body)] = name
			case isFor(r, "groups.delete"):
				gone[names[path.Base(r.URL.Path)]] = true
			}
			return c
		}
	}},
	{"a rename is not stored", "", 3, "", func() service {
		names := map[string]string{}
		return func(r *http.Request, bank asking) call {
			c := bank(r)
			switch id := path.Base(r.URL.Path); {
			case isFor(r, "groups.create"):
				names[idOf(c.body)] = sentName(r)
			case isFor(r, "groups.update") && c.status == http.StatusOK:
				bank(with(r, http.MethodPut, r.URL.Path, `{"groupName":"`+names[id]+`"}`))
			}
			return c
		}
	}},
	{"a group is deleted twice", "", 3, "", refuses("groups.delete", "2000", http.StatusOK)},
	{"a deleted group is updated", "", 3, "", refuses("groups.update", "2000", http.StatusOK)},
	{"names are given twice", "", 2, "{groups: {duplicateName: allow}}", asTheBank},
	{"a group takes the name of another", "", 3, "", refuses("groups.update", "2004", http.StatusOK)},
	{"a new group is the first", "", 2, "", func() service {
		return func(r *http.Request, bank asking) call {
			c := bank(r)
			if isFor(r, "groups.list") && !r.URL.Query().Has("sort") {
				changed("content", reversed)(&c)
			}
			return c
		}
	}},

	{"a preference is deleted twice", "", 3, "",
		refuses("alerts.deletePreference", "PRMAPS_10007", http.StatusNoContent)},
	{"a new preference replaces another", "", 3, "", func() service {
		last := ""
		return func(r *http.Request, bank asking) call {
			if isFor(r, "alerts.createPreference") && last != "" {
				bank(with(r, http.MethodDelete, r.URL.Path+"/"+last, ""))
			}
			c := bank(r)
			if isFor(r, "alerts.createPreference") {
				last = idOf(c.body)
			}
			return c
		}
	}},

	{"a revoked access token works", "", 3, "", readsWithRevoked},
	{"the refresh token of a revoked access token works", "", 3, "{tokens: {accessTokenAlone: true}}", asTheBank},
	{"a refresh token works twice", public, 3, "", func() service {
		return func(r *http.Request, bank asking) call {
			c := bank(r)
			if isFor(r, "tokens.issue") && c.status == http.StatusBadRequest {
				return bank(with(r, r.Method, r.URL.Path, "grant_type=password&username=avery&password=demo"))
			}
			return c
		}
	}},
	{"a token is revoked twice", public, 3, "", refuses("tokens.revoke", "CMN_90016", http.StatusNoContent)},
}

// refuses returns a service that accepts what the bank refuses with a code.
func refuses(op string, code string, status int) func() service {
	return func() service {
		return func(r *http.Request, bank asking) call {
			c := bank(r)
			if isFor(r, op) {
				accepts(`"`+code+`"`, status)(&c)
			}
			return c
		}
	}
}

// listsDeleted returns a service whose lists of groups begin with what was deleted.
func listsDeleted() service {
	made, gone := map[string]any{}, []any{}
	return func(r *http.Request, bank asking) call {
		name, c := sentName(r), bank(r)
		switch id := path.Base(r.URL.Path); {
		case isFor(r, "groups.create"):
			made[idOf(c.body)] = map[string]any{
				"groupId":          idOf(c.body),
				"groupName":        name,
				"groupType":        "EXPERIENCE_GROUP",
				"noOfParticipants": 0,
				"links":            []any{},
			}
		case isFor(r, "groups.delete"):
			gone = append(gone, made[id])
		case isFor(r, "groups.list") && !r.URL.Query().Has("page") && !r.URL.Query().Has("sort"):
			changed("content", func(all []any) any { return slices.Concat(gone, all) })(&c)
			changed("totalElements", plus(int64(len(gone))))(&c)
		}
		return c
	}
}

// readsWithRevoked returns a service that still reads with a revoked access token.
func readsWithRevoked() service {
	works := map[string]bool{}
	return func(r *http.Request, bank asking) call {
		c := bank(r)
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case isFor(r, "tokens.revoke"):
			works[memberOf([]byte(sent(r)), "token")] = true
		case isFor(r, "users.getStatus") && c.status == http.StatusUnauthorized && works[token]:
			again := with(r, r.Method, r.URL.Path, "")
			again.Header.Set("Authorization", "Bearer demo-token")
			return bank(again)
		}
		return c
	}
}

// sent returns the body of a request, which can be read again.
func sent(r *http.Request) string {
	data, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(data))
	return string(data)
}

// with returns a request with the headers and the query of another one.
func with(r *http.Request, method, path, body string) *http.Request {
	again := httptest.NewRequest(method, path+"?"+r.URL.RawQuery, strings.NewReader(body))
	again.Header = r.Header.Clone()
	return again
}

// replied returns an answer to a request.
func replied(r *http.Request, status int, body string) call {
	h := http.Header{"Content-Type": {"application/json"}}
	h.Set("transactionId", r.Header.Get("transactionId"))
	return call{status: status, header: h, body: []byte(body)}
}

// memberOf returns a text or a number of a JSON object, or "".
func memberOf(body []byte, name string) string {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(body, &object)
	return strings.Trim(string(object[name]), `"`)
}

func sentName(r *http.Request) string { return memberOf([]byte(sent(r)), "groupName") }

// idOf returns the id of a group or of an alert preference.
func idOf(body []byte) string {
	var preference struct{ AlertPreferenceDetails json.RawMessage }
	_ = json.Unmarshal(body, &preference)
	return memberOf(body, "groupId") + memberOf(preference.AlertPreferenceDetails, "alertPrefId")
}

// startService starts a service with the data of a scenario, and returns its URL.
func startService(yaml string, answer service) (url string, stop func()) {
	return startServiceOf(yaml, func(*sandbox.Registry) service { return answer })
}

// startServiceOf starts a service that can change the bank behind it.
func startServiceOf(yaml string, of func(*sandbox.Registry) service) (url string, stop func()) {
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	if err != nil {
		panic(err)
	}
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	bank := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	answer := of(sandboxes)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		c := answer(r, func(r *http.Request) call {
			body := sent(r)
			got := httptest.NewRecorder()
			bank.ServeHTTP(got, r)
			r.Body = io.NopCloser(strings.NewReader(body))
			return call{sent: []byte(body), status: got.Code, header: got.Header().Clone(), body: got.Body.Bytes()}
		})
		c.header.Del("Content-Length")
		maps.Copy(w.Header(), c.header)
		w.WriteHeader(c.status)
		_, _ = w.Write(c.body)
	}))
	return server.URL, func() { server.Close(); sandboxes.Close() }
}

// journeys sends journeys to a service with a slip, and returns the report without exchanges.
func journeys(t *testing.T, bank string, s slip, count int, seed uint64) []conformance.Result {
	url, stop := startService("name: test\nextends: "+bank+"\nbehavior: "+cmp.Or(s.behavior, "{}")+"\n", s.service())
	defer stop()
	report, err := conformance.Run(t.Context(), conformance.Config{BaseURL: url, Dialect: s.dialect,
		AllowWrites: true, Only: []string{"tokens.revoke/200-access-token"}, Journeys: count, Seed: seed})
	require.NoError(t, err)
	assert.Empty(t, report.Errors())
	return slices.DeleteFunc(report.Results, func(r conformance.Result) bool {
		return !strings.HasPrefix(r.Exchange, "journey ")
	})
}

// steps returns the steps of the journey that finds a slip.
func steps(t *testing.T, s slip, results []conformance.Result) []string {
	at := slices.IndexFunc(results, func(r conformance.Result) bool { return r.Differences != nil })
	require.GreaterOrEqual(t, at, 0, "no journey finds that %s", s.name)
	return strings.Split(results[at].About, "\n")
}

// Journeys find what a service does wrongly only after other requests, and show it in as few steps as can be.
func TestJourneysFindSlips(t *testing.T) {
	for i, s := range slips {
		if i%simtest.Times(3, 1) != 0 {
			continue
		}
		t.Run(string(s.dialect)+" "+s.name, func(t *testing.T) {
			t.Parallel()
			if found := steps(t, s, journeys(t, "retail", s, 100, 1)); s.steps != anySteps {
				assert.Len(t, found, s.steps)
			}
		})
	}
}

// An exchange shows by itself that what it has revoked still works for another operation.
func TestRevokedTokensAreRead(t *testing.T) {
	url, stop := startService(retail, readsWithRevoked())
	defer stop()
	report := run(t, conformance.Config{BaseURL: url, AllowWrites: true,
		Only: []string{"tokens.revoke/200-access-token"}})
	require.Len(t, report.Differences(), 1)
	assert.Contains(t, report.Differences()[0].Message, "afterwards, GET /digitalbanking/db-users/v1/user-status/1001")
}

// A simulator does nothing wrongly.
func TestTheSimulatorPassesJourneys(t *testing.T) {
	for _, bank := range []string{"retail", "base"} { // base has no page 2 of groups
		for _, dialect := range []sim.Dialect{sim.DialectDocument, public} {
			t.Run(bank+" "+string(dialect), func(t *testing.T) {
				t.Parallel()
				count := simtest.Times(8, 200)
				results := journeys(t, bank, slip{dialect: dialect, service: asTheBank}, count, 7)
				require.Len(t, results, count)
				for _, r := range results {
					assert.Empty(t, slices.Concat(describe(r.Differences), r.LeftBehind), r.About)
					assert.Empty(t, r.Skipped)
				}
			})
		}
	}
}

// A seed gives the same journeys whatever happened before. A journey is skipped if one of its steps may not be sent any
// more.
func TestASeedRepeatsJourneys(t *testing.T) {
	issued := false
	noFirstTokens := func(r *http.Request, bank asking) call {
		if isFor(r, "tokens.issue") && !issued {
			issued = true
			return replied(r, http.StatusOK, `{}`)
		}
		return bank(r)
	}
	all := journeys(t, "retail", slip{service: asTheBank}, 15, 7)
	skipped := 0
	for i, r := range journeys(t, "retail", slip{service: func() service { return noFirstTokens }}, 15, 7) {
		if strings.Contains(all[i].About, "tokens.issue") {
			skipped++
			assert.Contains(t, r.Skipped, "the service issues none: see tokens.revoke/200-access-token")
		} else {
			assert.Equal(t, all[i].About, r.About)
		}
	}
	assert.NotZero(t, skipped)
}

// Without credentials, journeys do only what the values that the service knows allow.
func TestJourneysNeedKnownValues(t *testing.T) {
	const yaml = retail + `
institutions:
  - institutionId: "02688"
    clients: [{sharedKey: demo-app, secretKey: another-secret}]
`
	url, stop := startService(yaml, asTheBank())
	defer stop()
	report, err := conformance.Run(t.Context(), conformance.Config{BaseURL: url, AllowWrites: true,
		Only: []string{"groups.list", "tokens.issue"}, Journeys: 6, Seed: 1})
	require.NoError(t, err)
	assert.Empty(t, slices.Concat(describe(report.Differences()), report.Errors()))
	for _, r := range report.Results[len(report.Results)-6:] {
		assert.NotEmpty(t, r.About, r.Skipped)
		assert.NotContains(t, r.About, "tokens.")
	}
}

// A dry run lists the journeys that a run with the same seed sends, and says the seed.
func TestADryRunNamesTheSeed(t *testing.T) {
	list := func(seed uint64) string {
		var text bytes.Buffer
		require.NoError(t, conformance.DryRun(&text, conformance.Config{BaseURL: "http://127.0.0.1:1",
			Only: []string{"tokens.revoke/200-access-token"}, AllowWrites: true, Journeys: 3, Seed: seed}))
		return text.String()
	}
	drawn := list(0)
	_, after, _ := strings.Cut(drawn, "--seed ")
	number, _, _ := strings.Cut(after, ":")
	seed, err := strconv.ParseUint(number, 10, 64)
	require.NoError(t, err, drawn)
	assert.Equal(t, drawn, list(seed))
	assert.Contains(t, drawn, "\njourney 3 of seed "+number+"\n  ")
}

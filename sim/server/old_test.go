package server_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// What is left of the helpers that the tests here share. Those that use them move to sim/internal/simtest.

// attempt is a request to the simulated interface.
type attempt struct {
	method, path, body string
	headers            []string
}

func (a attempt) send(b *bank) answer {
	b.t.Helper()
	return b.service(a.method, a.path, a.body, a.headers...)
}

// without returns the attempt less a header.
func (a attempt) without(name string) attempt {
	a.headers = slices.DeleteFunc(slices.Clone(a.headers), func(h string) bool {
		n, _, _ := strings.Cut(h, ": ")
		return strings.EqualFold(n, name)
	})
	return a
}

// with returns the attempt with a header replaced.
func (a attempt) with(name, value string) attempt {
	a = a.without(name)
	a.headers = append(a.headers, name+": "+value)
	return a
}

func (a attempt) saying(body string) attempt {
	a.body = body
	return a
}

func (a attempt) at(path string) attempt {
	a.path = path
	return a
}

const (
	basicDemo   = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="     // demo-app:demo-secret
	basicSecond = "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0" // second-app:second-secret
	basicWrong  = "Basic ZGVtby1hcHA6d3Jvbmc="             // demo-app:wrong
	jsonType    = "content-type: application/json"
	groupsURL   = "/digitalbanking/groups/v3/groups"
	tokenURL    = "/digitalbanking/oauth2/v1/token"
	revokeURL   = "/digitalbanking/oauth2/v1/revoke"
	alertsURL   = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
	eachURL     = "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId="
	allURL      = "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="
	checkingURL = "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId="
)

// The eight operations, each as the interface document shows it.
var (
	getDisclosures = attempt{http.MethodGet, checkingURL + "1001", "",
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json"}}
	updateAccount = attempt{http.MethodPut, eachURL + "1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`,
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json", jsonType}}
	updateUser = attempt{http.MethodPut, allURL + "1001", `{"activateEstatement":true}`,
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json", jsonType}}
	issueTokens = attempt{http.MethodPost, tokenURL, `{"grant_type":"password","username":"avery","password":"demo"}`,
		[]string{"authorization: " + basicDemo, "institutionId: 02688", "transactionId: t-1", jsonType}}
	revokeToken = attempt{http.MethodDelete, revokeURL, `{"refresh_token":"demo-refresh"}`,
		[]string{"authorization: " + basicDemo, "institutionId: 02688", "transactionId: t-1", jsonType}}
	createGroup = attempt{http.MethodPost, groupsURL, `{"groupName":"Night owls","groupDescription":"They bank after midnight"}`,
		[]string{"transactionId: t-1", "accept: application/json", jsonType}}
	listGroups  = attempt{http.MethodGet, groupsURL, "", []string{"transactionId: t-1", "accept: application/json"}}
	createAlert = attempt{http.MethodPost, alertsURL, `{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`,
		[]string{"authorization: Bearer demo-token", "fiid: 02688", "transactionid: t-1", "userid: 1001", "accept: application/json", jsonType}}
)

// decode reads a JSON body into a T, refusing members that T doesn't have.
func decode[T any](t testing.TB, res answer) T {
	t.Helper()
	var v T
	require.NoError(t, wire.DecodeKnown([]byte(res.body), &v), res.body)
	return v
}

type issued struct {
	TokenType        string `json:"token_type"`
	AccessToken      string `json:"access_token"`
	ExpiresIn        string `json:"expires_in"`
	FIID             string `json:"di_fiid"`
	FICustomer       string `json:"di_ficustomer"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn string `json:"refresh_token_expires_in"`
}

const faultsURL = defaultURL + "/faults"

// withFaults is frozen retail with fault rules, as YAML.
func withFaults(rules string) string { return frozenRetail + "faults:\n" + rules }

// last returns the newest exchange of the default sandbox's journal.
func (b *bank) last() journal.Exchange {
	b.t.Helper()
	page := b.sandbox.Now().Journal.Page(journal.Query{Limit: 1, Newest: true})
	require.Len(b.t, page.Exchanges, 1)
	return page.Exchanges[0]
}

// try sends a request that may fail.
func (a attempt) try(b *bank) (answer, error) {
	b.t.Helper()
	return b.tryRequest(a.request(b))
}

func (a attempt) request(b *bank) *http.Request {
	b.t.Helper()
	return b.request(a.method, b.server.ServiceURL()+a.path, a.body, a.headers...)
}

func (b *bank) tryRequest(r *http.Request) (answer, error) {
	res, err := b.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	data, err := io.ReadAll(res.Body)
	return answer{res, strings.TrimSpace(string(data))}, errors.Join(err, res.Body.Close())
}

func newRequest(t *testing.T, b *bank, r fixtures.Request) *http.Request {
	t.Helper()
	var body io.Reader = strings.NewReader(r.Content())
	if r.Chunked {
		body = io.MultiReader(body) // of a length that net/http doesn't know
	}
	request, err := http.NewRequestWithContext(t.Context(), r.Method, b.server.ServiceURL()+r.Path, body)
	require.NoError(t, err)
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return request
}

func inJSON(v any) string { return simtest.JSON(v) }

// refStart is when the scenario retail begins.
var refStart = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

func serve(h http.Handler, base string, a attempt) (status int, header http.Header, body string) {
	r := httptest.NewRequest(a.method, base+a.path, strings.NewReader(a.body))
	for _, h := range a.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header(), strings.TrimSpace(w.Body.String())
}

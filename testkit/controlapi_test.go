package testkit_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// everything is a scenario with every kind of row, each with all its members.
const everything = `
extends: base
behavior: {alerts: {headers: optional}, tokens: {accessTokenAlone: true}}
institutions:
  - institutionId: "02688"
    multistatement: true
    alertTypes: [LOW_BALANCE]
    institutionAlertTypes:
      - {institutionAlertTypeId: 7, alertTypeName: CHECK_CLEARED, channelsOptd: [SMS], statusOptd: INACTIVE, reason: Not offered any more}
    institutionAlertPreferences:
      - {institutionAlertPrefId: 3, alertTypeName: LOW_BALANCE, channelTypeName: EMAIL, alertOpted: true, additionalInfo: {threshold: 100}}
    users:
      - hostUserId: "1001"
        customerId: 9D8C7B6A5F4E3D2C1B0A998877665544
        status:
          {onHold: true, locked: true, reset: true, registered: true, approved: true, rejected: true, failedLoginCount: 3, failedPasswordResetCount: 1,
           lastLoginDateTime: 2026-01-14T08:00:00Z, holdDateTime: 2026-01-14T09:00:00Z, holdReason: Lost card, holdInitiatedBy: branch}
        disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS, paperWaiver: true}]
        accounts: [{accountId: acc-1001-checking, activateEstatement: true, updateFails: true}]
        alertPreferences:
          - additionalInfo: {note: kept}
            alertOpted: true
            alertPreferenceAccountDetails: {accountExternalId: ext-77, accountId: acc-1001-checking}
            alertPreferenceDetails: {alertPrefId: 41, alertTypeName: LOW_BALANCE, channelTypeName: EMAIL, externalId: ext-1001}
            allowCallback: true
            defaultPreferences: true
      - {hostUserId: "1002", parentHostUserId: "1001"}
    tokens:
      - {accessToken: bound-token, client: demo-app, hostUserId: "1001", refreshToken: demo-refresh}
      - {accessToken: alone-token, client: demo-app, refreshToken: alone-refresh}
    groups: [{groupName: Night owls, groupDescription: They stay up late., groupParticipantCount: 3}]
    generate: {groups: 600}
`

// faults has every member of a fault, and every kind of delay and connection fault. Only the last one fires.
func faults() []testkit.Fault {
	truncate := 20
	never := testkit.When{After: 1000}
	answer := func(then testkit.Then) testkit.Fault { return testkit.Fault{When: never, Then: then} }
	list := []testkit.Fault{
		{
			Name:      "all",
			Operation: "groups.create",
			When: testkit.When{
				First: 9, Nth: 4, Every: 4, After: 2, Probability: 0.25, During: testkit.During{From: time.Hour, For: time.Minute},
				Request: testkit.RequestMatcher{
					Dialect:       "document",
					InstitutionID: "02688",
					HostUserID:    "~^10",
					Header:        map[string]*string{"User-Agent": testkit.Text("boom"), "X-Absent": nil},
					Query:         map[string]*string{"debug": testkit.Text("~"), "absent": nil},
					Body:          map[string]any{"groupName": "Boom", "groupDescription": nil},
				},
			},
			Phase: testkit.BeforeOperation,
			Then: testkit.Then{
				Status:  400,
				Error:   testkit.FaultError{Code: "X", Message: "<none>"},
				Headers: map[string]string{"Retry-After": "2"},
				Delay:   testkit.Delay{Fixed: 250 * time.Millisecond},
			},
		},
		{
			Operation: testkit.Operations("groups.create", "tokens.*"),
			When:      testkit.When{After: 1000, During: testkit.During{Begin: time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), End: time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)}},
			Then:      testkit.Then{Delay: testkit.Delay{Percentiles: testkit.Percentiles{P50: time.Second, P95: 2 * time.Second}}},
		},
		answer(testkit.Then{Status: 502, Body: testkit.Text("<html>Bad Gateway</html>")}),
		answer(testkit.Then{Delay: testkit.Delay{Uniform: [2]time.Duration{time.Second, 2 * time.Second}}}),
		answer(testkit.Then{Delay: testkit.Delay{Lognormal: testkit.Lognormal{Median: time.Second, Sigma: 0.6}}}),
	}
	for _, connection := range []testkit.Connection{
		{Kind: testkit.ConnectionReset},
		{Kind: testkit.ConnectionHang},
		{Kind: testkit.ConnectionHang, Hang: 10 * time.Second},
		{Kind: testkit.ConnectionTruncate},
		{Kind: testkit.ConnectionTruncate, Truncate: &truncate},
		{Kind: testkit.ConnectionMalformed},
		{Kind: testkit.ConnectionDribble},
		{Kind: testkit.ConnectionDribble, Dribble: testkit.Dribble{Bytes: 16, Every: 50 * time.Millisecond}},
		{Kind: testkit.ConnectionGarbage},
	} {
		list = append(list, answer(testkit.Then{Connection: connection}))
	}
	return append(list, testkit.Fault{
		When:  testkit.When{Request: testkit.RequestMatcher{Query: map[string]*string{"teapot": testkit.Text("~")}}},
		Phase: testkit.AfterOperation,
		Then: testkit.Then{
			Status:     418,
			Error:      testkit.FaultError{Code: "TEAPOT"},
			Delay:      testkit.Delay{Fixed: time.Millisecond},
			Connection: testkit.Connection{Kind: testkit.ConnectionMalformed},
		},
	})
}

// The answers of the control API decode into testkit's types and back without a loss, and fill all their fields.
func TestAnswersRoundTrip(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess(), testkit.ScenarioYAML(everything))
	bank.Inject(faults()...)
	for i, count := range bank.Faults() {
		want := faults()[i]
		if want.Name == "" {
			want.Name = fmt.Sprintf("fault-%d", i+1)
		}
		assert.Equal(t, want, count.Fault)
	}
	bearer := "Bearer " + bank.Token()
	send := func(method, path, authorization, body string) {
		r, err := http.NewRequest(method, bank.BaseURL()+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header = http.Header{"Authorization": {authorization}, "Transactionid": {"t-1"}, "Institutionid": {"02688"}, "Content-Type": {"application/json"}}
		res, err := bank.Client().Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	send("DELETE", "/digitalbanking/oauth2/v1/revoke", "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=", `{"refresh_token": "demo-refresh"}`)
	send("DELETE", "/digitalbanking/oauth2/v1/revoke", "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=", `{"token": "alone-token"}`)
	send("POST", "/digitalbanking/db-alerts-preferences/v1/alert-preferences", bearer,
		`{"alertOpted": true, "alertPreferenceDetails": {"institutionId": "05523", "institutionCustomerId": "77"}}`)
	send("GET", groupsPath+"?size=600", bearer, "")                                                // a long answer
	send("POST", groupsPath, bearer, `{"groupDescription": "`+strings.Repeat("long ", 20000)+`"}`) // a long request
	send("POST", groupsPath, bearer, `{"groupName": "Night owls"}`)                                // refused because of a row
	send("POST", groupsPath+"?teapot=1", bearer, `{"groupName": "Early birds"}`)
	bank.PatchUser("02688", "1001", testkit.UserPatch{DisclosureStatus: "NOT_ACCEPTED"})

	var (
		state   testkit.State
		journal struct {
			Exchanges []testkit.Exchange `json:"exchanges"`
			Evicted   int                `json:"evicted"`
			Cleared   int                `json:"cleared"`
			Next      string             `json:"next"`
		}
		diff struct {
			Since   string           `json:"since"`
			Changes []testkit.Change `json:"changes"`
		}
	)
	filled := map[string]bool{}
	for path, into := range map[string]any{"/state": &state, "/journal": &journal, "/diff": &diff} {
		answer := control(t, bank, http.MethodGet, path, "")
		decoder := json.NewDecoder(strings.NewReader(answer))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(into), path)
		again, err := json.Marshal(into)
		require.NoError(t, err)
		assert.JSONEq(t, answer, string(again), path)
		fill(filled, reflect.ValueOf(into))
	}
	assert.Len(t, journal.Exchanges, 7)
	faults := bank.Faults()
	fill(filled, reflect.ValueOf(faults))
	other := testkit.Start(t, testkit.InProcess(), testkit.Scenario("empty"))
	for _, f := range faults {
		other.Inject(f.Fault)
	}
	for i, f := range other.Faults() {
		assert.Equal(t, faults[i].Fault, f.Fault)
	}
	for field, isFilled := range filled {
		assert.True(t, isFilled, "no answer has a value for %s", field)
	}
}

// control calls the control API of a bank.
func control(t *testing.T, bank *testkit.Bank, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, bank.ControlURL()+path, strings.NewReader(body))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(data)
}

// fill marks the fields of testkit's structs that have a value.
func fill(filled map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(filled, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(filled, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().PkgPath() == reflect.TypeFor[testkit.Bank]().PkgPath() {
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				filled[name] = filled[name] || !v.Field(i).IsZero()
			}
			fill(filled, v.Field(i))
		}
	}
}

// jsonNames returns the JSON names of a struct's fields.
func jsonNames[T any]() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, cmp.Or(name, strings.ToLower(field.Name)))
	}
	slices.Sort(names)
	return names
}

// What a test can say about faults and requests is what the control API takes.
func TestInputsAreComplete(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	require.NoError(t, json.NewDecoder(bytes.NewReader(scenario.Schema())).Decode(&schema))
	for definition, names := range map[string][]string{
		"faultRule":    jsonNames[testkit.Fault](),
		"faultWhen":    jsonNames[testkit.When](),
		"faultRequest": jsonNames[testkit.RequestMatcher](),
		"faultThen":    jsonNames[testkit.Then](),
		"faultError":   jsonNames[testkit.FaultError](),
	} {
		for _, name := range names {
			assert.Contains(t, schema.Defs[definition].Properties, name, definition)
		}
		assert.Len(t, schema.Defs[definition].Properties, len(names), definition)
	}

	bank := testkit.Start(t, testkit.InProcess())
	refused := control(t, bank, http.MethodPost, "/journal/verify", `{"nope": 1}`)
	_, list, _ := strings.Cut(refused, "the members are ")
	list, _, _ = strings.Cut(list, `"`)
	members := strings.Split(list, ", ")
	slices.Sort(members)
	assert.Equal(t, jsonNames[testkit.Expect](), members, refused)
}

// An expectation's body is JSON text or a value.
func TestExpectedBodies(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	createGroup(t, bank, "Night <owls>")
	type group struct {
		Name string `json:"groupName"`
	}
	for _, body := range []any{
		`{"groupName": "Night <owls>"}`,
		[]byte(`{"groupName": "Night <owls>"}`),
		json.RawMessage(`{"groupName": "Night <owls>"}`),
		map[string]any{"groupName": "Night <owls>", "groupDescription": nil},
		map[string]string{"groupName": "~owls"},
		group{Name: "Night <owls>"},
		&group{Name: "Night <owls>"},
	} {
		assert.True(t, bank.Verify(testkit.Expect{Body: body, Exactly: testkit.Times(1)}))
	}
	assert.True(t, bank.Verify(testkit.Expect{
		Operation: "groups.*",
		Status:    200,
		Method:    "POST",
		Path:      groupsPath,
		Header:    map[string]*string{"transactionId": testkit.Text("t-1"), "X-Absent": nil},
		Query:     map[string]*string{"absent": nil},
		AtLeast:   testkit.Times(1),
		AtMost:    testkit.Times(1),
	}))
	for _, body := range []any{"", "groupName", []byte(nil), json.RawMessage(`{"groupName"`)} {
		text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.Verify(testkit.Expect{Body: body}) })
		assert.True(t, failed)
		assert.Contains(t, text, "the Body of an Expect is not valid JSON: ")
	}
}

func TestHeaderNamesInAnyCase(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	createGroup(t, bank, "Night owls")
	x := bank.Journal("")[0]
	assert.Equal(t, "t-1", x.Request.Headers.Get("TRANSACTIONID"))
	assert.Equal(t, "t-1", x.Response.Headers.Get("transactionid"))
	assert.Empty(t, x.Response.Headers.Get("X-Absent"))
}

// A fault whose members exclude each other is not sent.
func TestContradictoryFaults(t *testing.T) {
	for want, f := range map[string]testkit.Fault{
		"one of From and Begin":  {When: testkit.When{During: testkit.During{From: 1, Begin: time.Now()}}},
		"and one of For and End": {When: testkit.When{During: testkit.During{For: 1, End: time.Now()}}},
		"a Delay has one of Fixed, Uniform, Lognormal and Percentiles": {Then: testkit.Then{
			Delay: testkit.Delay{Fixed: 1, Percentiles: testkit.Percentiles{P50: 1, P95: 2}}}},
	} {
		text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.Inject(f) })
		assert.True(t, failed)
		assert.Contains(t, text, want)
	}
	bank := testkit.Start(t, testkit.InProcess(), testkit.ScenarioYAML("extends: empty\nfaults: [{when: {during: {from: 1m, until: 5m}}, then: {status: 500}}]\n"))
	assert.Equal(t, testkit.During{From: time.Minute, For: 4 * time.Minute}, bank.Faults()[0].When.During, "a window of a scenario's")
}

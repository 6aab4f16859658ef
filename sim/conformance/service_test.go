package conformance_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Groups are asked with the token of the credentials, as a bank wants it, unless the exchange shows what is answered
// without.
func TestGroupsAreAskedWithTheToken(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"groups.list/200-first-page", "groups.list/200-no-token", "groups.create/200-created"}})
	var got []string
	for _, r := range p.requests() {
		got = append(got, r.method+" "+r.query+" "+r.authorization)
	}
	assert.Equal(t, []string{"POST  Bearer demo-token", got[1], "GET  Bearer demo-token", "GET size=2 "}, got)
	assert.True(t, strings.HasPrefix(got[1], "DELETE "))

	p = startProxy(t, b.url, nil, nil)
	run(t, conformance.Config{BaseURL: p.URL, Only: []string{"groups.list/200-first-page"}, Credentials: conformance.Credentials{"02688": "02688"}})
	assert.Empty(t, p.requests()[0].authorization, "the credentials have no token")
}

// A family may have another address. Every request has the headers that were given.
func TestAddressesAndHeaders(t *testing.T) {
	groups, others := startBank(t, retail), startBank(t, retail)
	var missing []string
	gateway := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Gateway-Key") != "k3y: with, signs" {
			missing = append(missing, r.URL.Path)
		}
		return false
	}
	g, o := startProxy(t, groups.url, gateway, nil), startProxy(t, others.url, gateway, nil)
	header, err := conformance.ReadHeader([]string{"X-Gateway-Key: k3y: with, signs"})
	require.NoError(t, err)
	report := run(t, conformance.Config{BaseURL: o.URL, BaseURLs: map[string]string{"groups": g.URL + "/"}, Header: header, AllowWrites: true,
		Only: []string{"groups.*", "alerts.createPreference/201-created", "unknown/404-groups"}})
	assert.Empty(t, report.Drifts())
	assert.Empty(t, missing)
	assert.Len(t, o.requests(), 2, "a preference, and its deletion")
	for _, r := range g.requests() {
		assert.Contains(t, r.path, "/groups")
	}

	for _, line := range []string{"no colon", ": value", "a name: x", "X-Key: a\x00b"} {
		_, err := conformance.ReadHeader([]string{line})
		assert.Error(t, err, line)
		assert.NotContains(t, err.Error(), "a\x00b")
	}
}

// Requests that the service is too busy for are repeated after the time that it names. If that doesn't help, the exchange
// fails, and is not compared.
func TestBusyServices(t *testing.T) {
	b := startBank(t, retail)
	refused := 0
	p := startProxy(t, b.url, func(w http.ResponseWriter, _ *http.Request) bool {
		if refused++; refused%3 == 0 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[refused%2])
		return true
	}, nil)
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true, Only: []string{"groups.create/200-created", "groups.list/200-first-page"}})
	assert.Empty(t, report.Drifts())
	assert.Empty(t, report.Errors())
	assert.Empty(t, b.changes(t))

	p = startProxy(t, b.url, func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}, nil)
	report = run(t, conformance.Config{BaseURL: p.URL, Only: []string{"groups.list/200-first-page"}})
	assert.Equal(t, []string{"groups.list/200-first-page: the service was too busy for it and answered 429, 4 times: --rate sends less"}, report.Errors())
	assert.Empty(t, report.Drifts())
	assert.Len(t, p.requests(), 4)
}

// The rate is kept: ten requests at fifty a second take nine fiftieths of a second at least.
func TestRate(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, nil)
	began := time.Now()
	run(t, conformance.Config{BaseURL: p.URL, Rate: 50, Only: []string{"groups.list/200-*"}})
	sent := len(p.requests())
	require.Greater(t, sent, 10)
	assert.GreaterOrEqual(t, time.Since(began), time.Duration(sent-1)*20*time.Millisecond)
}

// A service that answers nobody stops the check. Its report has the cause.
func TestUnreachableServices(t *testing.T) {
	report := run(t, conformance.Config{BaseURL: "http://127.0.0.1:1"})
	assert.Len(t, report.Errors(), 5)
	assert.Contains(t, report.Errors()[0], "connection refused")
	assert.Contains(t, report.Stopped, "not run: 5 exchanges in a row failed")
}

// The service's certificate may be signed by an authority of its own, and the check may have to show one, too.
func TestCertificates(t *testing.T) {
	b := startBank(t, retail)
	target, err := url.Parse(b.url)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	transport := &http.Transport{}
	forward.Transport = transport
	var client string
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client = r.TLS.PeerCertificates[0].Subject.CommonName
		forward.ServeHTTP(w, r)
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	service.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	service.StartTLS()
	defer func() { service.Close(); transport.CloseIdleConnections() }()

	encode := func(kind string, data []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}) }
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "checker"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	encodedKey, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	certPEM, keyPEM := encode("CERTIFICATE", cert), encode("EC PRIVATE KEY", encodedKey)
	caPEM := encode("CERTIFICATE", service.Certificate().Raw)

	both, err := conformance.ReadTLS(certPEM, keyPEM, caPEM)
	require.NoError(t, err)
	only := []string{"groups.list/200-first-page"}
	assert.Empty(t, run(t, conformance.Config{BaseURL: service.URL, TLS: both, Only: only}).Errors())
	assert.Equal(t, "checker", client)

	none, err := conformance.ReadTLS(nil, nil, caPEM)
	require.NoError(t, err)
	report := run(t, conformance.Config{BaseURL: service.URL, TLS: none, Only: only})
	require.Len(t, report.Errors(), 1)
	assert.Contains(t, report.Errors()[0], "certificate required")
	report = run(t, conformance.Config{BaseURL: service.URL, Only: only})
	require.Len(t, report.Errors(), 1)
	assert.Contains(t, report.Errors()[0], "certificate signed by unknown authority")

	for _, files := range [][3][]byte{{certPEM, nil, nil}, {nil, keyPEM, nil}, {certPEM, caPEM, nil}, {nil, nil, keyPEM}} {
		_, err := conformance.ReadTLS(files[0], files[1], files[2])
		assert.Error(t, err)
	}
}

// Drifts of a baseline are known, others are not; one that is gone is reported. Ignored entries count for nothing.
func TestBaselines(t *testing.T) {
	simtest.Whole(t)
	b := startBank(t, "name: bank\nextends: retail\nbehavior: {groups: {createStatus: 201}, alerts: {createStatus: 200}}\n")
	cfg := conformance.Config{BaseURL: b.url, AllowWrites: true, Only: []string{"groups.create", "alerts.createPreference"}}
	first := run(t, cfg)
	require.NotEmpty(t, first.Drifts())
	data, err := first.Baseline(nil).Encode()
	require.NoError(t, err)
	baseline, err := conformance.ReadBaseline(data)
	require.NoError(t, err)
	assert.Len(t, baseline.Drifts, len(first.Drifts()))

	cfg.Baseline = baseline
	again := run(t, cfg)
	assert.Empty(t, again.Drifts())
	assert.Equal(t, first.Drifts(), again.Baseline(baseline).Drifts, "names differ from run to run; what is known doesn't")

	changed := startBank(t, "name: bank\nextends: retail\nbehavior: {groups: {createStatus: 201, nameLimit: 23}}\n")
	cfg.BaseURL = changed.url
	report := run(t, cfg)
	assert.NotEmpty(t, report.Drifts(), "names are too long now")
	vanished := 0
	for _, result := range report.Results {
		for _, d := range result.Vanished {
			vanished++
			assert.Contains(t, []string{"alerts.create.status", "groups.create.status"}, d.Entry)
		}
	}
	assert.NotZero(t, vanished)

	cfg.Only = []string{"alerts.createPreference"}
	kept := run(t, cfg).Baseline(baseline)
	assert.NotEmpty(t, kept.Drifts, "what was not asked again stays known")
	for _, d := range kept.Drifts {
		assert.True(t, strings.HasPrefix(d.Exchange, "groups.create/"), d.Exchange)
	}

	cfg = conformance.Config{BaseURL: b.url, AllowWrites: true, Only: []string{"groups.create/200-created"}, Ignore: []string{"groups.create.status"}}
	report = run(t, cfg)
	assert.Empty(t, report.Drifts())
	assert.Len(t, report.Results[0].Ignored, 1)

	_, err = conformance.ReadBaseline([]byte(`{"drift": []}`))
	assert.ErrorContains(t, err, "not a baseline as --write-baseline writes it")
}

// Switches may be given one by one, beside those of a scenario.
func TestBehavior(t *testing.T) {
	b, err := conformance.Behavior("strict", []string{
		"groups.createStatus=200", "groups.nameLimit=60", "tokens.accessLifetime=1h", "alerts.knownChannelsOnly=false",
		"alerts.requiredFields=[alertOpted, allowCallback]", "messages.2004=That name is taken, try another.",
	})
	require.NoError(t, err)
	values := map[string]string{}
	for _, s := range contract.Switches() {
		values[s.Key] = s.Value(b)
	}
	assert.Equal(t, "200", values["groups.createStatus"])
	assert.Equal(t, "60", values["groups.nameLimit"])
	assert.Equal(t, "1h0m0s", values["tokens.accessLifetime"])
	assert.Equal(t, "false", values["alerts.knownChannelsOnly"])
	assert.Equal(t, "alertOpted, allowCallback", values["alerts.requiredFields"])
	assert.Equal(t, "uuid", values["estatements.correlationId"], "of the scenario")
	assert.Equal(t, "2004: That name is taken, try another.", values["messages"])

	for setting, want := range map[string]string{
		"groups.createStatu=201":  `did you mean "createStatus"?`,
		"groups.createStatus":     `"groups.createStatus" sets no switch: write KEY=VALUE, such as groups.createStatus=201`,
		"groups.createStatus=202": `202`,
		"groups.nameLimit=[":      `--behavior:`,
	} {
		_, err := conformance.Behavior("", []string{setting})
		assert.ErrorContains(t, err, want)
	}
	_, err = conformance.Behavior("stric", nil)
	assert.ErrorContains(t, err, `unknown scenario "stric", and no file of this name: did you mean "strict"?`)
}

// An exchange of a bank with texts of its own is replayed at a service that is said to have them.
func TestBehaviorWithMessages(t *testing.T) {
	const exchange = "groups.create/400-duplicate-name-message"
	for setting, skipped := range map[string]string{
		"messages.2004=That name is taken. Try another one.": "",
		"messages.2004=It is taken.":                         "tests a switch of the simulator",
	} {
		b, err := conformance.Behavior("", []string{setting})
		require.NoError(t, err)
		plan, err := conformance.DryRun(conformance.Config{BaseURL: "http://bank.test", AllowWrites: true, Behavior: b, Only: []string{exchange}})
		require.NoError(t, err)
		require.Len(t, plan.Exchanges, 1)
		assert.Equal(t, skipped, plan.Exchanges[0].Skipped, setting)
	}
}

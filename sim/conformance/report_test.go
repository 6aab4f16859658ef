package conformance_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

// credentials are the values of a bank, none of which a report or a plan shows.
var credentials = conformance.Credentials{
	"demo-app":          "OUR-app",
	"demo-secret":       "OUR-secret",
	"demo-token":        "OUR-token",
	"02688":             "OUR-bank",
	"1001":              "OUR-user",
	"avery":             "OUR-name",
	"demo":              "OUR-password",
	"acc-1001-checking": "OUR-checking",
	"acc-1001-savings":  "OUR-savings",
}

// A dry run names the requests, with the values of the golden exchanges.
func TestADryRunSendsNothing(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s is sent", r.URL)
	}))
	defer service.Close()
	var text bytes.Buffer
	require.NoError(t, conformance.DryRun(&text, conformance.Config{
		BaseURL: service.URL, Credentials: credentials, AllowWrites: true, Header: http.Header{"X-Key": {"OUR-key"}}}))
	assert.NotContains(t, text.String(), "OUR-")
	assert.NotContains(t, text.String(), "Authorization")
	assert.Contains(t, text.String(), "\ntokens.revoke/200-access-token\n  POST "+service.URL+"/")
}

// written returns a report in every format.
func written(t *testing.T, r conformance.Report) map[string]string {
	t.Helper()
	formats := map[string]string{}
	writers := map[string]func(io.Writer) error{"text": r.WriteText, "json": r.WriteJSON, "junit": r.WriteJUnit}
	for name, write := range writers {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		formats[name] = b.String()
	}
	return formats
}

// A service that repeats whatever it is sent doesn't get the secrets of the credentials into a report, and
// neither does one that breaks off.
func TestNoFormatHasASecret(t *testing.T) {
	var mu sync.Mutex
	requests, issued := 0, ""
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if requests++; requests%9 == 0 {
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		secrets := "OUR-token OUR-secret OUR-password OUR-key " + issued + string(body)
		for _, name := range []string{
			"Content-Type", "Www-Authenticate", "Transactionid", "Correlationid", "Allow", "Cache-Control",
		} {
			w.Header().Set(name, r.Header.Get("Authorization")+secrets)
		}
		if strings.HasSuffix(r.URL.Path, "/token") {
			issued = "issued-to-us issued-to-us-2 "
			_, _ = fmt.Fprint(w, `{"access_token":"issued-to-us","refresh_token":"issued-to-us-2",`+
				`"token_type":"OUR-token","di_fiid":"OUR-secret","expires_in":"OUR-password"}`)
			return
		}
		w.WriteHeader([]int{200, 400, 401}[requests%3])
		_, _ = fmt.Fprintf(w,
			`{"code":"OUR-token","message":"OUR-secret","groupStatus":"OUR-password",`+
				`"institutionUserDisclosures":[{"paperWaiver":true,"accountId":"OUR-key"}]}`)
	}))
	defer service.Close()
	report := run(t, conformance.Config{BaseURL: service.URL, Credentials: credentials, AllowWrites: true,
		Header: http.Header{"X-Key": {"OUR-key"}}})
	assert.Greater(t, len(report.Drifts()), 50)
	assert.NotEmpty(t, report.Errors())
	for name, text := range written(t, report) {
		for _, secret := range []string{"OUR-token", "OUR-secret", "OUR-password", "OUR-key", "issued-to-us",
			base64.StdEncoding.EncodeToString([]byte("OUR-app:OUR-secret"))} {
			assert.NotContains(t, text, secret, name)
		}
	}
}

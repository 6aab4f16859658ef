package conformance_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/report"
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
	assert.Contains(t, text.String(), "\nnot listed: requests that read users, changes and jobs back")
	assert.NotContains(t, text.String(), "golden values", "there are credentials")
}

// written returns a report in every format.
func written(t *testing.T, r conformance.Report) map[string]string {
	t.Helper()
	formats := map[string]string{}
	for _, format := range report.Formats {
		var b bytes.Buffer
		require.NoError(t, report.Write(&b, report.Report{Check: r.Check()}, format))
		formats[format] = b.String()
	}
	return formats
}

// An answer may be large: a check reads a part of it, and names the first differences.
func TestLargeAnswers(t *testing.T) {
	object := func(members int) string {
		var b strings.Builder
		for i := range members {
			_, _ = fmt.Fprintf(&b, `"m%08d":1,`, i)
		}
		return `{` + b.String() + `"end":1}`
	}
	for members, want := range map[int]string{
		300_000: "the answer has over 1 MiB; not compared", // 4 MB
		70_000:  `and 699\d\d more`,                        // just below 1 MiB
	} {
		body := object(members)
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Transactionid", r.Header.Get("Transactionid"))
			_, _ = io.WriteString(w, body)
		}))
		defer service.Close()
		cfg := conformance.Config{BaseURL: service.URL, Only: []string{"groups.list/200-first-page"}}
		run(t, cfg) // what is made once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := run(t, cfg)
		runtime.ReadMemStats(&after)
		require.NotEmpty(t, found.Differences())
		isElsewhere := func(d conformance.Difference) bool { return d.Place[0] != '.' }
		inBody := slices.DeleteFunc(found.Differences(), isElsewhere)
		assert.LessOrEqual(t, len(inBody), 21, "20 differences, and how many more")
		assert.Regexp(t, want, inBody[len(inBody)-1].Message)
		if members == 70_000 {
			assert.Contains(t, written(t, found)["text"], "KiB, too many to show")
		}
		t.Logf("%d members: %d MB allocated", members, (after.TotalAlloc-before.TotalAlloc)>>20)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(80<<20))
	}
}

// Tokens are hidden under any name, and the secrets of the credentials also where a report cuts an answer.
func TestSecretsUnderOtherNames(t *testing.T) {
	ours := conformance.Credentials{"second-token": "OUR-token-HUSH"} // begins like another secret
	maps.Copy(ours, credentials)
	for name, body := range map[string]string{
		"camel case": `{"token_type":"SHOWN","accessToken":"HUSH-1","refreshToken":"HUSH-2"}`,
		"dashes":     `{"token_type":"SHOWN","access-token":"HUSH-1","tokens":["HUSH-2"]}`,
		"one camel":  `{"token_type":"SHOWN","access_token":"HUSH-1","refreshToken":"HUSH-2"}`,
		"other name": `{"jwt":"HUSH-1"}`,
		"nested":     `{"data":{"jwt":"HUSH-1"}}`,
		"a text":     `HUSH-1`,
		"cut":        `{"token_type":"` + strings.Repeat("x", 3975) + `OUR-password","expires_in":"1"}`,
		"longer":     `{"token_type":"SHOWN OUR-token-HUSH"}`,
	} {
		t.Run(name, func(t *testing.T) {
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, body)
			}))
			defer service.Close()
			found := run(t, conformance.Config{BaseURL: service.URL, Credentials: ours, AllowWrites: true,
				Only: []string{"tokens.issue/200-password"}})
			for format, text := range written(t, found) {
				assert.NotContains(t, text, "HUSH", format)
				assert.NotContains(t, text, "OUR-p", format)
				if format != "junit" && strings.Contains(body, "SHOWN") {
					assert.Contains(t, text, "SHOWN", format)
				}
			}
		})
	}
}

// A difference of a journey has its steps, also if it is ignored.
func TestIgnoredJourneysHaveTheirSteps(t *testing.T) {
	url, stop := startService(retail, listsDeleted())
	defer stop()
	entry := contract.GroupsDeleteEffect.ID
	found := run(t, conformance.Config{BaseURL: url, AllowWrites: true, Only: []string{"groups.list/200-first-page"},
		Journeys: 20, Seed: 1, Ignore: []string{entry}})
	assert.NotContains(t, simtest.JSON(found.Differences()), entry)
	ignored := found.Check().Ignored
	require.Len(t, ignored, 1)
	assert.NotEmpty(t, ignored[0].Shown.Steps)
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
	found := run(t, conformance.Config{BaseURL: service.URL, Credentials: credentials, AllowWrites: true,
		Header: http.Header{"X-Key": {"OUR-key"}}})
	assert.Greater(t, len(found.Differences()), 50)
	assert.NotEmpty(t, found.Errors())
	for name, text := range written(t, found) {
		for _, secret := range []string{"OUR-token", "OUR-secret", "OUR-password", "OUR-key", "issued-to-us",
			base64.StdEncoding.EncodeToString([]byte("OUR-app:OUR-secret"))} {
			assert.NotContains(t, text, secret, name)
		}
	}
}

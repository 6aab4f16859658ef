package bankapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// discard is a response writer that keeps nothing but its headers.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkHandler measures what an operation costs beside the network and net/http.
func BenchmarkHandler(b *testing.B) {
	for name, request := range map[string]struct{ method, path, body string }{
		"groups.list":                {http.MethodGet, "/digitalbanking/groups/v3/groups?size=20", ""},
		"estatements.getDisclosures": {http.MethodGet, "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001", ""},
		"estatements.updateAccount": {http.MethodPut, "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId=1001",
			`{"activateEstatement":true,"accountId":"acc-1001-checking"}`},
	} {
		b.Run(name, func(b *testing.B) {
			sc, err := scenario.Load("retail")
			require.NoError(b, err)
			handler := bankapi.New(bankapi.Config{
				Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
				Log:       slog.New(slog.NewTextHandler(io.Discard, nil)),
			})
			r := httptest.NewRequest(request.method, request.path, nil)
			r.Header.Set("Authorization", "Bearer demo-token")
			r.Header.Set("transactionId", "t-1")
			r.Header.Set("correlationid", "c-1")
			r.Header.Set("Content-Type", "application/json")
			r.ContentLength = int64(len(request.body))
			recorder := httptest.NewRecorder()
			r.Body = io.NopCloser(strings.NewReader(request.body))
			handler.ServeHTTP(recorder, r)
			require.Equal(b, http.StatusOK, recorder.Code, recorder.Body)
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(request.body))
				handler.ServeHTTP(discard{http.Header{}}, r)
			}
		})
	}
}

package conformance_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
)

// creates reports whether an answer is the one to a request that has created something.
func creates(res *http.Response) bool {
	isToken := strings.HasSuffix(res.Request.URL.Path, "/token")
	return res.Request.Method == http.MethodPost && res.StatusCode < 300 && !isToken
}

// A service that answers a create with what was there before, or without an id, must not have it deleted.
func TestOnlyWhatIsNewIsDeleted(t *testing.T) {
	for name, body := range map[string]string{
		"another name": `{"groupId":"7","groupName":"Early adopters"}`,
		"no id":        `{"groupName":"Night owls"}`,
		"empty id":     `{"groupId":"","groupName":"Night owls"}`,
		"dots":         `{"groupId":"..","groupName":"Night owls"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var methods []string
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				methods = append(methods, r.Method)
				_, _ = io.WriteString(w, body)
			}))
			defer service.Close()
			report := run(t, conformance.Config{BaseURL: service.URL, AllowWrites: true,
				Only: []string{"groups.create/200-created"}})
			assert.Equal(t, []string{http.MethodPost}, methods)
			require.Len(t, report.Results, 1)
			require.Len(t, report.Results[0].LeftBehind, 1)
			assert.Contains(t, report.Results[0].LeftBehind[0], `a group named "Night owls`)
		})
	}
}

// What a create gives an id for is deleted after any success, unless it has the name of something else.
func TestWhatASuccessCreatesIsDeleted(t *testing.T) {
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, func(res *http.Response) error {
		if !creates(res) {
			return nil
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte(`"groupName"`), []byte(`"name"`))
		res.StatusCode, res.Body, res.ContentLength = http.StatusAccepted, io.NopCloser(bytes.NewReader(body)), -1
		res.Header.Del("Content-Length")
		return nil
	})
	report := run(t, conformance.Config{BaseURL: p.URL, AllowWrites: true,
		Only: []string{"groups.create", "alerts.createPreference"}})
	assert.NotEmpty(t, report.Differences())
	assert.Empty(t, report.LeftBehind())
	b.assertOnlyResidue(t, conformance.Report{})
}

// What an exchange changes is what it has created: if the service doesn't say what that is, or answers with something
// that was there before, nothing is changed.
func TestOnlyWhatWasCreatedIsChanged(t *testing.T) {
	for _, created := range []string{
		`{}`, `{"groupId":"","groupName":"Ours"}`, `{"groupId":"ours","groupName":"Ours"}`,
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := path.Base(strings.TrimSuffix(r.URL.Path, "/participants"))
			if r.Method != http.MethodPost && r.Method != http.MethodGet && id != fixtures.NoID {
				t.Errorf("%s %s is sent", r.Method, r.URL.Path)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, created)
		}))
		report := run(t, conformance.Config{BaseURL: service.URL, AllowWrites: true,
			Only: []string{"groups.update/*", "groups.delete/*", "groups.uploadParticipants/*"}})
		service.Close()
		assert.NotEmpty(t, report.Differences())
	}
}

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// A call that fails says which one, where, and what is wrong.
func TestClientErrors(t *testing.T) {
	t.Parallel()
	problem := func(w http.ResponseWriter, p api.Problem) {
		w.WriteHeader(p.Status)
		_ = json.NewEncoder(w).Encode(p)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"another token": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
			"the control API at URL wants another token"},
		"another API": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nothing here", 404) },
			"URL answered GET /v1/sandboxes/a with 404, and not as the control API of a simulator does"},
		"another API's problem": {func(w http.ResponseWriter, _ *http.Request) {
			problem(w, api.Problem{Title: "Not Found", Status: 404})
		}, "URL answered GET /v1/sandboxes/a with 404, and not as the control API"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
			"URL answered GET /v1/sandboxes/a with 302, and not as the control API"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
			"URL/v1/sandboxes/a: reading the answer: invalid character"},
		"an end too early": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"a":`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "URL/v1/sandboxes/a: reading the answer: unexpected EOF"},
		"a problem": {func(w http.ResponseWriter, _ *http.Request) {
			problem(w, api.Problem{Title: "Unprocessable Entity", Status: 422, Detail: "the scenario has a problem",
				Problems: []api.Defect{{File: "scenario.yaml", Line: 3, Column: 5, Message: "unknown key"},
					{Message: "without a place"}}})
		}, "GET /v1/sandboxes/a: 422 the scenario has a problem\n\tscenario.yaml:3:5: unknown key\n\twithout a place"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(c.answer)
			defer srv.Close()
			var into any
			err := api.NewClient(srv.URL, "no", nil).Get(t.Context(), api.SandboxPath("a", ""), &into)
			assert.ErrorContains(t, err, strings.ReplaceAll(c.want, "URL", srv.URL))
		})
	}
}

func TestClientSendsTheTokenAndTheBody(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any
		_ = json.NewDecoder(r.Body).Decode(&body)
		_ = json.NewEncoder(w).Encode([]any{r.Method + " " + r.URL.RequestURI(), r.Header.Get("Authorization"), body})
	}))
	defer srv.Close()
	client := api.NewClient(srv.URL, "right", nil)
	defer client.Close()
	var got []any
	require.NoError(
		t, client.Call(t.Context(), "POST", api.SandboxPath("a/b", "/snapshots"), api.NewSnapshot{Name: "s"}, &got),
	)
	assert.Equal(t, []any{"POST /v1/sandboxes/a%2Fb/snapshots", "Bearer right", map[string]any{"name": "s"}}, got)
}

func TestClientWithoutSimulator(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
	)
	defer srv.Close()
	err := api.NewClient(srv.URL, "", nil).Get(t.Context(), "/v1/info", nil)
	assert.ErrorContains(t, err, "no simulator answers at "+srv.URL)
	assert.ErrorIs(t, err, api.ErrNoAnswer)
	assert.Equal(t, 1, strings.Count(err.Error(), "http://"))

	silent := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
	)
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = api.NewClient(silent.URL, "", nil).Get(ctx, "/v1/info", nil)
	assert.True(t, errors.Is(err, context.Canceled), err)
}

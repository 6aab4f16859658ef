package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestControlURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8081":             "http://127.0.0.1:8081",
		"0.0.0.0:8081":               "http://0.0.0.0:8081", // BANKSIM_CONTROL of the image
		":8081":                      "http://:8081",
		"[::1]:8081":                 "http://[::1]:8081",
		"bank:8081":                  "http://bank:8081",
		"http://bank:8081/":          "http://bank:8081",
		"https://bank.example/ctl//": "https://bank.example/ctl",
		"http://me:secret@bank:8081": "http://bank:8081",
		"http://bank/#token=x":       "http://bank",
	} {
		client, err := controlFlags{Control: text}.client()
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, client.URL, text)
		}
	}
	for _, text := range []string{"", "8081", "bank", "ftp://bank:8081", "http://"} {
		_, err := controlFlags{Control: text}.client()
		assert.ErrorAs(t, err, new(wrongUse))
		assert.ErrorContains(t, err, "is not an address such as 127.0.0.1:8081, or a URL such as http://127.0.0.1:8081", text)
	}
}

// The error of a call says what its user can do.
func TestErrorsOfCallsHaveRemedies(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Error(w, "nothing here", http.StatusNotFound)
	}))
	defer srv.Close()
	for token, want := range map[string]string{
		"":      "wants another token: .*: give it with --control-token or in BANKSIM_CONTROL_TOKEN",
		"wrong": "wants another token: .*: give it with --control-token",
		"right": "not as the control API of a simulator does: .*: say with --control where that listens",
	} {
		client, err := controlFlags{Control: srv.URL, ControlToken: token}.client()
		require.NoError(t, err)
		assert.Regexp(t, want, withRemedy(client.Get(t.Context(), client.inSandbox(""), nil)))
	}
	// A listener of the test's own that hangs up: the address of a closed one may be another test's by now.
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer silent.Close()
	client, err := controlFlags{Control: silent.URL}.client()
	require.NoError(t, err)
	assert.Regexp(t, "no simulator answers at .*: start one with 'banksim serve', or say with --control",
		withRemedy(client.Get(t.Context(), "/v1/info", nil)))
}

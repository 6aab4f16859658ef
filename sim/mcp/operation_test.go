package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Arguments are escaped, and stay in the order of the control API: path, query, body.
func TestRequest(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]object{
		"/v1/sandboxes/a%2Fb%3Fc/diff":                 {"sandbox": "a/b?c", "skip": 3},
		"/v1/sandboxes/default/diff?since=x%26%7Bb%7D": {"since": "x&{b}"},
	} {
		target, body := operations()["getDiff"].request(in, "")
		assert.Equal(t, want, target)
		assert.Nil(t, body, "GET has no body")
	}
}

// An answer is an object or empty. Anything else is an error.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", `{"seed": 18446744073709551615}`: "",
		"[]": "cannot unmarshal array", "null": "null is not an object", "<html>": "invalid character",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text)
		}))
		client := api.NewClient(server.URL, "", nil)
		answer, err := operation{method: "GET", path: "/"}.call(t.Context(), client, nil, "")
		client.Close()
		server.Close()
		if want != "" {
			assert.ErrorContains(t, err, want, text)
			assert.ErrorContains(t, err, "reading the answer of the control API", text)
			continue
		}
		assert.NoError(t, err, text)
		assert.Equal(t, text != "", answer != nil, text)
		if answer != nil {
			assert.Equal(t, "18446744073709551615", expand("{seed}", answer))
		}
	}
}

package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Arguments are escaped, and a query that is no argument is left as it is.
func TestRoute(t *testing.T) {
	t.Parallel()
	query := map[string]string{"limit": "1000", "text": "{text}"}
	for want, test := range map[string]struct {
		path string
		in   object
	}{
		"/v1/sandboxes/a%2Fb%3Fc?limit=1000":                {bankPath, object{"sandbox": "a/b?c", "skip": 3}},
		"/v1/sandboxes/default?limit=1000&text=x%26%7Bb%7D": {bankPath, object{"text": "x&{b}", "limit": 5}},
	} {
		target, body, err := route{"GET", test.path, query}.request(test.in)
		assert.NoError(t, err)
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
		answer, err := route{"GET", "/", nil}.call(t.Context(), client, nil)
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

package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Arguments fill the path and the query, and the others are the body.
func TestRoute(t *testing.T) {
	t.Parallel()
	query := map[string]string{"limit": "1000", "text": "{text}"}
	for name, test := range map[string]struct {
		route  route
		in     object
		target string
		body   any
		err    string
	}{
		"no argument":      {route{"GET", "/v1/info", nil}, nil, "/v1/info", nil, ""},
		"the default bank": {route{"POST", bankPath + "/reset", nil}, nil, "/v1/sandboxes/default/reset", nil, ""},
		"an escaped path": {
			route{"DELETE", bankPath, nil}, object{"sandbox": "a/b?c"},
			"/v1/sandboxes/a%2Fb%3Fc", nil, "",
		},
		"an absent query": {route{"GET", "/a", query}, object{"skip": 3}, "/a?limit=1000", nil, ""},
		"a query": {
			route{"GET", "/a", query}, object{"text": "x&{b}", "limit": 5},
			"/a?limit=1000&text=x%26%7Bb%7D", nil, "",
		},
		"a body": {
			route{"PUT", "/a/{name}", nil}, object{"name": "n", "b": 1, "sandbox": "s"},
			"/a/n", object{"b": 1}, "",
		},
		"GET has no body":    {route{"GET", "/a", nil}, object{"b": 1}, "/a", nil, ""},
		"a missing argument": {route{"PUT", "/a/{name}/{other}", nil}, object{"other": "o"}, "", nil, "name is missing"},
	} {
		target, body, err := test.route.request(test.in)
		if test.err != "" {
			assert.EqualError(t, err, test.err, name)
			continue
		}
		assert.NoError(t, err, name)
		assert.Equal(t, test.target, target, name)
		assert.Equal(t, test.body, body, name)
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

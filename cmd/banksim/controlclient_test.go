package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestControlURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8081":             "http://127.0.0.1:8081",
		"0.0.0.0:8081":               "http://127.0.0.1:8081", // BANKSIM_CONTROL of the image
		":8081":                      "http://127.0.0.1:8081",
		"[::]:8081":                  "http://127.0.0.1:8081",
		"bank:8081":                  "http://bank:8081",
		"http://bank:8081/":          "http://bank:8081",
		"https://bank.example/ctl//": "https://bank.example/ctl",
	} {
		got, err := controlURL(text, "http")
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got, text)
		}
	}
	for _, text := range []string{"", "8081", "bank", "ftp://bank:8081", "http://", "http://me:secret@bank:8081", "http://bank:8081/?a=b", "http://bank/#token=x"} {
		_, err := controlURL(text, "http")
		assert.ErrorContains(t, err, "is not an address such as 127.0.0.1:8081, or a URL such as http://127.0.0.1:8081", text)
	}
}

// A link to the console, as the log and the browser have it, says where the control API is, and its token.
func TestConsoleLink(t *testing.T) {
	t.Parallel()
	for link, want := range map[string][2]string{
		"http://127.0.0.1:8081/console/":                      {"http://127.0.0.1:8081", ""},
		"http://127.0.0.1:8081/console/#token=a+b/c":          {"http://127.0.0.1:8081", "a+b/c"},
		"https://bank.example/ctl/console/#/journal/a?text=b": {"https://bank.example/ctl", ""},
		"127.0.0.1:8081": {"http://127.0.0.1:8081", ""},
	} {
		client, err := controlFlags{Control: link, Sandbox: "default"}.client()
		require.NoError(t, err, link)
		assert.Equal(t, want, [2]string{client.URL, client.Token}, link)
	}
	client, err := controlFlags{Control: "http://bank:8081/console/#token=a", ControlToken: "b", Sandbox: "default"}.client()
	require.NoError(t, err)
	assert.Equal(t, "b", client.Token)
}

// A call has an error that names the URL and the remedy.
func TestControlClientErrors(t *testing.T) {
	t.Parallel()
	handlers := map[string]http.HandlerFunc{
		"token": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer right" {
				w.WriteHeader(401)
			}
		},
		"other":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nothing here", 404) },
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"broken":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"aborted": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"a":`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"problem": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_ = json.NewEncoder(w).Encode(map[string]any{"title": "Service Unavailable", "status": 503, "detail": "ask again later"})
		},
		"sandboxes": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/sandboxes" {
				_, _ = w.Write([]byte(`{"sandboxes":[{"name":"default"},{"name":"orders"}]}`))
				return
			}
			w.WriteHeader(404)
			_, _ = w.Write([]byte(`{"title":"Not Found","status":404,"detail":"no exchange"}`))
		},
	}
	for name, c := range map[string]struct {
		handler string
		flags   controlFlags
		want    string
	}{
		"no token":      {"token", controlFlags{Sandbox: "default"}, "URL needs a token: give it with --control-token or in BANKSIM_CONTROL_TOKEN"},
		"wrong token":   {"token", controlFlags{Sandbox: "default", ControlToken: "wrong"}, "URL doesn't accept this token: give the right one"},
		"another API":   {"other", controlFlags{Sandbox: "default"}, "URL answered 404 Not Found, and not as the control API of a simulator does: say with --control"},
		"a redirect":    {"redirect", controlFlags{Sandbox: "default", ControlToken: "right"}, "URL answered 302 Found, and not as the control API"},
		"no JSON":       {"broken", controlFlags{Sandbox: "default"}, "URL/v1/sandboxes/default: invalid character"},
		"aborted":       {"aborted", controlFlags{Sandbox: "default"}, "URL/v1/sandboxes/default: unexpected EOF"},
		"a problem":     {"problem", controlFlags{Sandbox: "default"}, "URL: ask again later"},
		"near sandbox":  {"sandboxes", controlFlags{Sandbox: "oders"}, `URL: there is no sandbox "oders": did you mean "orders"?`},
		"far sandbox":   {"sandboxes", controlFlags{Sandbox: "accounting"}, `URL: there is no sandbox "accounting": there are "default", "orders"`},
		"known sandbox": {"sandboxes", controlFlags{Sandbox: "orders"}, `URL: no exchange`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(handlers[c.handler])
			defer srv.Close()
			c.flags.Control = srv.URL
			client, err := c.flags.client()
			require.NoError(t, err)
			var into any
			err = client.get(t.Context(), client.inSandbox(""), &into)
			assert.ErrorContains(t, err, strings.ReplaceAll(c.want, "URL", srv.URL))
			if c.flags.ControlToken != "" {
				assert.NotContains(t, err.Error(), c.flags.ControlToken+" ")
			}
		})
	}
}

func TestControlClientReads(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"path": r.URL.RequestURI(), "authorization": r.Header.Get("Authorization")})
	}))
	defer srv.Close()
	client, err := controlFlags{Control: srv.Listener.Addr().String(), ControlToken: "right", Sandbox: "a/b"}.client()
	require.NoError(t, err)
	var got map[string]string
	require.NoError(t, client.get(t.Context(), client.inSandbox("/journal?limit=1"), &got))
	assert.Equal(t, map[string]string{"path": "/v1/sandboxes/a%2Fb/journal?limit=1", "authorization": "Bearer right"}, got)
	var text bytes.Buffer
	require.NoError(t, client.copy(t.Context(), "/v1/info", &text))
	assert.JSONEq(t, `{"path":"/v1/info","authorization":"Bearer right"}`, text.String())
}

// Nobody listens, or nobody answers.
func TestControlClientWithoutSimulator(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	client, err := controlFlags{Control: listener.Addr().String(), Sandbox: "default"}.client()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = client.get(ctx, "/v1/info", nil)
	assert.ErrorContains(t, err, "no simulator answers at http://"+listener.Addr().String())
	require.NoError(t, listener.Close())
	err = client.get(t.Context(), "/v1/info", nil)
	assert.ErrorContains(t, err, "refused: start one with 'banksim serve', or say with --control where its control API listens")
	assert.Equal(t, 1, strings.Count(err.Error(), "http://"))
}

func TestControlFlagsAreChecked(t *testing.T) {
	t.Parallel()
	for want, flags := range map[string]controlFlags{
		"--control ":                   {Control: "8081", Sandbox: "default"},
		"--control-token is not what ": {Control: "127.0.0.1:1", Sandbox: "default", ControlToken: "s3cr;t"},
		"--sandbox is empty":           {Control: "127.0.0.1:1"},
	} {
		_, err := flags.client()
		assert.ErrorContains(t, err, want)
		assert.ErrorAs(t, err, new(wrongUse))
		assert.NotContains(t, err.Error(), "s3cr")
	}
}

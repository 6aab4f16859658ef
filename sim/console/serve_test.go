package console_test

import (
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/console"
)

// ask sends a request to a console without a server.
func ask(method, path, etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	console.Handler().ServeHTTP(w, r)
	return w
}

var (
	loaded   = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	imported = regexp.MustCompile(`(?:from |import\()"([^"]+)"`)
)

// The page and each file that it may load come with the policy and the right type. They can be cached.
func TestFiles(t *testing.T) {
	t.Parallel()
	files := []string{""}
	for i := 0; i < len(files); i++ {
		name := files[i]
		res := ask("GET", console.Path+name, "")
		require.Equal(t, 200, res.Code, name)
		assert.Contains(t, res.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';", name)
		assert.Equal(t, "nosniff", res.Header().Get("X-Content-Type-Options"), name)
		media := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
			".svg": "image/svg+xml", "": "text/html; charset=utf-8"}
		assert.Equal(t, media[path.Ext(name)], res.Header().Get("Content-Type"), name)
		assert.Equal(t, 304, ask("GET", console.Path+name, res.Header().Get("ETag")).Code, name)
		of := loaded
		if name != "" {
			of = imported
		}
		for _, match := range of.FindAllStringSubmatch(res.Body.String(), -1) {
			next := path.Join(path.Dir(name), match[1])
			require.NotContains(t, next, ":", "a file of another origin")
			if (name == "" || path.Ext(name) == ".js") && !slices.Contains(files, next) {
				files = append(files, next)
			}
		}
	}
	assert.Greater(t, len(files), 15)
	assert.True(
		t, slices.ContainsFunc(files, func(name string) bool { return strings.HasSuffix(name, "/contract.js") }),
	)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"nope.js", "../go.mod", "assets/app.js"} {
		assert.Equal(t, 404, ask("GET", console.Path+path, "").Code, path)
	}
	for _, method := range []string{"POST", "OPTIONS"} {
		res := ask(method, console.Path, "")
		assert.Equal(t, http.StatusMethodNotAllowed, res.Code, method)
		assert.Equal(t, "GET, HEAD", res.Header().Get("Allow"), method)
	}
}

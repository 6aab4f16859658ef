package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/console"
)

// maxSize is how many bytes all files of the console may have together, as they are sent.
const maxSize = 60_000

// ask sends a request to a console without a server. The headers are names and values in turn.
func ask(t *testing.T, handler http.Handler, method, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	res := w.Result()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
			"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
	} {
		assert.Equal(t, []string{want}, res.Header.Values(name), "%s %s: %s", method, path, name)
	}
	return res
}

// body returns the body of an answer, which has the length that its header says.
func body(t *testing.T, res *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, res.Header.Get("Content-Length"), strconv.Itoa(len(data)))
	return data
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	return plain
}

var (
	loaded        = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	imported      = regexp.MustCompile(`from "([^"]+)"`)
	importedLater = regexp.MustCompile(`import\("([^"]+)"\)`)
	media         = map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
	ending        = regexp.MustCompile(`[a-z]+$`)
)

// filesOf returns the files that the page loads at once, by their paths below [console.Path].
func filesOf(page []byte) []string {
	var files []string
	for _, match := range loaded.FindAllSubmatch(page, -1) {
		files = append(files, string(match[1]))
	}
	return files
}

// withImports returns files and all modules that they import, directly or not. later are also those that are imported when
// they are needed.
func withImports(t *testing.T, handler http.Handler, files []string, later bool) []string {
	t.Helper()
	all := slices.Clone(files)
	for i := 0; i < len(all); i++ {
		if ending.FindString(all[i]) != "js" {
			continue
		}
		module := body(t, ask(t, handler, "GET", console.Path+all[i]))
		found := imported.FindAllSubmatch(module, -1)
		if later {
			found = append(found, importedLater.FindAllSubmatch(module, -1)...)
		}
		for _, match := range found {
			if name := path.Join(path.Dir(all[i]), string(match[1])); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

const forGood = "public, max-age=31536000, immutable"

// The page and each file that it may load come compressed, small and with the right type, plain to those who don't take gzip,
// and without a body for HEAD. The files may be kept for good, the page must be asked for again.
func TestFiles(t *testing.T) {
	t.Parallel()
	handler := console.Handler()
	size := 0
	get := func(path, media, cache string) []byte {
		t.Helper()
		res := ask(t, handler, "GET", path, "Accept-Encoding", "br, gzip;q=0.5")
		require.Equal(t, 200, res.StatusCode, path)
		assert.Equal(t, "gzip", res.Header.Get("Content-Encoding"), path)
		assert.Equal(t, "Accept-Encoding", res.Header.Get("Vary"), path)
		assert.Equal(t, media, res.Header.Get("Content-Type"), path)
		assert.Equal(t, cache, res.Header.Get("Cache-Control"), path)
		compressed := body(t, res)
		size += len(compressed)
		plain := unzip(t, compressed)

		for _, accepted := range []string{"", "identity", "br", "gzip;q=0", "gzip; q=0.000, *", "xgzip"} {
			res := ask(t, handler, "GET", path, "Accept-Encoding", accepted)
			assert.Empty(t, res.Header.Get("Content-Encoding"), "%s for %q", path, accepted)
			assert.Equal(t, plain, body(t, res), "%s for %q", path, accepted)
		}
		head := ask(t, handler, "HEAD", path, "Accept-Encoding", "GZIP")
		assert.Equal(t, 200, head.StatusCode, path)
		assert.Equal(t, res.Header, head.Header, path)
		nothing, err := io.ReadAll(head.Body)
		require.NoError(t, err)
		assert.Empty(t, nothing, path)
		return plain
	}
	page := get(console.Path, "text/html; charset=utf-8", "no-cache")
	files := withImports(t, handler, filesOf(page), true)
	for _, name := range files {
		require.Regexp(t, `^[0-9a-f]{16}/`, name, "a file of another origin, or without a hash")
		get(console.Path+name, media[ending.FindString(name)], forGood)
	}
	folder, _, _ := strings.Cut(files[0], "/")
	license := folder + "/vendor/LICENSE.txt" // which nothing loads
	get(console.Path+license, "text/plain; charset=utf-8", forGood)
	t.Logf("%d files, %d bytes", len(files)+2, size)
	assert.LessOrEqual(t, size, maxSize, "all files together, compressed")
}

// The page names all modules that the frame and the first page consist of, so that the browser asks for them at once, and none
// that only other pages need.
func TestModulesArePreloaded(t *testing.T) {
	t.Parallel()
	handler := console.Handler()
	files := filesOf(body(t, ask(t, handler, "GET", console.Path)))
	frame := slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		return strings.Contains(name, "/pages/") && !strings.HasSuffix(name, "/pages/overview.js")
	})
	assert.ElementsMatch(t, withImports(t, handler, frame, false), files)
	all := withImports(t, handler, files, true)
	for _, name := range []string{"overview", "sandboxes", "bank", "journal", "faults", "scenario", "contract"} {
		assert.True(t, slices.ContainsFunc(all, func(file string) bool { return strings.HasSuffix(file, "/pages/"+name+".js") }), name)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	handler := console.Handler()
	for _, path := range []string{"index.html", "app.js", "0123456789abcdef/app.js", "../go.mod", "packed/app.js.gz", "x/", "%2e%2e/"} {
		res := ask(t, handler, "GET", console.Path+path)
		assert.Equal(t, 404, res.StatusCode, path)
		assert.Equal(t, "no-store", res.Header.Get("Cache-Control"), path)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Contains(t, string(text), "reload the page")
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"} {
		res := ask(t, handler, method, console.Path)
		assert.Equal(t, 405, res.StatusCode, method)
		assert.Equal(t, "GET, HEAD", res.Header.Get("Allow"), method)
	}
}

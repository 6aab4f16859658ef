package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"sync"
)

// Path is where the console is served. Its state, such as the page and the sandbox that it shows, is in the fragment.
const Path = "/console/"

// policy lets the page load its own files and call its own origin, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

//go:embed assets
var assets embed.FS

// Handler serves the console below Path. It answers GET and HEAD. A browser asks for each file again, and is told if it
// is the one that it has.
func Handler() http.Handler {
	root, err := fs.Sub(assets, "assets")
	if err != nil {
		panic("console: " + err.Error()) // the folder is embedded
	}
	files := http.StripPrefix(Path, http.FileServerFS(root))
	// Most simulators are never looked at, so the first request asks for the digest.
	version := sync.OnceValue(func() string { return digest(root) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "the console takes GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", version())
		files.ServeHTTP(w, r)
	})
}

// digest returns an entity tag that is another one once a file is.
func digest(root fs.FS) string {
	hash := sha256.New()
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		hash.Write(data)
		return err
	})
	if err != nil {
		panic("console: " + err.Error()) // the files are embedded
	}
	return `"` + hex.EncodeToString(hash.Sum(nil)[:8]) + `"`
}

package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Path is where the console is served. Its state, such as the page and the sandbox that it shows, is in the fragment.
const Path = "/console/"

// policy lets the page load its own files and call its own origin, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// packed has the assets, each compressed. They are a fifth of the size then, which counts in the image.
//
//go:embed packed
var packed embed.FS

// asset is a file as it is sent.
type asset struct {
	media      string
	compressed []byte // gzip
}

// pack is what the console consists of.
type pack struct {
	page   asset
	assets map[string]asset // by the path below Path, which has a hash of all of them
}

// Handler serves the console below Path. It answers GET and HEAD.
func Handler() http.Handler {
	load := sync.OnceValues(open) // with the first request: most simulators are never looked at
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
		files, err := load()
		if err != nil { // the program was built from a broken pack, see TestPackIsFresh
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, Path)
		if name == "" {
			header.Set("Cache-Control", "no-cache") // it names the assets of this version
			files.page.send(w, r)
			return
		}
		found, ok := files.assets[name]
		if !ok { // also what a page of another version asks for
			header.Set("Cache-Control", "no-store")
			http.Error(w, "the console has no such file: reload the page", http.StatusNotFound)
			return
		}
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		found.send(w, r)
	})
}

// open returns the files of the pack. The path of an asset has a hash of all of them, so that modules find each other by
// relative paths, and a browser may keep them for good.
func open() (pack, error) {
	files := pack{assets: map[string]asset{}}
	root, err := fs.Sub(packed, "packed")
	if err != nil {
		return pack{}, err
	}
	var page []byte
	hash := sha256.New()
	names := map[string]asset{}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n", name, len(data))
		hash.Write(data)
		name = strings.TrimSuffix(name, ".gz")
		if name == "index.html" {
			page = data
		} else {
			names[name] = asset{mediaOf(name), data}
		}
		return nil
	})
	if err != nil {
		return pack{}, err
	}
	folder := hex.EncodeToString(hash.Sum(nil)[:8])
	for name, of := range names {
		files.assets[folder+"/"+name] = of
	}
	plain, err := decompress(page)
	if err != nil {
		return pack{}, err
	}
	page, err = compress(bytes.ReplaceAll(plain, []byte("HASH/"), []byte(folder+"/")))
	files.page = asset{mediaOf("index.html"), page}
	return files, err
}

// send answers with the asset, compressed unless the client doesn't take that.
func (a asset) send(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", a.media)
	header.Set("Vary", "Accept-Encoding")
	body := a.compressed
	if takesGzip(r.Header.Values("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
	} else if plain, err := decompress(body); err == nil {
		body = plain
	}
	header.Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails if the client has disconnected, and then nobody can be told
	}
}

// takesGzip reports whether an Accept-Encoding allows gzip (RFC 9110 12.5.3).
func takesGzip(accepted []string) bool {
	for coding := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(strings.ToLower(weight), " ", "")
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

// mediaOf returns the media type of a file, whatever the machine's own table of types says.
func mediaOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// compress returns data in the gzip format, as small as it gets. The result doesn't depend on the time.
func compress(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func decompress(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

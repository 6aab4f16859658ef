package console

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pack instead of comparing it")

// The program embeds the pack, not the folder assets. Their contents are compared, since compressed bytes depend on the
// version of Go.
func TestPackIsFresh(t *testing.T) {
	wanted := read(t, "assets")
	for name, data := range wanted {
		wanted[name] = lean(t, name, data)
	}
	if *update {
		for name := range read(t, "packed") {
			require.NoError(t, os.Remove(filepath.Join("packed", name)))
		}
		for name, data := range wanted {
			compressed, err := compress(data)
			require.NoError(t, err)
			file := filepath.Join("packed", name+".gz")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, compressed, 0o644))
		}
		return
	}
	packed := read(t, "packed")
	for name, data := range wanted {
		compressed, ok := packed[name+".gz"]
		if !assert.True(t, ok, "%s is not packed: run go generate ./sim/console", name) {
			continue
		}
		plain, err := decompress(compressed)
		require.NoError(t, err, name)
		assert.True(t, bytes.Equal(data, plain), "%s has changed: run go generate ./sim/console", name)
	}
	assert.Len(t, packed, len(wanted), "the pack has files that are no assets any more: run go generate ./sim/console")
}

var indents = regexp.MustCompile(`\n[ \t]+`)

// lean returns what is packed of an asset: our own scripts and style sheets without comments and spaces, and with short names
// inside of them. A module stays a module.
func lean(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	loader := map[string]api.Loader{".js": api.LoaderJS, ".css": api.LoaderCSS}[filepath.Ext(name)]
	if loader == api.LoaderNone || strings.HasPrefix(name, "vendor/") {
		return data
	}
	if loader == api.LoaderJS { // in a template, too, where lines are indented for people
		data = indents.ReplaceAll(data, []byte("\n"))
	}
	result := api.Transform(string(data), api.TransformOptions{
		Loader: loader, Sourcefile: name, Charset: api.CharsetUTF8, Target: api.ES2022,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true,
	})
	require.Empty(t, result.Errors)
	require.Empty(t, result.Warnings)
	return result.Code
}

// read returns the files of a folder by their paths below it.
func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := os.DirFS(folder)
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	}))
	require.NotEmpty(t, files)
	return files
}

package scenario

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/scenarios"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// endings are those of the names of scenario files.
var endings = []string{".yaml", ".yml"}

// isFile reports whether a name is that of a file wherever it is used. Another name is an embedded scenario's, or else that of a file,
// with or without its ending.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || slices.Contains(endings, filepath.Ext(name))
}

// Names returns the names of the embedded scenarios, sorted.
func Names() []string {
	files, _ := scenarios.Files.ReadDir(".") // reading an embedded folder can't fail
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file.Name(), ".yaml")
	}
	return names
}

// Source returns the YAML of an embedded scenario.
func Source(name string) ([]byte, error) {
	source, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown scenario %s%s", phrase.Quote(name), phrase.DidYouMean(name, Names(), "the scenarios are"))
	}
	return source, nil
}

// FileOf returns the file that a name stands for: a file of that name, or else one with the ending .yaml or .yml. It is empty for an
// embedded scenario. The error says what is there instead.
func FileOf(name string) (string, error) {
	if _, err := Source(name); err == nil {
		return "", nil
	}
	file, _, err := fileAt(name, name)
	return file, err
}

// fileAt returns the file at a path, with or without its ending, for a name in messages. If there is none, it returns those that it
// looked for.
func fileAt(name, path string) (file string, looked Files, err error) {
	folder := false
	for _, file := range []string{path, path + endings[0], path + endings[1]} {
		info, err := os.Stat(file)
		switch {
		case err == nil && !info.IsDir():
			return file, nil, nil
		case err == nil:
			folder, err = true, errFolder
		case !errors.Is(err, fs.ErrNotExist):
			return "", nil, err
		}
		looked = append(looked, File{file, digest(nil, err)})
	}
	switch {
	case folder:
		return "", looked, fmt.Errorf("%s %w", phrase.Quote(path), errFolder)
	case isFile(name):
		return "", looked, fmt.Errorf("there is no file %s%s", phrase.Quote(path),
			cmp.Or(nearbyFile(path), ": banksim scenarios new makes one"))
	}
	near := nearbyFile(path)
	if _, ok := phrase.Nearest(name, Names()); near == "" || ok && !strings.HasSuffix(near, " is there") {
		near = phrase.DidYouMean(name, Names(), "the scenarios are")
	}
	return "", looked, fmt.Errorf("unknown scenario %s, and no file of this name%s", phrase.Quote(name), near)
}

var errFolder = errors.New("is a folder: name a scenario file in it")

// nearbyFile returns the end of a message about a file that is missing: the one beside it whose name differs only by its ending or its
// case, or else nearly is the same.
func nearbyFile(path string) string {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return ": there is no such folder"
	}
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() && strings.HasPrefix(strings.ToLower(name), strings.ToLower(stem)+".") {
			return ": " + phrase.Quote(folder+name) + " is there"
		}
		if other, ok := strings.CutSuffix(name, endings[0]); ok {
			names = append(names, other)
		}
	}
	if near, ok := phrase.Nearest(stem, names); ok {
		return ": did you mean " + phrase.Quote(folder+near+endings[0]) + "?"
	}
	return ""
}

// readRegular reads a regular file, but only as much as shows that it is too large for a scenario. Others could block.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: name a scenario file", phrase.Quote(name))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, MaxBytes+4))
}

// Files are the files that a scenario was read from, or would have been, as they were then.
type Files []File

// File is a file as it was read.
type File struct {
	Name string

	held [sha256.Size]byte // a digest of the content
}

// Now returns the files as they are now. One that was removed or restored has changed; one that was only touched has not.
func (f Files) Now() Files {
	now := slices.Clone(f)
	for i, file := range now {
		now[i].held = digest(readRegular(file.Name))
	}
	return now
}

// digest returns a digest of the result of reading a file: one for all that are missing, and one for other errors.
func digest(content []byte, err error) [sha256.Size]byte {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return [sha256.Size]byte{}
	case err != nil:
		return [sha256.Size]byte{1}
	}
	return sha256.Sum256(content)
}

// own are the keys that a scenario doesn't inherit.
var own = []string{"name", "description", "extends"}

// maxExtended is how many scenarios one may extend, all together.
const maxExtended = 20

// parents are the names in extends: one, or a list of them.
type parents []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *parents) UnmarshalYAML(n *yaml.Node) error {
	for _, name := range namesIn(n) {
		*p = append(*p, name.Value)
	}
	return nil
}

// namesIn returns the names in an extends.
func namesIn(extends *yaml.Node) []*yaml.Node {
	if extends.Kind == yaml.SequenceNode {
		return extends.Content
	}
	return []*yaml.Node{extends}
}

// loader reads a scenario and those that it extends: the embedded ones and, for a scenario from a file, files.
type loader struct {
	report  *report
	inFiles bool                  // whether the scenario can extend files
	loaded  map[string]*yaml.Node // by name in a chain; nil: it has problems
	order   []*yaml.Node          // each once, those that are extended before those that extend them
}

// load reads a scenario with those that it extends, and adds them to the order. It returns nil if that is impossible. The chain
// holds the names of the scenarios that led here, this one last.
func (l *loader) load(f found, chain []string) *yaml.Node {
	_, _ = fmt.Fprintf(l.report.texts, "%d %s", len(f.source), f.source)
	tree := l.report.read(f.origin, f.source)
	if tree == nil {
		return nil
	}
	ok := true
	if extends := valueOf(tree, "extends"); extends != nil {
		names := namesIn(extends)
		if len(names) == 0 {
			l.report.add(extends, `extends is empty: name a scenario, such as "base", or remove the key`)
			return nil
		}
		for _, name := range names[:min(len(names), maxExtended+1)] {
			ok = l.extended(name, f, chain) && ok
		}
	}
	if !ok {
		return nil
	}
	l.order = append(l.order, tree)
	return tree
}

// extended loads the scenario that an extends names in another one.
func (l *loader) extended(extends *yaml.Node, in found, chain []string) bool {
	if extends.Kind != yaml.ScalarNode || extends.Tag != "!!str" || extends.Value == "" {
		l.report.add(extends, `extends must name a scenario, or list several: write "base", for example, or a file such as "shared.yaml"`)
		return false
	}
	f, err := l.find(extends.Value, in)
	known, again := l.loaded[f.name]
	switch at := slices.Index(chain, f.name); {
	case err != nil:
		l.report.add(extends, "%s", err)
		return false
	case at >= 0:
		l.report.add(extends, "extends is circular, %s: remove one of them", strings.Join(append(chain[at:], f.name), " -> "))
		return false
	case again:
		return known != nil
	case len(l.loaded) == maxExtended:
		l.report.add(extends, "extends names more than %d scenarios, with those that they extend: join some of them", maxExtended)
		return false
	}
	l.loaded[f.name] = nil
	l.loaded[f.name] = l.load(f, append(slices.Clip(chain), f.name))
	return l.loaded[f.name] != nil
}

// find reads the scenario that an extends names in another one: an embedded one, or a file. Paths begin
// at the folder of the file in which they stand.
func (l *loader) find(name string, in found) (found, error) {
	f, err := embedded(name)
	switch {
	case err == nil:
		return f, nil
	case !l.inFiles && isFile(name):
		return found{}, fmt.Errorf("extends %s: only a scenario that is a file itself can extend a file: name one of %s",
			phrase.Quote(name), phrase.Names(Names()))
	case !l.inFiles:
		return found{}, err
	case strings.Contains(name, `\`):
		return found{}, fmt.Errorf("a path has slashes: write %s", phrase.Quote(strings.ReplaceAll(name, `\`, "/")))
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(in.file), path)
	}
	file, looked, err := fileAt(name, path)
	if err != nil {
		l.report.sources = append(l.report.sources, looked...)
		if !isFile(name) {
			return found{}, err
		}
		return found{}, fmt.Errorf("extends %s: %w", phrase.Quote(name), err)
	}
	source, err := readRegular(file)
	f = inFolder(file, source)
	if _, again := l.loaded[f.name]; !again {
		l.report.sources = append(l.report.sources, File{file, digest(source, err)})
	}
	if err != nil {
		return found{}, fmt.Errorf("extends %s: the file can't be read: %w", phrase.Quote(name), err)
	}
	return f, nil
}

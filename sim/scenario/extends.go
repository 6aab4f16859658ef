package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// own are the keys that a scenario doesn't inherit.
var own = []string{"name", "description", "extends"}

// maxExtended is how many scenarios may extend one another in a chain.
const maxExtended = 20

// library finds the scenarios that others extend: the embedded ones and, for a scenario from a file, the files in its
// folder.
type library struct {
	report *report
	folder string            // empty: embedded ones only
	held   map[string][]byte // the files, by name, if they were read before; nil: they are read now
}

// load returns the tree of a scenario with everything it extends merged in, or nil if that is impossible. The chain
// holds the names of the scenarios that led here, this one last: a file's is its path in the folder.
func (l *library) load(from origin, source []byte, chain []string) *yaml.Node {
	root := l.report.read(from.file, source)
	if root == nil {
		return nil
	}
	if len(chain) > 1 {
		l.report.note(root, from)
	}
	extends := valueOf(root, "extends")
	if extends == nil {
		return root
	}
	if extends.Tag != "!!str" || extends.Value == "" {
		l.report.add(extends, `extends must name a scenario: write "base", for example, or a file such as "shared.yaml"`)
		return nil
	}
	parent := l.extended(extends, chain)
	if parent == nil {
		return nil
	}
	for _, key := range own {
		remove(parent, key)
	}
	return l.report.merge("", parent, root)
}

// extended loads the scenario that an extends names.
func (l *library) extended(extends *yaml.Node, chain []string) *yaml.Node {
	name, isFile := extends.Value, isFile(extends.Value)
	if isFile && !filepath.IsAbs(name) {
		name = path.Join(path.Dir(chain[len(chain)-1]), filepath.ToSlash(name))
	}
	if at := slices.Index(chain, name); at >= 0 {
		l.report.add(extends, "extends is circular, %s: remove one of them", strings.Join(append(chain[at:], name), " -> "))
		return nil
	}
	if len(chain) > maxExtended {
		l.report.add(extends, "extends chains more than %d scenarios: join some of them", maxExtended)
		return nil
	}
	chain = append(slices.Clip(chain), name)
	if !isFile {
		source, err := Source(name)
		if err != nil {
			l.report.add(extends, "%s", err)
			return nil
		}
		l.report.sources.note(name+".yaml", source, nil, nil)
		return l.load(origin{name + ".yaml", true}, source, chain)
	}
	file := filepath.Join(l.folder, filepath.FromSlash(name))
	source, err := l.readFile(name)
	l.report.sources.note(file, source, err, readAgain(l.folder, name))
	if err != nil {
		l.report.add(extends, "extends %s: %s", phrase.Quote(extends.Value), err)
		return nil
	}
	return l.load(origin{file: file}, source, chain)
}

// readFile returns a file inside the folder: as it was held, or else as it is now.
func (l *library) readFile(name string) ([]byte, error) {
	if l.held != nil {
		source, ok := l.held[name]
		if !ok {
			return nil, errors.New("it was not held: load the scenario again")
		}
		return source, nil
	}
	source, err := l.readNow(name)
	if err == nil {
		l.report.held[name] = source
	}
	return source, err
}

// readAgain returns how a file inside a folder is read again. It keeps nothing of what was read before.
func readAgain(folder, name string) func() ([]byte, error) {
	return func() ([]byte, error) { return (&library{folder: folder}).readNow(name) }
}

func (l *library) readNow(name string) ([]byte, error) {
	if l.folder == "" {
		return nil, fmt.Errorf("only a scenario that is a file itself can extend a file: name one of %s", phrase.Names(Names()))
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errors.New("the file is outside the scenario's folder: move it into the folder")
	}
	root, err := os.OpenRoot(l.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	switch info, err := root.Stat(filepath.FromSlash(name)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file in the scenario's folder: correct the name")
	case err != nil:
		return nil, fmt.Errorf("the file can't be read: %w", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a file: name a scenario file")
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("the file can't be read: %w", errors.Unwrap(err))
	}
	defer file.Close()
	return readLimited(file)
}

// readLimited reads a file, but only as much as shows that it is too large.
func readLimited(from io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(from, maxBytes+4)) }

// isFile reports whether a name is that of a file.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// note records where the nodes of a tree come from.
func (r *report) note(n *yaml.Node, from origin) {
	if _, noted := r.files[n]; noted {
		return
	}
	r.files[n] = from
	for _, inner := range n.Content {
		r.note(inner, from)
	}
}

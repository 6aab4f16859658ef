package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// extends are the names that a scenario extends: one, or a list of them.
type extends []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *extends) UnmarshalYAML(n *yaml.Node) error {
	for _, name := range namesIn(n) {
		*e = append(*e, name.Value)
	}
	return nil
}

// namesIn returns the names in the value of extends.
func namesIn(value *yaml.Node) []*yaml.Node {
	if value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

// family is a scenario and all that it extends.
type family struct {
	files   []source     // the scenario itself comes first; fileOf leads to the file of a node
	trees   []*yaml.Node // each once; those that are extended come before those that extend them
	invalid nodeSet      // the values with a problem of their own
	partial bool         // whether something that is extended is missing
	touched Files        // the files that were read, or looked for, besides the scenario itself
	version string       // 16 hex digits of a digest of all texts
}

// maxExtended is how many scenarios one may extend, all together.
const maxExtended = 20

// loadFamily reads a scenario and all that it extends: embedded scenarios and, for a scenario from a file, files. The
// family has no trees if the scenario itself can't be read.
func loadFamily(of source) (family, findings) {
	l := loader{family: family{invalid: nodeSet{}}, states: map[string]loadState{}, texts: sha256.New()}
	if !l.load(of, nil) {
		l.trees = nil
	}
	l.version = hex.EncodeToString(l.texts.Sum(nil)[:8])
	return l.family, l.findings
}

// loader reads a family.
type loader struct {
	family
	findings
	states    map[string]loadState // by the name of a source
	texts     hash.Hash
	bodyBytes int // of all files of bodies
}

type loadState int

const (
	unread loadState = iota
	reading
	loaded
	broken
)

// load reads a scenario and all that it extends. It reports whether the scenario itself could be read. The chain
// holds the names of the scenarios that led here.
func (l *loader) load(s source, chain []string) bool {
	number := len(l.files)
	l.files = append(l.files, s)
	l.states[s.name] = reading
	_, _ = fmt.Fprintf(l.texts, "%d %s", len(s.text), s.text)
	tree, invalid, found := parse(s.text, number, `a scenario has at least "institutions"`)
	if tree != nil && tree.Kind != yaml.MappingNode {
		found.add(tree, `a scenario is a mapping, not %s: write "key: value" lines such as "name: demo"`, kindOf(tree))
		tree = nil
	}
	if what := formatOf(tree); what != "" && len(found) == 0 {
		found.add(tree, "this is %s, not a scenario: what it answers would be faults with path and then", what)
		tree = nil
	}
	l.findings = append(l.findings, found...)
	if tree == nil {
		l.states[s.name] = broken
		return false
	}
	maps.Copy(l.invalid, invalid)
	l.bodyFiles(tree, s)
	if value := valueOf(tree, "extends"); value != nil {
		l.extend(value, s, append(slices.Clip(chain), s.name))
	}
	l.trees = append(l.trees, tree)
	l.states[s.name] = loaded
	return true
}

// otherFormats are the formats of other tools, with keys that only they have at the top.
var otherFormats = []struct {
	what string
	keys []string
}{
	{"an OpenAPI document", []string{"openapi", "paths"}}, {"a Swagger document", []string{"swagger", "paths"}},
	{"a mapping of WireMock", []string{"request", "response"}},
	{"a list of mappings of WireMock", []string{"mappings"}},
	{"an environment of Mockoon", []string{"uuid", "routes"}},
	{"an expectation of MockServer", []string{"httpRequest", "httpResponse"}},
	{"a collection of Postman", []string{"info", "item"}},
}

// formatOf names the format of another tool, or returns nothing.
func formatOf(tree *yaml.Node) string {
	if valueOf(tree, "institutions") != nil || valueOf(tree, "extends") != nil {
		return ""
	}
	for _, format := range otherFormats {
		isMissing := func(key string) bool { return valueOf(tree, key) == nil }
		if !slices.ContainsFunc(format.keys, isMissing) {
			return format.what
		}
	}
	return ""
}

// extend reads the scenarios that the value of extends names.
func (l *loader) extend(value *yaml.Node, in source, chain []string) {
	names := namesIn(value)
	if len(names) == 0 {
		l.invalid[value] = true
		l.miss(value, `extends is empty: name a scenario, such as "base", or remove the key`)
	}
	for _, name := range names[:min(len(names), maxExtended+1)] {
		isText := name.Kind == yaml.ScalarNode && name.Tag == "!!str" && name.Value != ""
		if !isText {
			l.invalid[name] = true
			l.miss(name, `extends must name a scenario, or list several: `+
				`write "base", for example, or a file such as "shared.yaml"`)
			continue
		}
		s, err := l.find(name.Value, in)
		switch state := l.states[s.name]; {
		case err != nil:
			l.miss(name, "%s", err)
		case state == reading:
			circle := append(chain[slices.Index(chain, s.name):], s.name)
			l.miss(name, "extends is circular, %s: remove one of them", strings.Join(circle, " -> "))
		case state == broken:
			l.partial = true
		case state == loaded:
		case len(l.files) > maxExtended:
			l.miss(name,
				"extends names more than %d scenarios, with those that they extend: join some of them", maxExtended)
		default:
			if !l.load(s, chain) {
				l.partial = true
			}
		}
	}
}

// miss reports that something can't be extended.
func (l *loader) miss(at *yaml.Node, format string, args ...any) {
	l.partial = true
	l.add(at, format, args...)
}

// find reads the scenario that an extends names in another one: an embedded one, or a file.
func (l *loader) find(name string, in source) (source, error) {
	s, err := embedded(name)
	switch {
	case err == nil:
		return s, nil
	case strings.Contains(name, "://"):
		return source{}, fmt.Errorf(
			"extends %s: nothing is fetched from an address: save the file, and name it",
			wording.Quote(redact.URL(name)),
		)
	case in.root == "" && isFile(name):
		return source{}, fmt.Errorf(
			"extends %s: only a scenario that is a file itself can extend a file: name one of %s", wording.Quote(name),
			wording.Names(Names()),
		)
	case in.root == "" && strings.Contains(name, ","):
		return source{}, errors.New(listOfNames(name))
	case in.root == "":
		return source{}, err
	case strings.Contains(name, `\`):
		return source{}, fmt.Errorf("a path has slashes: write %s", wording.Quote(strings.ReplaceAll(name, `\`, "/")))
	}
	return l.findFile(name, in)
}

// findFile reads the file that an extends names in another scenario. A path begins at the folder of that one.
func (l *loader) findFile(name string, in source) (source, error) {
	path, builtIn := filepath.FromSlash(name), strings.TrimSuffix(name, filepath.Ext(name))
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(in.file), path)
	}
	file, looked, err := fileAt(name, path)
	l.touched = append(l.touched, looked...)
	switch {
	case err != nil && strings.Contains(name, ","):
		return source{}, errors.New(listOfNames(name))
	case err != nil && slices.Contains(Names(), builtIn):
		return source{}, fmt.Errorf("extends %s: this scenario is built in: write %s", wording.Quote(name), builtIn)
	case err != nil && !isFile(name):
		return source{}, err
	case err != nil:
		return source{}, fmt.Errorf("extends %s: %w", wording.Quote(name), err)
	case !slices.Contains(endings, filepath.Ext(file)) && !isWithin(in.root, file):
		return source{}, fmt.Errorf(
			"extends %s: outside of its own folder, a scenario extends only files that end in .yaml or .yml",
			wording.Quote(name),
		)
	}
	text, err := readRegular(file)
	s := inFolder(file, text)
	s.root = in.root
	if l.states[s.name] == unread {
		l.touched = append(l.touched, File{file, digest(text, err)})
	}
	if err != nil {
		return source{}, fmt.Errorf("extends %s: the file can't be read: %w", wording.Quote(name), err)
	}
	return s, nil
}

// listOfNames says that several names are a list.
func listOfNames(names string) string {
	return fmt.Sprintf("extends takes several scenarios as a list: write [%s]", wording.Shorten(names))
}

// isWithin reports whether a file is in a folder or below.
func isWithin(folder, file string) bool {
	relative, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(relative)
}

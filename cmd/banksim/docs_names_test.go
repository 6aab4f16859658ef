package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// named finds names of a kind in prose: the groups of the pattern, joined with a blank.
type named struct {
	kind    string
	pattern string
	exists  func(name string) bool
}

// Pages and the doc comments of the Go test kit name only what is there.
func TestNames(t *testing.T) {
	flags, variables := flagsOfCommands()
	repository := readRepository(t)
	for _, text := range repository.code { // such as those that a test reads
		for _, name := range regexp.MustCompile(`BANKSIM_\w+`).FindAllString(text, -1) {
			variables[name] = true
		}
	}
	calls, keys := controlCalls(t), scenarioKeys(t)
	kinds := []named{
		{"identifier", `\b((?:testkit|container|bank|suite)\.[A-Z]\w*)`, repository.hasIdentifier},
		{"identifier", `\[((?:[A-Z]\w*\.)?[A-Z]\w*[a-z]\w*)\](?:[^(]|$)`, repository.hasIdentifier}, // a link of a doc comment
		{"variable", `\b(BANKSIM_[A-Z0-9_]*[A-Z0-9])\b`, func(name string) bool { return variables[name] }},
		{"file", "(?m)(?:^|[ `(])(?:\\./)?((?:\\.ci|\\.github|cmd|docs|fixtures|scenarios|sim|testkit)/[\\w./*-]*)", hasFile},
		{"file", "`(\\w+\\.go)`", func(name string) bool { return repository.files[name] }},
		{"flag", "()`--([a-z-]+)", flags.has},
		{"flag", "`(" + flags.commands() + ")(?: [A-Za-z|…]+)? --([a-z-]+)", flags.has},
		{"call", "`((?:GET|POST|PUT|PATCH|DELETE) (?:/v1|…)/[^`?\\s]+)", calls.has},
		{"call", "`((?:/v1|…)/[^`?\\s]+)", calls.has},
		{"key", "`([a-z]\\w*(?:\\.[a-zA-Z*]\\w*)+)(?:`|: )", keys},
	}
	for _, d := range append(documents(t), repository.comments...) {
		for _, title := range regexp.MustCompile(`title="([\w.]+)"`).FindAllStringSubmatch(d.text, -1) {
			repository.files[title[1]] = true // which the page has the reader write
		}
		for _, line := range strings.Split(d.text, "\n") { // each flag of a command, not only the first
			for command := range flags {
				if _, words, ok := strings.Cut(line, "banksim "+command+" "); ok {
					words = regexp.MustCompile("[`|#;&]| -- ").Split(words, 2)[0]
					for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(words, -1) {
						known := flags.has(command + " " + flag[1])
						assert.True(t, known, "%s: banksim %s has no --%s", d.name, command, flag[1])
					}
				}
			}
		}
		for _, k := range kinds {
			for _, match := range regexp.MustCompile(k.pattern).FindAllStringSubmatch(d.text, -1) {
				name := strings.Join(match[1:], " ")
				assert.True(t, k.exists(name), "%s: there is no %s %s", d.name, k.kind, name)
			}
		}
	}
}

// commandFlags are the flags of each command.
type commandFlags map[string]map[string]bool

// flagsOfCommands returns the flags, and the variables that stand for them.
func flagsOfCommands() (flags commandFlags, variables map[string]bool) {
	flags, variables = commandFlags{}, map[string]bool{}
	model := kong.Must(new(commandLine), parserVars()).Model
	nameVariables(model)
	for _, command := range model.Leaves(false) {
		name := strings.TrimPrefix(command.Path(), "banksim ")
		top, _, _ := strings.Cut(name, " ")
		for _, name := range []string{name, top} {
			if flags[name] == nil {
				flags[name] = map[string]bool{"help": true}
			}
			for _, group := range command.AllFlags(false) {
				for _, flag := range group {
					flags[name][flag.Name] = true
					for _, variable := range flag.Envs {
						variables[variable] = true
					}
				}
			}
		}
	}
	return flags, variables
}

func (f commandFlags) commands() string {
	all := ""
	for name := range f {
		all += "|" + name
	}
	return all[1:]
}

// has reports whether a command, or any if its name is empty, has a flag: both with a blank between them.
func (f commandFlags) has(name string) bool {
	at := strings.LastIndex(name, " ")
	command, flag := name[:at], name[at+1:]
	for name, flags := range f {
		if (command == "" || command == name) && flags[flag] {
			return true
		}
	}
	return false
}

// hasFile reports whether the repository has a file. Words in capitals stand for any name.
func hasFile(name string) bool {
	pattern := regexp.MustCompile(`\b[A-Z]+\b`).ReplaceAllString(strings.TrimRight(name, "./"), "*")
	found, err := filepath.Glob(filepath.Join(root, pattern))
	return err == nil && len(found) > 0
}

// repositoryNames are what the sources have that prose may name.
type repositoryNames struct {
	files       map[string]bool // without their folders
	code        []string        // texts that no comment is in, where the language is Go
	identifiers map[string]bool // testkit.Start, bank.Reset, fault.When
	comments    []document      // of the Go test kit
}

// hasIdentifier reports whether the kit has an identifier, with or without its package.
func (r *repositoryNames) hasIdentifier(name string) bool {
	return r.identifiers[strings.ToLower(name[:1])+name[1:]] || r.identifiers["testkit."+name] ||
		r.identifiers["container."+name]
}

func readRepository(t *testing.T) *repositoryNames {
	r := &repositoryNames{files: map[string]bool{}, identifiers: map[string]bool{}}
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && (entry.Name() == ".git" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			return err
		}
		r.files[entry.Name()] = true
		name := filepath.ToSlash(strings.TrimPrefix(file, filepath.Clean(root)+string(filepath.Separator)))
		switch path.Ext(name) {
		case ".go":
			const mode = parser.ParseComments | parser.SkipObjectResolution
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, mode)
			require.NoError(t, err)
			r.addGo(name, parsed)
		case ".cjs", ".mjs", ".py", ".java", "":
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			r.code = append(r.code, string(text))
		}
		return nil
	}))
	return r
}

// addGo adds the names of a Go file.
func (r *repositoryNames) addGo(name string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			r.code = append(r.code, literal.Value)
		}
		return true
	})
	folder := path.Dir(name)
	if folder != "testkit" && folder != "testkit/container" || strings.HasSuffix(name, "_test.go") {
		return
	}
	for _, comment := range file.Comments {
		r.comments = append(r.comments, document{name: name, text: comment.Text()})
	}
	add := func(of string, names ...*ast.Ident) {
		for _, name := range names {
			r.identifiers[strings.ToLower(of[:1])+of[1:]+"."+name.Name] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			of := path.Base(folder)
			if n.Recv != nil {
				of = receiver.FindString(types.ExprString(n.Recv.List[0].Type))
			}
			add(of, n.Name)
			return false
		case *ast.ValueSpec:
			add(path.Base(folder), n.Names...)
		case *ast.TypeSpec:
			add(path.Base(folder), n.Name)
			if structure, ok := n.Type.(*ast.StructType); ok {
				for _, field := range structure.Fields.List {
					add(n.Name.Name, field.Names...)
				}
			}
		}
		return true
	})
}

// receiver matches the name of the type of a method.
var receiver = regexp.MustCompile(`\w+`)

// patterns are regular expressions, one of which a name must match.
type patterns []*regexp.Regexp

func (all patterns) has(name string) bool {
	for _, pattern := range all {
		if pattern.MatchString(name) {
			return true
		}
	}
	return false
}

// controlCalls returns the calls of the control API, and the paths of the interface that look like one of them.
func controlCalls(t *testing.T) (calls patterns) {
	variable := regexp.MustCompile(`\\\{\w+\\\}`)
	add := func(method, path string) {
		pattern := variable.ReplaceAllString(regexp.QuoteMeta(path), `([\w.-]+|\{\w+\})`)
		pattern = strings.Replace(pattern, `/v1/sandboxes/([\w.-]+|\{\w+\})/`, `(/v1/sandboxes/([\w.-]+|\{\w+\})|…)/`, 1)
		calls = append(calls, regexp.MustCompile("^("+strings.ToUpper(method)+" )?"+pattern+"$"))
	}
	var out bytes.Buffer
	require.Equal(t, exitFine, runWith(t.Context(), nil, &out, io.Discard, "print", "openapi", "--control-api"))
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	for path, methods := range doc.Paths {
		for method := range methods {
			add(method, path)
		}
	}
	for _, op := range contract.Public().Operations {
		add(op.Method, op.Path)
	}
	return calls
}

// scenarioKeys returns a function that reports whether a name with dots is a path of keys of a scenario, an operation,
// a family of them or an entry of the ledger. A name that begins like none of these isn't its business.
func scenarioKeys(t *testing.T) func(name string) bool {
	type schema struct {
		Ref               string `json:"$ref"`
		Properties        map[string]json.RawMessage
		Items, Then, Else json.RawMessage
		AnyOf, OneOf      []json.RawMessage
		Defs              map[string]json.RawMessage `json:"$defs"`
	}
	var out bytes.Buffer
	require.Equal(t, exitFine, runWith(t.Context(), nil, &out, io.Discard, "print", "schema"))
	var whole schema
	require.NoError(t, json.Unmarshal(out.Bytes(), &whole))
	known, begins := map[string]bool{}, map[string]bool{}
	add := func(name string) {
		first, _, _ := strings.Cut(name, ".")
		known[name], begins[first] = true, true
	}
	var walk func(at string, text json.RawMessage)
	walk = func(at string, text json.RawMessage) {
		var s schema
		if strings.Count(at, ".") > 5 || json.Unmarshal(text, &s) != nil {
			return
		}
		walk(at, whole.Defs[path.Base(s.Ref)])
		for _, other := range append(slices.Concat(s.AnyOf, s.OneOf), s.Items, s.Then, s.Else) {
			walk(at, other)
		}
		for name, property := range s.Properties {
			full := strings.TrimPrefix(at+"."+name, ".")
			add(full)
			walk(full, property)
		}
	}
	walk("", out.Bytes())
	for _, op := range contract.AllOperations() {
		family, _, _ := strings.Cut(op.Name, ".")
		add(op.Name)
		add(family + ".*")
	}
	for _, entry := range contract.Ledger() {
		add(entry.ID)
	}
	return func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		return known[name] || known["behavior."+name] || !begins[first]
	}
}

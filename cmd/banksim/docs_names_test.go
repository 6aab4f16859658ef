package main

import (
	"bytes"
	"encoding/json"
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
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
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
	for _, name := range regexp.MustCompile(`BANKSIM_\w+`).FindAllString(repository.code, -1) { // such as those of tests
		variables[name] = true
	}
	calls, keys := controlCalls(), scenarioKeys(t)
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
	code        string          // without the comments of Go
	identifiers map[string]bool // that the Go test kit declares: functions, types, their methods and fields, variables
	comments    []document      // of the Go test kit
}

// hasIdentifier reports whether the kit has an identifier, which may stand behind its package or its type.
func (r *repositoryNames) hasIdentifier(name string) bool {
	return r.identifiers[name[strings.LastIndex(name, ".")+1:]]
}

var (
	goComment = regexp.MustCompile(`(?m)(?:^|\s)//(?: .*)?$`)
	declared  = regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)([A-Z]\w*)`)
)

func readRepository(t *testing.T) *repositoryNames {
	r := &repositoryNames{files: map[string]bool{}, identifiers: map[string]bool{}}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git" || entry.Name() == "node_modules":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		r.files[entry.Name()] = true
		if !slices.Contains([]string{".go", ".cjs", ".mjs", ".py", ".java", ""}, path.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		code := string(text)
		if path.Ext(name) == ".go" {
			code = goComment.ReplaceAllString(code, "")
		}
		isKit := path.Dir(name) == "testkit" || path.Dir(name) == "testkit/container"
		if isKit && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			comments := strings.Join(goComment.FindAllString(string(text), -1), "\n")
			r.comments = append(r.comments, document{name: name, text: strings.ReplaceAll(comments, "// ", "")})
			for _, match := range declared.FindAllStringSubmatch(code, -1) {
				r.identifiers[match[1]] = true
			}
		}
		r.code += code
		return err
	}))
	return r
}

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
func controlCalls() (calls patterns) {
	variable := regexp.MustCompile(`\\\{\w+\\\}`)
	add := func(method, path string) {
		pattern := variable.ReplaceAllString(regexp.QuoteMeta(path), `([\w.-]+|\{\w+\})`)
		pattern = strings.Replace(pattern, `/v1/sandboxes/([\w.-]+|\{\w+\})/`, `(/v1/sandboxes/([\w.-]+|\{\w+\})|…)/`, 1)
		calls = append(calls, regexp.MustCompile("^("+method+" )?"+pattern+"$"))
	}
	for _, call := range controlapi.Calls() {
		add(call.Method, call.Path)
	}
	for _, op := range contract.Public().Operations {
		add(op.Method, op.Path)
	}
	return calls
}

// scenarioKeys returns a function that reports whether a name with dots consists of keys of a scenario, or is an
// operation, a family of them or an entry of the ledger. A name that begins like none of these isn't its business.
func scenarioKeys(t *testing.T) func(name string) bool {
	var schema bytes.Buffer
	require.Equal(t, exitFine, runWith(t.Context(), nil, &schema, io.Discard, "print", "schema"))
	var top struct{ Properties map[string]any }
	require.NoError(t, json.Unmarshal(schema.Bytes(), &top))
	keys, known, begins := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, match := range regexp.MustCompile(`"(\w+)": *\{`).FindAllStringSubmatch(schema.String(), -1) {
		keys[match[1]] = true
	}
	for key := range top.Properties {
		begins[key] = true
	}
	add := func(name string) {
		first, _, _ := strings.Cut(name, ".")
		known[name], known[first+".*"], begins[first] = true, true, true
	}
	for _, op := range contract.AllOperations() {
		add(op.Name)
	}
	for _, entry := range contract.Ledger() {
		add(entry.ID)
	}
	return func(name string) bool {
		steps := strings.Split(name, ".")
		isUnknown := func(step string) bool { return !keys[step] }
		return known[name] || !begins[steps[0]] || !slices.ContainsFunc(steps, isUnknown)
	}
}

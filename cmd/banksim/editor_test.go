package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// The variables of the tests with an editor: the folder node_modules with yaml-language-server, which .ci/editor installs, and whether a test without it fails.
const (
	editorVariable = "BANKSIM_EDITOR"
	requireEditor  = "BANKSIM_REQUIRE_EDITOR"
)

// needsEditor returns the path of a file in node_modules. It skips the test without one, or fails it where it is required.
func needsEditor(t *testing.T, file string) string {
	t.Helper()
	modules := os.Getenv(editorVariable)
	if modules == "" {
		reason := editorVariable + " names no folder with yaml-language-server"
		if os.Getenv(requireEditor) != "" {
			t.Fatalf("%s, and %s requires it", reason, requireEditor)
		}
		t.Skipf("%s: .ci/editor installs them; %s=1 makes this a failure", reason, requireEditor)
	}
	return filepath.Join(modules, filepath.FromSlash(file))
}

// schemaLine is the first line of a scenario that has the schema beside it.
const schemaLine = "# yaml-language-server: $schema=" + schemaFile + "\n"

// startEditor starts a language server in a folder with the schema, as an editor does.
func startEditor(t *testing.T) *languageServer {
	t.Helper()
	program := needsEditor(t, ".bin/yaml-language-server")
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, schemaFile), scenario.Schema(), 0o644))
	return startLanguageServer(t, program, folder)
}

// editorCase is a file with a place in it, and what an editor shows there.
type editorCase struct {
	about, file, text string
	at                lspPosition
	want              []string
	marks             <-chan []diagnostic
}

// editorCases opens the files of a table. The place is at ¦; expectations follow the line ===.
func editorCases(t *testing.T, server *languageServer, name string) []editorCase {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "editor", name+".txtar"))
	require.NoError(t, err)
	cases := make([]editorCase, len(archive.Files))
	for i, f := range archive.Files {
		text, want, found := strings.Cut(string(f.Data), "===\n")
		require.True(t, found, "%s: no ===", f.Name)
		before, after, _ := strings.Cut(schemaLine+strings.TrimSuffix(text, "\n"), "¦")
		c := editorCase{about: f.Name, file: fmt.Sprintf("%s-%d.yaml", name, i), text: before + after, at: endOf(before)}
		if want != "" {
			c.want = strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		}
		c.marks = server.open(c.file, c.text)
		cases[i] = c
	}
	return cases
}

// endOf returns the place at the end of a text.
func endOf(text string) lspPosition {
	return lspPosition{strings.Count(text, "\n"), len([]rune(text[strings.LastIndex(text, "\n")+1:]))}
}

// An editor completes keys and values, explains them, and marks mistakes. The server is that of VS Code, Neovim and others.
func TestEditor(t *testing.T) {
	whole(t)
	t.Parallel()
	server := startEditor(t)
	completions, hovers, marks := editorCases(t, server, "completions"), editorCases(t, server, "hovers"), editorCases(t, server, "marks")
	for _, c := range completions {
		t.Run("completes "+c.about, func(t *testing.T) { checkCompletions(t, server.complete(c.file, c.at), c.want) })
	}
	for _, c := range hovers {
		t.Run("explains "+c.about, func(t *testing.T) {
			shown := server.hover(c.file, c.at)
			for _, text := range c.want {
				assert.Contains(t, shown, text)
			}
		})
	}
	for _, c := range marks {
		t.Run("marks "+c.about, func(t *testing.T) {
			var got []string
			for _, d := range received(t, c.marks, c.about) {
				d.Range.Start.Line-- // without the line of the schema
				got = append(got, d.String())
			}
			assert.Equal(t, c.want, got)
		})
	}
	assert.GreaterOrEqual(t, len(completions)+len(hovers)+len(marks), 40)
}

// What banksim writes names a schema that is there, and an editor marks nothing in it. A schema that isn't there would be marked.
func TestEditorFindsTheSchema(t *testing.T) {
	whole(t)
	t.Parallel()
	server := startEditor(t)
	written := map[string][]string{
		"mine":     {"new", "mine"},
		"child":    {"new", "child", "--extends", "retail"},
		"resolved": {"show", "strict", "--resolved", "--output", "resolved"},
	}
	for _, name := range scenario.Names() {
		written["a-"+name] = []string{"show", name, "--output", "a-" + name}
	}
	marks := map[string]<-chan []diagnostic{}
	require.NoError(t, os.Mkdir(filepath.Join(server.folder, "written"), 0o755))
	for name, command := range written {
		file := "written/" + name + ".yaml"
		path := filepath.Join(server.folder, filepath.FromSlash(file))
		command[slices.Index(command, name)] = path
		var out, errs bytes.Buffer
		require.Equal(t, exitFine, run(t.Context(), append([]string{"scenarios"}, command...), &out, &errs), errs.String())
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		marks[file] = server.open(file, string(source))
	}
	for file, marks := range marks {
		assert.Empty(t, received(t, marks, file), file)
	}
	assert.NotEmpty(t, received(t, server.open("nowhere/mine.yaml", schemaLine+"extends: retail\n"), "a schema that isn't there"))
}

// checkCompletions compares what is offered with expectations, each a label. What is inserted may follow after =>, and a part of
// the documentation after |. With ! before it, a label must not be offered. After the line "only", others must not be, either.
func checkCompletions(t *testing.T, offered []completion, want []string) {
	t.Helper()
	byLabel := map[string]completion{}
	for _, c := range offered {
		byLabel[c.Label] = c
	}
	only := slices.Contains(want, "only")
	for _, line := range want {
		if line == "only" {
			continue
		}
		line, about, _ := strings.Cut(line, " | ")
		label, inserted, inserts := strings.Cut(line, " => ")
		if label, not := strings.CutPrefix(label, "!"); not {
			assert.NotContains(t, byLabel, label)
			continue
		}
		if !assert.Contains(t, byLabel, label) {
			continue
		}
		c := byLabel[label]
		assert.Contains(t, string(c.Documentation), about)
		if inserts {
			assert.Equal(t, inserted, fmt.Sprintf("%q", c.inserts()))
		}
		delete(byLabel, label)
	}
	if only {
		assert.Empty(t, slices.Sorted(maps.Keys(byLabel)))
	}
}

// An editor offers every key of a scenario where it may stand, and for each the values that the schema knows: in a file that
// extends nothing, and in one that extends another.
func TestEditorOffersEveryKey(t *testing.T) {
	whole(t)
	t.Parallel()
	server := startEditor(t)
	var schema struct {
		Definitions map[string]*schemaPart `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(scenario.Schema(), &schema))
	const file = "every.yaml"
	server.open(file, schemaLine)
	o := offering{t: t, definitions: schema.Definitions, offered: func(text string) []string {
		server.change(file, schemaLine+text)
		var labels []string
		for _, c := range server.complete(file, endOf(schemaLine+text)) {
			labels = append(labels, c.Label)
		}
		return labels
	}}
	o.visit(schema.Definitions["scenario"], "", "", nil)
	o.visit(schema.Definitions["extending.scenario"], "extends: retail\n", "", []string{"scenario"})
	assert.Greater(t, o.keys, 400)
	assert.Greater(t, o.values, 300)
}

// schemaPart is a part of the schema of scenarios.
type schemaPart struct {
	Ref        string                   `json:"$ref"`
	Properties map[string]*schemaPart   `json:"properties"`
	Items      *schemaPart              `json:"items"`
	AnyOf      []*schemaPart            `json:"anyOf"`
	Enum       []any                    `json:"enum"`
	Examples   []any                    `json:"examples"`
	Snippets   []struct{ Label string } `json:"defaultSnippets"`
}

// UnmarshalJSON reads a part. A boolean is one without keywords.
func (p *schemaPart) UnmarshalJSON(data []byte) error {
	type plain schemaPart
	if data[0] != '{' {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*plain)(p))
}

// offering compares what is offered at the end of texts with the schema.
type offering struct {
	t            *testing.T
	definitions  map[string]*schemaPart
	offered      func(text string) []string
	keys, values int
}

// visit compares the keys of a mapping, and what is below them. Its keys stand at the end of a text, after a prefix. Below are the
// definitions that it is in.
func (o *offering) visit(mapping *schemaPart, text, prefix string, within []string) {
	offered := o.offered(text + prefix)
	for _, key := range slices.Sorted(maps.Keys(mapping.Properties)) {
		if strings.Contains(text, "\n"+key+":") || strings.HasPrefix(text, key+":") && prefix == "" {
			continue // it is there already
		}
		o.keys++
		assert.Contains(o.t, offered, key, "at the end of\n%s", text+prefix)
		property := mapping.Properties[key]
		o.value(property, text+prefix+key+": ")
		o.below(property, text+prefix+key+":\n", strings.Repeat(" ", len(prefix)+2), within)
	}
}

// below visits the mappings in a value.
func (o *offering) below(value *schemaPart, text, indent string, within []string) {
	if value.Items != nil {
		o.below(value.Items, text, indent+"- ", within)
	}
	if name := strings.TrimPrefix(value.Ref, "#/$defs/"); name != "" && !slices.Contains(within, name) {
		o.visit(o.definitions[name], text, indent, append(slices.Clone(within), name))
	}
	for _, alternative := range value.AnyOf {
		o.below(alternative, text, indent, within)
	}
	if value.Properties != nil {
		o.visit(value, text, indent, within)
	}
}

// value compares the values that are offered for a key.
func (o *offering) value(of *schemaPart, text string) {
	var want []string
	for _, part := range append([]*schemaPart{of}, of.AnyOf...) {
		for _, value := range append(part.Enum, part.Examples...) {
			want = append(want, strings.ReplaceAll(fmt.Sprint(value), "<nil>", "null"))
		}
		for _, s := range part.Snippets {
			want = append(want, s.Label)
		}
	}
	if len(want) == 0 {
		return
	}
	o.values++
	offered := o.offered(text)
	for _, value := range want {
		found := slices.ContainsFunc(offered, func(label string) bool {
			label = strings.TrimSuffix(strings.Trim(label, `"`), "...")
			return label == value || len(label) > 50 && strings.HasPrefix(value, label)
		})
		assert.True(o.t, found, "%s is not among %q at the end of\n%s", value, offered, text)
	}
}

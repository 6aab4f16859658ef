package main

import (
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

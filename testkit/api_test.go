package testkit_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// A reader takes in what testkit offers in one sitting, and finds each name in the documentation or in an example.
func TestExportedNames(t *testing.T) {
	set := token.NewFileSet()
	var files []*ast.File
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	shown := []string{"../docs/testing-go.md", "../docs/exploring.md"}
	for _, name := range sources {
		switch {
		case strings.HasPrefix(name, "example_"):
			shown = append(shown, name)
		case !strings.HasSuffix(name, "_test.go") && name != "operations.go":
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	var text strings.Builder
	for _, name := range shown {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		text.Write(content)
	}
	p, err := doc.NewFromFiles(set, files, "testkit")
	require.NoError(t, err)

	var names []string
	add := func(values []*doc.Value, functions []*doc.Func) {
		for _, v := range values {
			names = append(names, v.Names...)
		}
		for _, f := range functions {
			names = append(names, f.Name)
		}
	}
	add(append(p.Consts, p.Vars...), p.Funcs)
	for _, typ := range p.Types {
		if len(typ.Funcs) == 0 { // otherwise the functions that return it are shown
			names = append(names, typ.Name)
		}
		add(append(typ.Consts, typ.Vars...), append(typ.Funcs, typ.Methods...))
		if typ.Name == "Bank" {
			assert.LessOrEqual(t, len(typ.Methods), 28)
		}
	}
	assert.LessOrEqual(t, len(p.Types), 30)
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == "MarshalJSON" || regexp.MustCompile(`\b`+name+`\b`).MatchString(text.String())
	})
	assert.Empty(t, names, "neither the documentation nor an example shows these")
}

// Each operation has a constant, with what the operation does.
func TestOperations(t *testing.T) {
	source, err := os.ReadFile("operations.go")
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(source)) {
		if strings.Contains(line, " = ") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	var want []string
	for _, op := range contract.Document().Operations {
		name := ""
		for part := range strings.SplitSeq(op.Name, ".") {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
		want = append(want, fmt.Sprintf("%s = %q // %s", name, op.Name, op.Summary))
	}
	assert.Equal(t, want, lines)
}

// The control API has each member of the state.
func TestStateIsThatOfTheControlAPI(t *testing.T) {
	hasMembers(t, reflect.TypeFor[testkit.State](), reflect.TypeFor[api.State]())
}

func hasMembers(t *testing.T, kit, sent reflect.Type) {
	if kit.Kind() != reflect.Struct {
		if kit.Kind() == reflect.Slice || kit.Kind() == reflect.Pointer {
			hasMembers(t, kit.Elem(), sent.Elem())
		}
		return
	}
	members := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(sent) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		members[name] = field.Type
	}
	for _, field := range reflect.VisibleFields(kit) {
		if name := field.Tag.Get("json"); name != "" && assert.Contains(t, members, name, "%v", kit) {
			hasMembers(t, field.Type, members[name])
		}
	}
}

package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// stringsOf calls fn for each string, struct tags included, of the Go files of the module that are not tests.
func stringsOf(t *testing.T, fn func(file, text string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				fn(filepath.ToSlash(name), literal.Value)
			}
			return true
		})
		return nil
	}))
}

var (
	wireCode   = regexp.MustCompile(`(UXESTMT|CMN|PRMVAL|PRMSYS|PRMAPS)_\d+|BANKSIM_[A-Z]+(_[A-Z]+)*`)
	publicPath = regexp.MustCompile(`/digitalbanking/[/a-z0-9-]*`)
)

// Each wire code and each path is written in one file of the contract, and nowhere else.
func TestFactsAreWrittenOnce(t *testing.T) {
	codes := map[string]bool{contract.InjectedCode: true}
	for _, i := range contract.Interfaces() {
		for _, f := range i.Families {
			for _, i := range f.Injections() {
				codes[i.Code] = true
			}
		}
	}
	for _, op := range contract.Document().Operations {
		for _, r := range op.Conditions() {
			codes[r.Code] = true
		}
	}
	written := map[string]string{}
	stringsOf(t, func(file, text string) {
		for _, fact := range append(wireCode.FindAllString(text, -1), publicPath.FindAllString(text, -1)...) {
			if strings.HasPrefix(fact, "BANKSIM_") && !codes[fact] {
				continue // a variable of the environment
			}
			assert.True(t, strings.HasPrefix(file, "sim/contract/"), "%s says %s, which is the contract's to say", file,
				fact)
			if in, ok := written[fact]; ok {
				assert.Equal(t, in, file, "%s is written in two files", fact)
			}
			written[fact] = file
		}
	})
	for code := range codes {
		if wireCode.MatchString(code) {
			assert.NotEmpty(t, written[code], code)
		}
	}
}

// Operations and entries are named by identifier: outside the contract, no string names one. The constants of testkit
// are for apps, which see no contract.
func TestNamesAreIdentifiers(t *testing.T) {
	var names []string
	for _, name := range contract.Names() {
		names = append(names, regexp.QuoteMeta(name))
	}
	for _, e := range contract.Ledger() {
		names = append(names, regexp.QuoteMeta(e.ID))
	}
	switches := map[string]bool{}
	for _, s := range contract.Switches() {
		switches[s.Key] = true
	}
	named := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	stringsOf(t, func(file, text string) {
		if strings.HasPrefix(file, "sim/contract/") || file == "testkit/operations.go" {
			return
		}
		for _, name := range named.FindAllString(text, -1) {
			assert.True(t, switches[name], "%s names %s in a string: use the contract's identifier", file, name)
		}
	})
}

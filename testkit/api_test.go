package testkit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A reader takes in what testkit offers in one sitting: functions, types and methods together.
func TestExportedNamesAreFew(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				if declared.Name.IsExported() && isExportedMethod(declared) {
					names = append(names, declared.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() {
						names = append(names, spec.Name.Name)
					}
				}
			}
		}
	}
	assert.LessOrEqual(t, len(names), 115, names)
	assert.Contains(t, names, "Start")
}

// isExportedMethod reports whether a function is one of an exported type, or of none.
func isExportedMethod(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}

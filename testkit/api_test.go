package testkit_test

import (
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The exported API mentions only types of the standard library and of testkit itself.
func TestExportedTypes(t *testing.T) {
	const self = "github.com/digitalbanking-sim/banksim/testkit"
	packages := dependencies(t)
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(packages[path].Export)
	})
	testkit, err := imports.Import(self)
	require.NoError(t, err)
	allowed := func(p *types.Package) bool {
		return p == nil || packages[p.Path()].Standard || p == testkit
	}
	seen := map[types.Type]bool{}
	var check func(where string, of types.Type)
	object := func(where string, o types.Object) {
		if o.Exported() {
			check(where+"."+o.Name(), o.Type())
		}
	}
	check = func(where string, of types.Type) {
		if seen[of] {
			return
		}
		seen[of] = true
		switch of := of.(type) {
		case *types.Basic, *types.TypeParam:
		case *types.Alias:
			assert.True(t, allowed(of.Obj().Pkg()), "%s mentions %s", where, of)
			check(where, types.Unalias(of))
		case *types.Named:
			if assert.True(t, allowed(of.Obj().Pkg()), "%s mentions %s", where, of) && of.Obj().Pkg() == testkit {
				for method := range of.Methods() {
					object(where, method)
				}
				check(where, of.Underlying())
			}
		case *types.Struct:
			for field := range of.Fields() {
				object(where, field)
			}
		case *types.Interface:
			for method := range of.Methods() {
				object(where, method)
			}
		case *types.Signature:
			check(where, of.Params())
			check(where, of.Results())
		case *types.Tuple:
			for v := range of.Variables() {
				check(where, v.Type())
			}
		case *types.Map:
			check(where, of.Key())
			check(where, of.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
			check(where, of.Elem())
		default:
			assert.Fail(t, fmt.Sprintf("%s has a type of an unknown kind: %T", where, of))
		}
	}
	for _, name := range testkit.Scope().Names() {
		object("testkit", testkit.Scope().Lookup(name))
	}
	assert.Greater(t, len(seen), 50)
}

type goPackage struct {
	ImportPath, Export string
	Standard           bool
}

// dependencies returns the packages that testkit depends on, and itself, by path. Export is a file with a package's types.
func dependencies(t *testing.T) map[string]goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Export,Standard", ".")
	out, err := list.Output()
	require.NoError(t, err)
	packages := map[string]goPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p goPackage
		require.NoError(t, decoder.Decode(&p))
		packages[p.ImportPath] = p
	}
	return packages
}

package format

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// readComments returns the comments of the fields of all structs in folders. A key is the name of the definition, a dot
// and the name of the field. Of two structs with one definition, the one in the later folder counts.
func readComments(folders ...string) (map[string]string, error) {
	comments := map[string]string{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			name := entry.Name()
			if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			addComments(comments, file)
		}
	}
	return comments, nil
}

// addComments adds the comments of the fields of the structs in a file.
func addComments(comments map[string]string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isType := n.(*ast.TypeSpec)
		if !isType {
			return true
		}
		if of, isStruct := spec.Type.(*ast.StructType); isStruct {
			definition := definitionName(file.Name.Name, spec.Name.Name)
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					comments[definition+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
		}
		return false
	})
}

package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The kinds of mistakes. fixtures/bad/KINDS.txt lists those of each file.
const (
	syntaxKind    = "syntax"    // the file can't be parsed, or not completely
	structureKind = "structure" // the schema refuses the file
	semanticKind  = "semantic"  // beyond a schema: references, duplicates, contradictions, what is extended
)

// TestSchemaAndLoaderAgree validates files with the schema alone, as an editor does, and with the loader. Both accept
// the catalogue. Of the bad scenarios, the schema refuses exactly those in whose structure the loader finds a mistake.
func TestSchemaAndLoaderAgree(t *testing.T) {
	t.Parallel()
	editor := published(t)
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		assert.NoError(t, editor.Validate(asJSON(t, source)), name)
	}

	var table strings.Builder
	for _, file := range badScenarios(t) {
		kinds := kindsOf(t, file)
		table.WriteString(filepath.Base(file) + ": " + strings.Join(kinds, ", ") + "\n")
		if slices.Contains(kinds, syntaxKind) {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		refused := editor.Validate(asJSON(t, source))
		if slices.Contains(kinds, structureKind) {
			assert.Error(t, refused, "%s: the loader finds its structure invalid, the schema doesn't", file)
		} else {
			assert.NoError(t, refused, "%s: the schema finds its structure invalid, the loader doesn't", file)
		}
	}
	generated(t, badFolder+"KINDS.txt", table.String())
}

// kindsOf returns the kinds of mistakes that the loader finds in a file, by the step that finds them. It ignores mistakes
// in files that the file extends.
func kindsOf(t *testing.T, file string) []string {
	t.Helper()
	found, err := find(file)
	require.NoError(t, err)
	alone := newReport(file)
	tree := alone.read(file, found.source)
	if tree == nil || len(alone.problems) > 0 {
		return []string{syntaxKind}
	}
	extends := valueOf(tree, "extends")
	r := newReport(file)
	top := found.layers(r)
	if top == nil {
		for _, p := range r.problems {
			if strings.HasPrefix(p.Message, "extends must name") || strings.HasPrefix(p.Message, "extends is empty") {
				return []string{structureKind}
			}
		}
		return []string{semanticKind}
	}
	order := top.order()
	root := r.over(r.merged(order[:len(order)-1]), top)
	structure, semantic := false, false
	for _, p := range r.problems {
		isStructure := strings.Contains(p.Message, "needs the key of")
		structure, semantic = structure || isStructure, semantic || !isStructure
	}
	var d0 document
	require.NoError(t, alone.decode(tree, wholeScenario, "the scenario", &d0))
	here := map[[2]int]bool{} // where the file itself is invalid, whatever it extends
	for _, p := range alone.problems {
		here[[2]int{p.Line, p.Column}] = !strings.Contains(p.Message, "extends nothing") || extends == nil
	}
	merged := len(r.problems)
	var d document
	require.NoError(t, r.decode(root, wholeScenario, "the scenario", &d))
	for _, p := range r.problems[merged:] {
		key, _, missing := strings.Cut(p.Message, " is missing")
		isID := false
		for list, id := range keyed {
			isID = isID || list != "disclosures" && id.identifies(key)
		}
		switch {
		case p.File != file:
		case extends != nil && missing && !isID: // the extended scenario could have it
			semantic = true
		case !here[[2]int{p.Line, p.Column}]: // it depends on what is inherited
			semantic = true
		default:
			structure = true
		}
	}
	merged = len(r.problems)
	r.check(root, d)
	for _, p := range r.problems[merged:] {
		isStructure := strings.HasPrefix(p.Message, "unknown operation") // see explain
		structure, semantic = structure || isStructure, semantic || !isStructure
	}
	var kinds []string
	if structure {
		kinds = append(kinds, structureKind)
	}
	if semantic {
		kinds = append(kinds, semanticKind)
	}
	return kinds
}

// asJSON returns the content of a YAML source as decoded from JSON.
func asJSON(t *testing.T, source []byte) any {
	t.Helper()
	r := newReport("editor.yaml")
	root := r.read("editor.yaml", source)
	require.NotNil(t, root, r.problems)
	var value any
	require.NoError(t, root.Decode(&value))
	return value
}

package sim_test

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/digitalbanking-sim/banksim"

// layers are the packages from the innermost to the outermost. A package imports only from layers further in, so
// those of one layer never import each other.
var layers = [][]string{
	{"sim/wording", "sim/lazy"},
	{"sim", "sim/memory", "sim/strictjson", "sim/batch", "sim/logqueue", "sim/tlsca", "scenarios", "docs",
		"sim/pipe"},
	{"sim/contract", "fixtures"},
	{"sim/contract/openapi", "sim/match", "sim/redact"},
	{"sim/fault", "sim/journal"},
	{"sim/scenario", "sim/explanation", "sim/coverage", "sim/verdict", "sim/infer/capture"},
	{"sim/internal/gen/format"},
	{"sim/internal/gen/schema", "sim/internal/gen/reference", "sim/internal/gen/messages"},
	{"sim/sandbox", "sim/explore"},
	{"sim/report", "sim/api", "sim/store", "sim/export"},
	{"sim/bankapi", "sim/controlapi", "sim/console", "sim/metrics", "sim/watch"},
	{"sim/server", "sim/infer", "sim/conformance", "sim/controlapi/openapi"},
	{"sim/mcp", "sim/internal/simtest", "sim/internal/gen/stores", "sim/internal/gen/controlapi"},
	{"cmd/banksim", "testkit"},
	{"testkit/container", "testkit/internal/types"},
}

// goList returns the lines that go list prints for the packages in the module's format.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestImportsPointInwards(t *testing.T) {
	layer := map[string]int{}
	for i, packages := range layers {
		for _, p := range packages {
			layer[module+"/"+p] = i
		}
	}
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		names := strings.Fields(line)
		importer := names[0]
		outer, known := layer[importer]
		if !assert.True(t, known, "%s has no layer", importer) {
			continue
		}
		for _, imported := range names[1:] {
			if inner, ours := layer[imported]; ours {
				assert.Less(t, inner, outer, "%s imports %s", importer, imported)
			}
			if imported == module+"/fixtures" {
				assert.Contains(t, []string{module + "/sim/conformance", module + "/sim/internal/simtest"}, importer,
					"only a replay needs golden exchanges")
			}
			if strings.HasPrefix(imported, "gopkg.in/yaml") {
				assert.Contains(
					t, []string{module + "/sim/scenario", module + "/sim/infer"}, importer,
					"only scenarios are in YAML",
				)
			}
		}
	}
}

// What only tests and containers need is in neither the program nor testkit, and the domain needs btree alone.
func TestDependenciesStaySmall(t *testing.T) {
	for folder, unwanted := range map[string][]string{
		"./cmd/banksim": {"testcontainers", "moby", "testify", "kin-openapi", "rapid", "invopop", "porcupine",
			"chromedp", "huma", "santhosh-tekuri"},
		"./testkit": {"testcontainers", "moby", "containerd", "opentelemetry", "modelcontextprotocol", "prometheus",
			"sim/infer"},
		"./sim": {"net/http", "crypto/rand", "yaml"},
	} {
		for _, path := range goList(t, "-deps", "-test="+strconv.FormatBool(folder == "./testkit"), folder) {
			for _, library := range unwanted {
				assert.NotContains(t, path, library, folder)
			}
		}
	}
	for _, path := range goList(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./sim") {
		assert.Contains(t, []string{"", module + "/sim", "github.com/tidwall/btree"}, path)
	}
}

// A package that imports sim compiles none of the code of its tables again. That took most of the time of a first
// build; see [sim.World]. A generic type in an exported struct or in a signature leads there, and so does a small
// function that is inlined.
func TestTablesAreCompiledOnce(t *testing.T) {
	for _, line := range goList(t, "-export", "-f", `{{.ImportPath}} {{join .Imports ","}} {{.Export}}`, "./sim/...") {
		fields := strings.Fields(line)
		if len(fields) < 3 || !slices.Contains(strings.Split(fields[1], ","), module+"/sim") {
			continue
		}
		compiled, err := os.ReadFile(fields[2])
		require.NoError(t, err)
		assert.False(t, bytes.Contains(compiled, []byte("/sim.(*sorted[")), fields[0])
	}
}

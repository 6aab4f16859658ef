package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// comparePerformance runs .ci/performance on a document and on what a benchmark printed.
func comparePerformance(t *testing.T, document, output string) (printed, complained string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"page.md": document, "output": output} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command("bash", filepath.Join(root, ".ci", "performance"), filepath.Join(dir, "page.md"), filepath.Join(dir, "output"))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), strings.ReplaceAll(errs.String(), dir+"/", ""), err
}

// ratios returns a document with a table of ratios.
func ratios(rows ...string) string {
	return "# Page\n\n| other.table | 0.11 |\n\n<!-- ratios -->\n| operation | of bare | three runs |\n|---|---|---|\n" +
		strings.Join(rows, "\n") + "\n<!-- end -->\n\n| after.table | 0.12 |\n"
}

// measured returns a line of the benchmark's output.
func measured(operation, ratio string) string {
	return fmt.Sprintf("BenchmarkServeBesideBare/%s-2 \t 12\t 1.139 bare-p50-ms\t %s\t 1.412 p99-times\n", operation, ratio)
}

func TestPerformanceIsCompared(t *testing.T) {
	t.Parallel()
	needsTool(t, "bash")
	for name, test := range map[string]struct {
		document, output, printed, complained string
	}{
		"as documented, or faster": {
			document: ratios("| groups.list | 0.79 | 0.78, 0.79, 0.80 |", "| groups.create | 0.50 | 0.5, 0.5, 0.5 |"),
			output:   "goos: linux\n" + measured("groups.list", "0.7812 of-bare") + measured("groups.create", "0.9000 of-bare") + "PASS\n",
			printed:  "groups.list: 0.78 of bare (document: 0.79)\ngroups.create: 0.90 of bare (document: 0.50)\n",
		},
		"slower": {
			document: ratios("| groups.list | 0.80 | |", "| groups.create | 0.50 | |"),
			output:   measured("groups.list", "0.7190 of-bare") + measured("groups.create", "0.4510 of-bare"),
			printed: "groups.list: 0.72 of bare (document: 0.80)\n" +
				"warning: groups.list fell by 10 %: measure it on a machine that does nothing else\n" +
				"groups.create: 0.45 of bare (document: 0.50)\n",
		},
		"one core": {
			document: ratios("| groups.list | 0.79 | |"),
			output:   strings.Replace(measured("groups.list", "0.7900 of-bare"), "-2 ", " ", 1),
			printed:  "groups.list: 0.79 of bare (document: 0.79)\n",
		},
		"an operation that was not measured": {
			document:   ratios("| groups.lits | 0.79 | |"),
			output:     measured("groups.list", "0.7900 of-bare"),
			complained: "the benchmark measures groups.list, which the table in page.md lacks\nperformance: the table in page.md has groups.lits, which the benchmark did not measure\n",
		},
		"an operation that is not documented": {
			document:   ratios("| groups.list | 0.79 | |"),
			output:     measured("groups.list", "0.7900 of-bare") + measured("groups.create", "0.5000 of-bare"),
			printed:    "groups.list: 0.79 of bare (document: 0.79)\n",
			complained: "the benchmark measures groups.create, which the table in page.md lacks\n",
		},
		"nothing measured": {
			document:   ratios("| groups.list | 0.79 | |"),
			output:     "PASS\n",
			complained: "the table in page.md has groups.list, which the benchmark did not measure\n",
		},
		"no ratio measured": {
			document:   ratios("| groups.list | 0.79 | |"),
			output:     measured("groups.list", "NaN of-bare"),
			complained: "the benchmark printed no of-bare for groups.list\nperformance: the table in page.md has groups.list, which the benchmark did not measure\n",
		},
		"a table that is no number": {
			document:   ratios("| groups.list | fast | |"),
			output:     measured("groups.list", "0.7900 of-bare"),
			complained: "the table of ratios in page.md has no ratio in: | groups.list | fast | |\n",
		},
		"no table": {
			document:   "# Page\n\n| operation | of bare |\n|---|---|\n| groups.list | 0.79 |\n",
			output:     measured("groups.list", "0.7900 of-bare"),
			complained: "page.md has no table of ratios between <!-- ratios --> and <!-- end -->\n",
		},
		"an empty document": {
			output:     measured("groups.list", "0.7900 of-bare"),
			complained: "page.md has no table of ratios between <!-- ratios --> and <!-- end -->\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			printed, complained, err := comparePerformance(t, test.document, test.output)
			assert.Equal(t, test.printed, printed)
			if test.complained == "" {
				assert.NoError(t, err, complained)
			} else {
				assert.Error(t, err)
				assert.Contains(t, complained, "performance: "+test.complained)
			}
		})
	}
}

// The page about performance has a ratio for each operation that the benchmark measures.
func TestPerformancePageHasRatios(t *testing.T) {
	t.Parallel()
	needsTool(t, "bash")
	page, err := os.ReadFile(filepath.Join(root, "docs", "performance.md"))
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(root, "sim", "bankapi", "serve_bench_test.go"))
	require.NoError(t, err)
	var output strings.Builder
	_, table, found := strings.Cut(string(source), "besideBare = []")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n}\n")
	for _, match := range regexp.MustCompile(`(?m)^\t\{"([^"]+)", `).FindAllStringSubmatch(table, -1) {
		output.WriteString(measured(match[1], "1.0000 of-bare"))
	}
	printed, complained, err := comparePerformance(t, string(page), output.String())
	require.NoError(t, err, complained)
	assert.Equal(t, 3, strings.Count(printed, " of bare (document: "), printed)
}

var (
	benchmarkCommand = regexp.MustCompile(`go test (\./[\w/]+) -run '\^\$' -bench '?([\w/]+)`)
	benchmarkNames   = regexp.MustCompile(`(?m)^func Benchmark(\w*)\(`)
)

// The benchmarks that the documents name exist in the packages that they name.
func TestBenchmarksOfTheDocuments(t *testing.T) {
	t.Parallel()
	named, commands := 0, 0
	for _, d := range documents(t) {
		commands += strings.Count(d.text, " -bench ") - strings.Count(d.text, " -bench . ") // all of them
		for _, match := range benchmarkCommand.FindAllStringSubmatch(d.text, -1) {
			named++
			files, err := filepath.Glob(filepath.Join(root, match[1], "*_test.go"))
			require.NoError(t, err)
			var names []string
			for _, file := range files {
				source, err := os.ReadFile(file)
				require.NoError(t, err)
				for _, name := range benchmarkNames.FindAllSubmatch(source, -1) {
					names = append(names, string(name[1]))
				}
			}
			wanted, _, _ := strings.Cut(match[2], "/")
			assert.Contains(t, names, wanted, "%s names %s", d.name, match[0])
		}
	}
	assert.NotZero(t, named)
	assert.Equal(t, commands, named, "a command with -bench has another form than: go test ./FOLDER -run '^$' -bench NAME")
}

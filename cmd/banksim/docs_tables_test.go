package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// The tables of the documents that say what the code says, too, are written from it.
func TestTables(t *testing.T) {
	tables := map[string]string{
		"operations":  operationTable(),
		"connections": connectionTable(t),
		"calls":       callTable(t),
	}
	for _, d := range documents(t) {
		text := d.text
		for name, content := range tables {
			begin := "<!-- generated: " + name + " -->\n"
			if before, after, found := strings.Cut(text, begin); found {
				_, after, closed := strings.Cut(after, "<!-- end -->\n")
				require.True(t, closed, "%s has no end of %s", d.name, name)
				text = before + begin + content + "<!-- end -->\n" + after
				delete(tables, name)
			}
		}
		if *update {
			require.NoError(t, os.WriteFile(d.file, []byte(text), 0o644))
		} else {
			assert.Equal(t, text, d.text, "%s is out of date: run go generate ./... and read the diff", d.name)
		}
	}
	assert.Empty(t, tables, "no document has a place for these tables")
}

// operationTable returns the operations in columns, each with its path as the interface shows it.
func operationTable() string {
	rows := "```text\n"
	for _, op := range contract.Document().Operations {
		path, separator := op.Path, "?"
		for _, p := range op.Parameters {
			if p.In == "query" && len(p.Cites) == 0 { // one that the interface shows
				path += separator + p.Name + "="
				separator = "&"
			}
		}
		rows += fmt.Sprintf("%-34s %-6s %s\n", op.Name, op.Method, path)
	}
	return rows + "```\n"
}

// connectionTable returns a list of the kinds of connection faults.
func connectionTable(t *testing.T) string {
	rows := ""
	for _, kind := range fault.Kinds {
		about := kind.Describe()
		forms := "`" + about.Name + "`"
		if example := about.Example(); example != nil {
			text, err := json.Marshal(example)
			require.NoError(t, err)
			forms += ", `" + strings.NewReplacer(`"`, "", ":", ": ", ",", ", ").Replace(string(text)) + "`"
		}
		rows += "- " + forms + ": " + about.About + "\n"
	}
	return rows
}

// callTable returns a table of the calls of the control API.
func callTable(t *testing.T) string {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	place := func(c controlapi.Call) int { return slices.Index(methods, c.Method) }
	calls := slices.SortedFunc(slices.Values(controlapi.Calls()), func(a, b controlapi.Call) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(place(a), place(b)))
	})
	rows := "| call | does | such as |\n|---|---|---|\n"
	for _, c := range calls {
		short := strings.Replace(c.Path, "/v1/sandboxes/{sandbox}/", "…/", 1)
		summary, _, _ := strings.Cut(strings.TrimSuffix(c.Description, "."), ". ")
		example := ""
		if c.Example != "" {
			var body any
			require.NoError(t, json.Unmarshal([]byte(c.Example), &body))
			text, err := json.Marshal(body)
			require.NoError(t, err)
			example = "`" + string(text) + "`"
		}
		rows += fmt.Sprintf("| `%s %s` | %s | %s |\n", c.Method, short, summary, example)
	}
	return rows
}

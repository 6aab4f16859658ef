package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// The tables that state facts of the interface are written from the contract.
func TestTablesOfTheInterface(t *testing.T) {
	tables := map[string]string{
		"operations": table("operation | method and path", func(op *contract.Operation) string {
			path, separator := op.Path, "?"
			for _, p := range op.Parameters {
				if p.In == "query" && len(p.Rests) == 0 { // one that the interface shows
					path += separator + p.Name + "="
					separator = "&"
				}
			}
			return op.Method + " " + path
		}),
		"error codes": table("operation | "+strings.Trim(strings.ReplaceAll(fmt.Sprint(injected), " ", " | "), "[]"), func(op *contract.Operation) string {
			codes := make([]string, len(injected))
			for i, status := range injected {
				codes[i] = op.Family.Injection(status).Code
				if !op.Lists(status) {
					codes[i] += " (*)"
				}
			}
			return strings.Join(codes, " | ")
		}),
		"codes of families": familyTable(),
		"connections":       connectionTable(t),
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

// familyTable returns a table of the codes that a fault can name, by family and status.
func familyTable() string {
	rows := "| operations | status | codes |\n|---|---|---|\n"
	for _, f := range contract.Families {
		var operations []string
		for _, op := range contract.Operations {
			if op.Family == f {
				operations = append(operations, op.Name)
			}
		}
		codes, statuses := map[int][]string{}, []int{}
		for _, i := range f.Injections() {
			if len(codes[i.Status]) == 0 {
				statuses = append(statuses, i.Status)
			}
			codes[i.Status] = append(codes[i.Status], i.Code)
		}
		slices.Sort(statuses)
		for _, status := range statuses {
			rows += fmt.Sprintf("| %s | %d | %s |\n", strings.Join(operations, ", "), status, strings.Join(codes[status], ", "))
		}
	}
	return rows
}

// connectionTable returns a table of the kinds of connection faults.
func connectionTable(t *testing.T) string {
	rows := "| `connection` | on the wire |\n|---|---|\n"
	for _, kind := range fault.Kinds {
		forms := "`" + string(kind) + "`"
		if example, ok := kind.Example(); ok {
			text, err := json.Marshal(example)
			require.NoError(t, err)
			forms += ", `" + strings.NewReplacer(`"`, "", ":", ": ", ",", ", ").Replace(string(text)) + "`"
		}
		rows += "| " + forms + " | " + kind.About() + " |\n"
	}
	return rows
}

// injected are the statuses whose codes the table of injected errors has.
var injected = []int{400, 401, 403, 404, 500, 503}

// table returns a table with a row for each operation.
func table(head string, cell func(*contract.Operation) string) string {
	rows := "| " + head + " |\n" + strings.Repeat("|---", strings.Count(head, "|")+1) + "|\n"
	for _, op := range contract.Operations {
		rows += "| " + op.Name + " | " + cell(op) + " |\n"
	}
	return rows
}

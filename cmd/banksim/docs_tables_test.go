package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
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
		"error statuses": table("operation | documented error statuses", func(op *contract.Operation) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(op.Errors), " ", ", "), "[]")
		}),
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

// table returns a table with a row for each operation.
func table(head string, cell func(*contract.Operation) string) string {
	rows := "| " + head + " |\n|---|---|\n"
	for _, op := range contract.Operations {
		rows += "| " + op.Name + " | " + cell(op) + " |\n"
	}
	return rows
}

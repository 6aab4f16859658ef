package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// A reader takes in a row at a glance.
func TestRows(t *testing.T) {
	t.Chdir("../../../scenario") // the generators run there
	schema, err := format.Read()
	require.NoError(t, err)
	rows := strings.Split(reference(schema.Definitions), "\n")
	assert.Contains(t, rows, "- `behavior.groups.createStatus`: **`200`**, `201`. The status of a successful create.")
	for _, row := range rows {
		assert.LessOrEqual(t, len(row), 200, row)
	}
}

package explanation_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

var update = flag.Bool("update", false, "write the golden situations")

func TestMain(m *testing.M) { simtest.Main(m) }

// golden returns the golden exchanges.
func golden(t *testing.T) []fixtures.Exchange {
	t.Helper()
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	return exchanges
}

// explain returns the explanation of an exchange.
func explain(t *testing.T, b *simtest.Bank, id string) explanation.Explanation {
	t.Helper()
	return read(t, b.Get("/journal/"+id+"/why"))
}

// newest returns the explanation of the newest exchange.
func newest(t *testing.T, b *simtest.Bank) explanation.Explanation {
	t.Helper()
	return explain(t, b, b.Last().ID)
}

// compare compares paragraphs with those of a file. With -update, they are written: read the diff.
func compare(t *testing.T, file, paragraphs string) {
	t.Helper()
	paragraphs = regexp.MustCompile(`tok_[0-9a-f]{12}`).ReplaceAllString(paragraphs, "tok_…")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(paragraphs), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(
		t, strings.Split(string(want), "\n\n"), strings.Split(paragraphs, "\n\n"),
		"run go test ./sim/explanation -update",
	)
}

package explanation_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

var update = flag.Bool("update", false, "write the golden sentences")

func TestMain(m *testing.M) { simtest.Main(m) }

// golden returns a golden exchange for each answer.
func golden(t *testing.T) []fixtures.Exchange {
	t.Helper()
	exchanges, err := fixtures.Read(os.DirFS(filepath.Join("..", "..", "fixtures", "exchanges")))
	require.NoError(t, err)
	require.NotEmpty(t, exchanges)
	return simtest.OneOfEach(exchanges)
}

// played is a golden exchange in a bank of its own.
type played struct {
	*simtest.Bank
	answer simtest.Answer
	yaml   string // of the bank's scenario
	id     string // of the exchange; empty: no journal has it
}

// explained is a golden exchange with its explanation.
type explained struct {
	fixtures.Exchange
	number int
	yaml   string // of the bank's scenario
	why    explanation.Explanation
}

// explainGolden explains each golden exchange that a journal has. Several tests need the same, which takes seconds.
func explainGolden(t *testing.T) []explained {
	t.Helper()
	goldenOnce.Do(func() {
		for i, e := range simtest.Sample(golden(t)) {
			if p := play(t, e); p.id != "" {
				goldenExplained = append(goldenExplained, explained{e, i, p.yaml, p.why(t, p.id)})
			}
		}
	})
	require.NotEmpty(t, goldenExplained)
	return goldenExplained
}

var (
	goldenOnce      sync.Once
	goldenExplained []explained
)

// play sends the request of a golden exchange to a bank of its own.
func play(t *testing.T, e fixtures.Exchange) played {
	t.Helper()
	b, yaml := simtest.GoldenBank(t, e)
	answer := b.SendGolden(e.Request)
	return played{Bank: b, answer: answer, yaml: yaml, id: answer.Header.Get("Banksim-Exchange")}
}

// why returns the explanation of an exchange.
func (p played) why(t *testing.T, id string) explanation.Explanation {
	return simtest.Decode[explanation.Explanation](t, p.ControlSandbox(200, "GET /journal/"+id+"/why", ""))
}

var fingerprint = regexp.MustCompile(`tok_[0-9a-f]{12}`)

// A golden exchange of each rule is explained as the file of golden sentences says. With -update, it is written: read the diff.
func TestGoldenSentences(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	const file = "testdata/sentences.txt"
	written, err := os.ReadFile(file)
	require.True(t, err == nil || *update, err)
	want := map[string]bool{}
	for _, sentence := range strings.SplitAfter(string(written), "\n\n") {
		want[sentence] = true
	}
	var all strings.Builder
	rules := map[string]bool{}
	for _, e := range explainGolden(t) {
		rule := e.why.Exchange.Decision.Rule
		if rules[rule] {
			continue
		}
		rules[rule] = true
		sentence := fingerprint.ReplaceAllString(fmt.Sprintf("%s\n%s\n%s\n\n", e.Name, e.why.Title, e.why.Sentence), "tok_…")
		all.WriteString(sentence)
		if !*update {
			assert.True(t, want[sentence], "%s: the sentence has changed: run go test ./sim/explanation -update", sentence)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(all.String()), 0o644))
		return
	}
	if simtest.Race {
		return // only some are explained
	}
	assert.Equal(t, strings.Count(string(written), "\n\n"), strings.Count(all.String(), "\n\n"), "run go test ./sim/explanation -update")
}

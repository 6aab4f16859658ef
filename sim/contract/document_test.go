package contract_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

var update = flag.Bool("update", false, "rewrite docs/fidelity.md")

const documentFile = "../../docs/fidelity.md"

var introduction = `# What the simulator's answers rest on

<!-- Written by go test ./sim/contract -update, from the ledger in sim/contract. -->

The interface's document says how requests and answers look. Much of what a server has to decide it leaves open: which
code an error carries, what happens to a name that is taken, how long a token works. A simulator has to answer every
request, so each open point has a default, and an entry in the ledger. The defaults follow two principles:

1. A request that the document shows as valid succeeds, with only the headers and fields that it shows.
2. Where the document is silent, the answer is the conservative one: a client that passes here also passes against the
   real service. (The server assigns ids, for example, so that no client relies on its own.)

This page is the ledger; ` + "`banksim ledger`" + ` prints it, and the control API has it at ` + "`/v1/operations`" + `. The journal names, for
each answer, the entries that it rests on: ` + "`decision.entries`" + `, the deciding one first. Sections are those of the interface's
document.

**Basis** says what an answer rests on:

| basis | meaning |
|---|---|
` + bases() + `
A **switch** is a key of a scenario's ` + "`behavior:`" + ` block that selects another answer, with a basis of its own:

` + "```yaml" + `
behavior:
  tokens: {accessLifetime: 15m, unknownToken: error}
  groups: {auth: required, createStatus: 201}
` + "```" + `

**Strict.** With ` + "`behavior: {strict: true}`" + `, an answer that is decided by a choice is
replaced by 501 with the code ` + "`BANKSIM_STRICT`" + `, which names the entry; nothing is changed. An app whose tests pass
then relies on nothing invented. The entry of the refusal decides or, where the request is accepted, that of the
operation's answer, unless an entry on a weaker basis permitted the request: group operations without credentials,
members of a body and query parameters that the operation doesn't have, a revocation by username and password. Such a request has a firmer form: send the token, leave the member out, name the refresh token.

Messages in error bodies are the simulator's own words, unless ` + "`behavior.messages`" + ` sets them: rely on statuses and codes.
Codes that begin with ` + "`BANKSIM_`" + ` are the simulator's, for answers to which no source gives a code.

`

// bases returns the rows of the table of bases.
func bases() string {
	var b strings.Builder
	for _, basis := range contract.Bases {
		fmt.Fprintf(&b, "| %s | %s |\n", basis, basis.About())
	}
	return b.String()
}

// document returns docs/fidelity.md.
func document() string {
	var b strings.Builder
	b.WriteString(introduction)
	fmt.Fprintf(&b, "## Counts\n\n%d entries. One that is about several operations counts for each.\n\n", len(contract.Ledger()))
	b.WriteString("| operation | document | published | convention | choice | all |\n|---|---|---|---|---|---|\n")
	count := func(name string, concerns func(*contract.Entry) bool) {
		counts, all := map[contract.Basis]int{}, 0
		for _, e := range contract.Ledger() {
			if concerns(e) {
				counts[e.Basis]++
				all++
			}
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, basis := range contract.Bases {
			fmt.Fprintf(&b, " %d |", counts[basis])
		}
		fmt.Fprintf(&b, " %d |\n", all)
	}
	for _, op := range contract.Operations {
		count(op.Name, func(e *contract.Entry) bool { return len(e.Operations) > 0 && e.Concerns(op.Name) })
	}
	count("every operation", func(e *contract.Entry) bool { return len(e.Operations) == 0 })
	count("**all entries**", func(*contract.Entry) bool { return true })

	part := ""
	titles := map[string]string{}
	for _, p := range contract.Parts() {
		titles[p.Name] = p.Title
	}
	for _, e := range contract.Ledger() {
		if e.Part() != part {
			part = e.Part()
			fmt.Fprintf(&b, "\n## %s\n\n", titles[part])
			b.WriteString("| entry | question and answer | switch | basis |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s **%s**%s | %s | %s: %s |\n", e.ID, cell(e.Question), cell(e.Answer), publicCell(e), switchCell(e), e.Basis, cell(e.Source))
	}
	b.WriteString("\n## What no golden exchange shows\n\n" +
		"`fixtures/exchanges/` has a golden request and answer for each operation and status, with the entries that it rests on. None of\n" +
		"them shows these entries:\n\n")
	for _, e := range contract.Ledger() {
		if e.Unshown != "" {
			fmt.Fprintf(&b, "- `%s`: %s\n", e.ID, e.Unshown)
		}
	}
	return b.String()
}

// cell writes a text so that it may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// publicCell says what the public dialect answers, where that differs.
func publicCell(e *contract.Entry) string {
	if e.Public == nil {
		return ""
	}
	text := fmt.Sprintf("<br>Public dialect: **%s** (%s: %s)", cell(e.Public.Answer), e.Public.Basis, cell(e.Public.Source))
	if e.Public.Value != "" {
		text = strings.TrimSuffix(text, ")") + fmt.Sprintf("; `%s` counts as `%s`)", e.Switch.Key, e.Public.Value)
	}
	return text
}

func switchCell(e *contract.Entry) string {
	if e.Switch == nil {
		return ""
	}
	text := "`" + e.Switch.Key + "`"
	for _, a := range e.Switch.Alternatives {
		text += fmt.Sprintf("<br>`%s`: %s (%s)", a.Value, cell(a.Answer), a.Basis)
	}
	return text
}

func TestDocumentIsFresh(t *testing.T) {
	want := document()
	if *update {
		require.NoError(t, os.WriteFile(documentFile, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(documentFile)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "the ledger has changed: run go test ./sim/contract -update")
}

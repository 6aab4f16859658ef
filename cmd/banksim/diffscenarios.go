package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type diffScenariosCommand struct {
	Before   string `arg:"" help:"A scenario: a built-in one, or a file."`
	After    string `arg:"" help:"Another scenario."`
	Format   string `default:"text" enum:"text,json" help:"Format of the differences: ${enum}."`
	ExitCode bool   `help:"Exit with code 1 where there is a difference."`
}

// errDiffering ends a comparison that is to fail where there is a difference, and has told it.
var errDiffering = reported{errors.New("the scenarios differ")}

// difference is what one line of the comparison tells.
type difference struct {
	Where  string `json:"where"`
	Key    string `json:"key,omitzero"`
	Before *said  `json:"before"` // null: not there
	After  *said  `json:"after"`
}

type said struct {
	Value   any    `json:"value"`
	Default bool   `json:"default,omitzero"`
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`
}

// Run prints what the scenarios say differently.
func (c diffScenariosCommand) Run(s streams) error {
	differences, err := scenario.Diff(c.Before, c.After)
	if err != nil {
		return wrongUse{err}
	}
	if c.Format == "json" {
		list := make([]difference, len(differences))
		for i, d := range differences {
			list[i] = difference{d.Where, d.Key, (*said)(d.Before), (*said)(d.After)}
		}
		encoded, err := json.Marshal(struct {
			Differences []difference `json:"differences"`
		}{list}, json.Deterministic(true), jsontext.WithIndent("  "))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(s.out, "%s\n", encoded)
	} else {
		for _, d := range differences {
			_, _ = fmt.Fprintln(s.out, differenceLine(d))
		}
	}
	if c.ExitCode && len(differences) > 0 {
		return errDiffering
	}
	return nil
}

// differenceLine says in a line what differs: "- " before what only the first scenario has, "+ " before what only the
// second has, "~ " before what has another value.
func differenceLine(d scenario.Difference) string {
	what := strings.TrimSpace(d.Where + " " + d.Key)
	switch {
	case d.Key == "" && d.After == nil:
		return "- " + what
	case d.Key == "" && d.Before == nil:
		return "+ " + what
	}
	if d.Before != nil && d.After != nil && d.Before.Value == scenario.Hidden && d.After.Value == scenario.Hidden {
		return "~ " + what + ": another one"
	}
	return "~ " + what + ": " + saidText(d.Before) + " -> " + saidText(d.After)
}

// maxSaid is how many characters of a value a line shows.
const maxSaid = 80

// saidText returns a value as JSON, shortened where it is long.
func saidText(s *scenario.Said) string {
	if s == nil {
		return "(left out)"
	}
	encoded, _ := json.Marshal(s.Value, json.Deterministic(true))
	text := string(encoded)
	if utf8.RuneCountInString(text) > maxSaid {
		text = string([]rune(text)[:maxSaid]) + "…"
	}
	if s.Default {
		text += " (default)"
	}
	return text
}

package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type diffScenariosCommand struct {
	Before   string `arg:"" help:"A scenario: a built-in one, or a file."`
	After    string `arg:"" help:"Another scenario."`
	Format   string `default:"text" enum:"text,json" help:"Format of the differences: ${enum}."`
	ExitCode bool   `help:"Exit with code 1 if there is a difference."`
}

// errDiffering ends a comparison that fails on a difference, which it has reported.
var errDiffering = reported{errors.New("the scenarios differ")}

// difference is a difference in JSON.
type difference struct {
	Where  string `json:"where"`
	Key    string `json:"key,omitzero"`
	Before *said  `json:"before"` // null: the scenario leaves it out
	After  *said  `json:"after"`
}

type said struct {
	Value   any    `json:"value"`
	Default bool   `json:"default,omitzero"`
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`
}

// Run prints the differences between the scenarios.
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
		encoded, err := wire.EncodeIndented(struct {
			Differences []difference `json:"differences"`
		}{list})
		if err != nil {
			return err
		}
		_, _ = s.out.Write(encoded)
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

// differenceLine returns a difference as a line: "- " and a row of the first scenario only, "+ " and a row of the second
// only, or "~ " and both values.
func differenceLine(d scenario.Difference) string {
	what := strings.TrimSpace(d.Where + " " + d.Key)
	switch {
	case d.Key == "" && d.After == nil:
		return "- " + what
	case d.Key == "" && d.Before == nil:
		return "+ " + what
	}
	if d.Before != nil && d.After != nil && d.Before.Value == scenario.Hidden && d.After.Value == scenario.Hidden {
		return "~ " + what + ": changed"
	}
	return "~ " + what + ": " + saidText(d.Before) + " -> " + saidText(d.After)
}

// maxSaid is how many characters of a value a line shows.
const maxSaid = 80

// saidText returns a value as JSON, shortened if it is long.
func saidText(s *scenario.Said) string {
	if s == nil {
		return "(left out)"
	}
	text := string(wire.MustEncode(s.Value))
	if utf8.RuneCountInString(text) > maxSaid {
		text = string([]rune(text)[:maxSaid]) + "…"
	}
	if s.Default {
		text += " (default)"
	}
	return text
}

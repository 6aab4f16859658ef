package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type diffScenariosCommand struct {
	Before   string `arg:"" help:"A scenario: a built-in one, or a file."`
	After    string `arg:"" optional:"" help:"Another scenario. Without it, the first one is compared with what it extends."`
	Format   string `default:"text" enum:"text,json" help:"Format of the differences: ${enum}."`
	Stat     bool   `env:"-" help:"Print a line for each difference, without the content of rows, and a summary."`
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
func (c diffScenariosCommand) Run(ctx context.Context, s streams) error {
	var differences []scenario.Difference
	if err := within(ctx, func() (err error) { differences, err = c.differences(); return err }); err != nil {
		return unusable(err)
	}
	if c.Format == "json" {
		list := make([]difference, len(differences))
		for i, d := range differences {
			list[i] = difference{d.Where, d.Key, newSaid(d.Before), newSaid(d.After)}
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
			if !c.Stat {
				_, _ = io.WriteString(s.out, rowText(d))
			}
		}
		if c.Stat && len(differences) > 0 {
			_, _ = fmt.Fprintln(s.out, scenario.Summarize(differences))
		}
	}
	if c.ExitCode && len(differences) > 0 {
		return errDiffering
	}
	return nil
}

func (c diffScenariosCommand) differences() ([]scenario.Difference, error) {
	if c.After != "" {
		return scenario.Diff(c.Before, c.After)
	}
	differences, err := scenario.DiffInherited(c.Before)
	if errors.Is(err, scenario.ErrExtendsNothing) {
		err = fmt.Errorf("%s: %w", c.Before, err)
	}
	return differences, err
}

func newSaid(s *scenario.Said) *said {
	if s == nil {
		return nil
	}
	return &said{s.Value, s.Default, s.File, s.Line}
}

// Limits of the content of a row (choice).
const (
	maxRowLines = 20
	maxRowWidth = 160 // in characters
)

// rowText returns the content of a row that only one of the scenarios has, as indented YAML. It is empty for other differences.
func rowText(d scenario.Difference) string {
	row := cmp.Or(d.Before, d.After)
	if d.Key != "" || d.Before != nil && d.After != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(row.YAML(), "\n"), "\n")
	var text strings.Builder
	for i, line := range lines {
		if i == maxRowLines && len(lines) > maxRowLines+1 {
			fmt.Fprintf(&text, "    … %d more lines\n", len(lines)-i)
			break
		}
		if utf8.RuneCountInString(line) > maxRowWidth {
			line = string([]rune(line)[:maxRowWidth]) + "…"
		}
		if line != "" {
			fmt.Fprintf(&text, "    %s\n", line)
		}
	}
	return text.String()
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

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// oneDash matches a flag with a name and one dash.
var oneDash = lazy.Regexp(`^-[a-z]{2,}`)

// parserWords puts words of the parser into plain ones. A list of values begins with an empty one if the flag may be
// left out.
var parserWords = strings.NewReplacer(
	`must be one of "",`, `must be one of `,
	"expected a valid 64 bit uint", "expected a whole number from 0 on",
	"expected a valid 64 bit int", "expected a whole number",
	"expected a float", "expected a number",
	" (string)", "",
)

// usageMessage returns the error of arguments that the parser refuses, with the origin of their values and a hint.
func usageMessage(args []string, err error, origin string) string {
	text := err.Error()
	own := args // without the arguments of a command to explore
	if i := slices.Index(args, "--"); i >= 0 {
		own = args[:i]
	}
	i := slices.IndexFunc(own, oneDash().MatchString)
	if i >= 0 && strings.HasPrefix(text, "unknown flag -"+own[i][1:2]) {
		return fmt.Sprintf("a flag with a name takes two dashes: -%s", wording.Shorten(own[i]))
	}
	path := "banksim" // and the command that the arguments name
	var refused *kong.ParseError
	if errors.As(err, &refused) && refused.Context.Selected() != nil {
		path = refused.Context.Selected().FullPath()
	}
	hint := fmt.Sprintf("Try '%s --help'.", path)
	unexpected, isUnexpected := strings.CutPrefix(text, "unexpected argument ")
	switch {
	case isUnexpected && path == "banksim serve":
		hint = "The scenario is named by a flag: --scenario " + wording.Shorten(unexpected) + "."
	case isUnexpected && path == "banksim" && unexpected == "version":
		hint = "Try 'banksim --help', or 'banksim --version' for the version."
	}
	return parserWords.Replace(text) + origin + "\n" + hint
}

package main

import (
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// lintFlags say what becomes of warnings.
type lintFlags struct {
	StrictLint bool     `name:"strict-lint" help:"Make warnings errors: the exit code is 1 if there are any."`
	Ignore     []string `env:"BANKSIM_IGNORE_WARNINGS" placeholder:"CODE" help:"Codes of warnings that are not reported, separated by commas."`
}

// check reports a code that there isn't.
func (f lintFlags) check() error {
	var known []string
	for _, c := range scenario.WarningCodes() {
		known = append(known, c.Code)
	}
	for _, code := range f.Ignore {
		if !slices.Contains(known, code) {
			return wrongUse{fmt.Errorf("--ignore: there is no warning %s%s", phrase.Quote(code), phrase.DidYouMean(code, known, "there are"))}
		}
	}
	return nil
}

// without returns the warnings that are reported.
func (f lintFlags) without(warnings []scenario.Warning) (reported []scenario.Warning) {
	for _, w := range warnings {
		if !slices.Contains(f.Ignore, w.Code) {
			reported = append(reported, w)
		}
	}
	return reported
}

func (f lintFlags) severity() string {
	if f.StrictLint {
		return "error"
	}
	return "warning"
}

// fails reports whether the validation has found anything that the exit code is to say.
func (v *verdict) fails() bool {
	return len(v.Problems) > 0 || v.lint.StrictLint && len(v.Warnings) > 0
}

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// clearLine is what goes back to a line's start on a terminal, and erases the line (ECMA-48 EL).
const clearLine = "\r\x1b[K"

// withProgress shows the progress of loading a large scenario, if errs is a terminal.
func withProgress(errs io.Writer) scenario.Option {
	if !isTerminal(errs) {
		return scenario.WithProgress(nil)
	}
	return scenario.WithProgress(progressLine(errs))
}

func isTerminal(to io.Writer) bool {
	file, ok := to.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progressLine returns a function that rewrites one line with the progress, and clears it at the end.
func progressLine(terminal io.Writer) func(done, total int) {
	return func(done, total int) {
		if done == total {
			_, _ = fmt.Fprint(terminal, clearLine)
			return
		}
		_, _ = fmt.Fprintf(terminal, clearLine+"generating %d rows: %d%%", total, 100*done/total)
	}
}

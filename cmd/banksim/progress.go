package main

import (
	"fmt"
	"io"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// withProgress shows the progress of loading a large scenario, if errs is a terminal.
func withProgress(errs io.Writer) scenario.Option {
	file, ok := errs.(*os.File)
	if !ok {
		return scenario.WithProgress(nil)
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return scenario.WithProgress(nil)
	}
	return scenario.WithProgress(progressLine(file))
}

// progressLine returns a function that rewrites one line with the progress, and clears it at the end.
func progressLine(terminal io.Writer) func(done, total int) {
	const clear = "\r\x1b[K" // back to the line's start, and erase the line (ECMA-48 EL)
	return func(done, total int) {
		if done == total {
			_, _ = fmt.Fprint(terminal, clear)
			return
		}
		_, _ = fmt.Fprintf(terminal, clear+"generating %d rows: %d%%", total, 100*done/total)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// exploration explores a command.
type exploration struct {
	command  exploreCommand
	explorer *explore.Explorer
	forks    *forks

	mu    sync.Mutex // of lines
	lines io.Writer
}

func newExploration(c exploreCommand, forks *forks, lines io.Writer) *exploration {
	explorer := explore.New(explore.Options{
		Name: quotedCommand(c.Command), Behavior: forks.behavior, MaxRuns: c.MaxRuns, Time: c.Time,
		AllOrNothing: c.AllOrNothing, MayFail: !c.MustPass, Only: c.Only, Again: c.again,
	})
	return &exploration{command: c, explorer: explorer, forks: forks, lines: lines}
}

// interrupted is an error by which a command ends that was interrupted.
type interrupted struct{ error }

// untilSignal returns a context that ends with a signal, after which an exploration ends in an orderly way. Until stop is called, no
// signal ends the program: it would leave commands behind. Nor does a pipe that nobody reads any more.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // to ignore it would make the commands ignore it, too
	return signal.NotifyContext(parent, signals...)
}

// line prints a line about how the exploration goes on.
func (x *exploration) line(format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, _ = fmt.Fprintf(x.lines, format+"\n", args...)
}

// run makes all runs, and writes the report. It fails if there are findings, or nothing was explored.
func (x *exploration) run(ctx context.Context, out io.Writer) error {
	var undisturbed [2]explore.Observation
	for i := range undisturbed {
		var err error
		if undisturbed[i], err = x.make(ctx, explore.Run{}); err != nil {
			return err
		}
	}
	if err := x.explorer.Undisturbed(undisturbed[0], undisturbed[1]); err != nil {
		return fmt.Errorf("%s (its bank in BANKSIM_BASE_URL, --run-time %s): %w", quotedCommand(x.command.Command), x.command.RunTime, err)
	}
	first := x.explorer.Report()
	x.line("undisturbed, the command passes and calls %s", strings.Join(first.Calls, ", "))
	if first.NotDeterministic != "" {
		x.line("the command is not deterministic: %s", first.NotDeterministic)
	}
	runs := x.explorer.Next()
	if x.command.Alone != "" {
		r, err := x.explorer.Find(x.command.Alone)
		if err != nil {
			return wrongUse{fmt.Errorf("--run %w", err)}
		}
		runs = []explore.Run{r}
	}
	var failed error
	for failed == nil && len(runs) > 0 {
		failed = x.all(ctx, runs)
		if runs = nil; x.command.Alone == "" {
			runs = x.explorer.Next()
		}
	}
	found := x.explorer.Report()
	if failed != nil {
		found.Ended = failed.Error()
		return errors.Join(failed, x.write(found, out))
	}
	return errors.Join(x.write(found, out), x.verdict(found))
}

// all makes runs, several at a time.
func (x *exploration) all(untilSignal context.Context, runs []explore.Run) error {
	ctx, cancel := context.WithCancelCause(untilSignal)
	defer cancel(nil)
	var workers sync.WaitGroup
	free := make(chan struct{}, x.command.Parallel)
	for _, r := range runs {
		free <- struct{}{}
		workers.Go(func() {
			defer func() { <-free }()
			if x.explorer.Over() {
				x.explorer.Skipped(r)
				return
			}
			o, err := x.make(ctx, r)
			if err != nil {
				cancel(err)
				return
			}
			for _, finding := range x.explorer.Done(r, o).Findings {
				x.line("finding: %s", finding)
			}
		})
	}
	workers.Wait()
	if untilSignal.Err() != nil {
		return errEndedEarly
	}
	return context.Cause(ctx)
}

// make makes a run in a bank of its own.
func (x *exploration) make(ctx context.Context, r explore.Run) (o explore.Observation, err error) {
	calls := context.WithoutCancel(ctx) // the bank is removed in any case
	if ctx.Err() != nil {
		return o, errEndedEarly
	}
	bank, err := x.forks.fork(calls, r.Rules())
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, bank.close(calls)) }()
	output, err := os.CreateTemp("", "banksim-explore-*")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, output.Close(), os.Remove(output.Name())) }()
	began := time.Now()
	code, hung, err := process{command: x.command.Command, env: bank.env(r.Name()), within: x.command.RunTime, output: output}.run(ctx)
	if err == nil && ctx.Err() != nil {
		err = errEndedEarly
	}
	if err != nil {
		return o, err
	}
	took, text := time.Since(began), lastOutput(output)
	if x.command.Alone != "" && len(r.Faults) > 0 {
		x.line("%s", text)
	}
	o, err = bank.observe(calls)
	o.Took, o.Ended = took, explore.Passed
	switch {
	case hung:
		o.Ended, o.Message = explore.Hung, fmt.Sprintf("it had not ended after %s\n%s", x.command.RunTime, text)
	case code < 0:
		o.Ended, o.Message = explore.Failed, "a signal ended it\n"+text
	case code > 0:
		o.Ended, o.Message = explore.Failed, fmt.Sprintf("exit code %d\n%s", code, text)
	}
	return o, err
}

// verdict returns an error if there are findings, or if nothing was explored, or less than --only asks for.
func (x *exploration) verdict(found explore.Report) error {
	var errs []error
	if nothing := x.explorer.Nothing(); nothing != "" {
		errs = append(errs, errors.New(nothing))
	}
	if n := found.Findings(); n > 0 {
		errs = append(errs, fmt.Errorf("findings: %d", n))
	}
	return errors.Join(errs...)
}

// write writes the report to the files, and as text.
func (x *exploration) write(found explore.Report, out io.Writer) error {
	r := report.Report{Format: report.Format, Version: version(), Explorations: []explore.Report{found}}
	if x.command.Report != "" {
		for ending, format := range map[string]string{"html": "html", "json": "json", "xml": "junit"} {
			var content bytes.Buffer
			name := filepath.Join(x.command.Report, "explore."+ending)
			if err := errors.Join(report.Write(&content, r, format), writeFile(name, content.Bytes(), plainMode)); err != nil {
				return fmt.Errorf("--report: %w", err)
			}
		}
	}
	return report.Write(out, r, "text")
}

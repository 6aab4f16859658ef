package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// exploreCommand is the command that docs/exploring.md describes. Only flags about the control API have variables.
type exploreCommand struct {
	Scenario     string        `placeholder:"NAME|FILE" help:"Scenario of the banks. Default: retail or, with --control, the simulator's."`
	Report       string        `placeholder:"DIR" help:"Write or replace explore.html, explore.json and explore.xml (JUnit) in this directory."`
	Only         []string      `placeholder:"PATTERN" help:"Only these failures, such as FAMILY.*, OPERATION#1 or OPERATION/5*."`
	Alone        string        `name:"run" placeholder:"NAME" help:"Only the run of this name, with the output of the command."`
	MaxRuns      int           `default:"1000" placeholder:"N" help:"How often the command runs at most. Default: 1000."`
	Parallel     int           `default:"${cpus}" placeholder:"N" help:"How many runs there are at a time. Default: one for each CPU."`
	Time         time.Duration `placeholder:"DURATION" help:"Begin no run after this time. Default: any time."`
	RunTime      time.Duration `default:"60s" placeholder:"DURATION" help:"A command that runs for longer hangs. Default: 60s."`
	AllOrNothing bool          `help:"A change that is left half done, or done twice, is a finding, whatever the exit code."`
	MustPass     bool          `help:"Any exit code but 0 is a finding. Default: 0 is, where what the command did hasn't worked."`
	Control      string        `placeholder:"ADDRESS|URL" help:"Control API of a running simulator. Default: a simulator of its own."`
	ControlToken string        `placeholder:"TOKEN" help:"Token of the control API. Default: with --control none, else a random one."`
	controlTLSFlags
	Command []string `arg:"" passthrough:"partial" placeholder:"COMMAND" help:"Command that tests an app, after --."`
}

// maxParallel bounds the runs at a time (choice).
const maxParallel = 1000

// Help lists the variables of the command that is explored, and the exit codes.
func (exploreCommand) Help() string {
	return `The command runs twice undisturbed. Then it runs once for each of its calls and each way in which that ` +
		`call can fail, in a bank of its own, and the bank judges what was left behind.

In its environment are BANKSIM_BASE_URL (the base URL of its bank), BANKSIM_CONTROL_URL (of the bank's sandbox in the ` +
		`control API), BANKSIM_TOKEN (of the control API, also as BANKSIM_CONTROL_TOKEN) and BANKSIM_FAILURE (the name ` +
		`of the run, such as ` + contract.GroupsCreate.Name + `#1/reset; empty where it is undisturbed).

The exit code is 0 without findings, 1 with findings or if the exploration failed, 2 for wrong use, and 130 if it was ` +
		`interrupted.`
}

// Validate refuses a call without a command, before the parser does.
func (c *exploreCommand) Validate() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	if len(c.Command) == 0 {
		return errors.New("there is no command to explore: give one after --, as in 'banksim explore -- npm test'")
	}
	return nil
}

// Run explores a command. It fails if there are findings.
func (c *exploreCommand) Run(ctx context.Context, s streams, queue *logqueue.Queue, groups *processGroups) error {
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	if c.Report != "" {
		err := os.MkdirAll(c.Report, 0o755)
		for ending := range report.Files {
			if err == nil { // else all runs would be in vain
				err = checkWritable(filepath.Join(c.Report, "explore"+ending))
			}
		}
		if err != nil {
			return wrongUse{fmt.Errorf("--report: %w", err)}
		}
	}
	var sc *scenario.Scenario
	if c.Control == "" || c.Scenario != "" {
		var err error
		if sc, err = s.usableScenario(ctx, cmp.Or(c.Scenario, "retail"), s.loading()); err != nil {
			return err
		}
	}
	// A closed pipe must not end the program, because its commands would go on. They would inherit an ignored SIGPIPE.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	flags := controlFlags{c.Control, c.ControlToken, c.controlTLSFlags}
	forks, err := startForks(ctx, flags, sc, newLogger(queue, "text", slog.LevelError))
	if err != nil {
		return err
	}
	defer forks.close()
	return c.explore(ctx, commandRunner{*c, forks, groups, log.New(s.err, "", 0)}, s)
}

// check returns an error if the flags or the command are wrong.
func (c exploreCommand) check() error {
	switch {
	case c.MaxRuns < 3:
		return fmt.Errorf("--max-runs %d is too few: the command runs twice undisturbed before it meets a failure",
			c.MaxRuns)
	case c.Parallel < 1 || c.Parallel > maxParallel:
		return fmt.Errorf("--parallel %d: give 1 to %d", c.Parallel, maxParallel)
	case c.Time < 0:
		return fmt.Errorf("--time %s is negative: give a duration such as 10m, or leave it out", c.Time)
	case c.RunTime <= 0 || c.RunTime >= fault.MaxHang:
		return fmt.Errorf("--run-time %s: give a duration such as 60s, less than %s, "+
			"after which a call that gets no answer ends", c.RunTime, fault.MaxHang)
	case c.Alone != "" && len(c.Only) > 0:
		return errors.New("--run and --only contradict each other: give one of them")
	case c.Control == "" && c.controlTLSFlags != controlTLSFlags{}:
		return errors.New("--control-ca is about a running simulator: name its control API with --control")
	}
	if err := explore.CheckPatterns(c.Only); err != nil {
		return fmt.Errorf("--only %w", err)
	}
	if _, err := exec.LookPath(c.Command[0]); err != nil {
		return fmt.Errorf("the command can't be run: %w", err)
	}
	return nil
}

// explore makes all runs and writes the report. It fails if there are findings, or if the exploration says nothing.
func (c exploreCommand) explore(ctx context.Context, r commandRunner, s streams) error {
	progress := s.line.start("runs")
	progress(0, 2)
	first, err := r.run(ctx, explore.Run{})
	if err != nil {
		return err
	}
	second, err := r.run(ctx, explore.Run{})
	if err != nil {
		return err
	}
	e, err := explore.New(explore.Options{
		Name: quotedCommand(c.Command), Behavior: r.forks.behavior, MaxRuns: c.MaxRuns, Time: c.Time,
		AllOrNothing: c.AllOrNothing, MayFail: !c.MustPass, Only: c.Only, Reproduce: c.reproduce,
	}, first, second)
	if err != nil {
		return fmt.Errorf("%s (its bank in BANKSIM_BASE_URL, --run-time %s): %w",
			quotedCommand(c.Command), c.RunTime, err)
	}
	undisturbed := e.Report()
	r.log.Printf("undisturbed, the command passes and calls %s", strings.Join(undisturbed.Calls, ", "))
	if len(undisturbed.Refused) > 0 {
		r.log.Printf("undisturbed, the command is refused: %s", strings.Join(undisturbed.Refused, ", "))
	}
	if undisturbed.NotDeterministic != "" {
		r.log.Printf("the command is not deterministic: %s", undisturbed.NotDeterministic)
	}
	runs := e.Next()
	if c.Alone != "" {
		alone, err := e.Find(c.Alone)
		if err != nil {
			return wrongUse{fmt.Errorf("--run %w", err)}
		}
		runs = []explore.Run{alone}
	}
	var done atomic.Int64
	total := 0
	for len(runs) > 0 {
		total += len(runs)
		if err := r.runAll(ctx, e, runs, func() { progress(int(done.Add(1)), total) }); err != nil {
			found := e.Report()
			found.Ended = err.Error()
			return errors.Join(err, c.write(found, s.out))
		}
		if c.Alone != "" {
			break
		}
		runs = e.Next()
	}
	found := e.Report()
	errs := []error{c.write(found, s.out)}
	if reason := e.EmptyReason(); reason != "" {
		errs = append(errs, errors.New(reason))
	}
	if n := found.Findings(); n > 0 {
		errs = append(errs, fmt.Errorf("findings: %d", n))
	}
	return errors.Join(errs...)
}

// runAll makes runs, several at a time, and calls done after each of them. It stops at the first error.
func (r commandRunner) runAll(ctx context.Context, e *explore.Explorer, runs []explore.Run, done func()) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(r.Parallel)
	for _, planned := range runs {
		all.Go(func() error {
			defer done()
			if e.Over() {
				e.Skip(planned)
				return nil
			}
			o, err := r.run(ctx, planned)
			if err != nil {
				return err
			}
			for _, finding := range e.Done(planned, o).Findings {
				r.log.Printf("finding: %s", finding)
			}
			return nil
		})
	}
	return all.Wait()
}

// write writes the report as text and, with --report, to files.
func (c exploreCommand) write(found explore.Report, out io.Writer) error {
	r := report.Report{Version: version(), Explorations: []explore.Report{found}}
	if c.Report != "" {
		for ending, format := range report.Files {
			var content bytes.Buffer
			name := filepath.Join(c.Report, "explore"+ending)
			err := errors.Join(report.Write(&content, r, format), writeFile(name, content.Bytes(), plainMode))
			if err != nil {
				return fmt.Errorf("--report: %w", err)
			}
		}
	}
	return report.Write(out, r, "text")
}

// reproduce returns the command that repeats the run of a name.
func (c exploreCommand) reproduce(run string) string {
	words := []string{"banksim", "explore", "--run", run}
	add := func(isGiven bool, flag ...string) {
		if isGiven {
			words = append(words, flag...)
		}
	}
	add(c.Scenario != "", "--scenario", c.Scenario)
	add(c.Control != "", "--control", redact.URL(c.Control))
	add(c.ControlCA != "", "--control-ca", c.ControlCA)
	add(c.RunTime != time.Minute, "--run-time", c.RunTime.String())
	add(c.AllOrNothing, "--all-or-nothing")
	add(c.MustPass, "--must-pass")
	return quotedCommand(append(append(words, "--"), c.Command...))
}

// plainWord matches a word that needs no quotes in a shell.
var plainWord = lazy.Regexp(`^[\w./:-]+$`)

// quotedCommand returns the words of a command for a shell.
func quotedCommand(words []string) string {
	quoted := slices.Clone(words)
	for i, word := range quoted {
		if !plainWord().MatchString(word) {
			quoted[i] = wording.ShellQuote(word)
		}
	}
	return strings.Join(quoted, " ")
}

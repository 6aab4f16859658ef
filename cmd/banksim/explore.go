package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

type exploreCommand struct {
	Scenario     string        `placeholder:"NAME|FILE" help:"Scenario of the banks: a built-in one, or a file. Default: retail or, with --control, that of the simulator."`
	Report       string        `placeholder:"DIR" help:"Write the report to this directory, too: explore.html, explore.json, and explore.xml for JUnit."`
	Only         []string      `placeholder:"PATTERN" help:"Only these failures: an operation or a call, with or without a failure, such as ${family}.*, ${operation}#1 or ${operation}/5*."`
	Alone        string        `name:"run" env:"-" placeholder:"NAME" help:"Only the run of this name, as a report has it, with the output of the command."`
	MaxRuns      int           `default:"1000" placeholder:"N" help:"How often the command runs at most. Default: 1000."`
	MaxFaults    int           `default:"1" placeholder:"N" help:"How many failures are combined in one run. Calls that only a disturbed run makes fail in turn, whatever it says. Default: 1."`
	Parallel     int           `placeholder:"N" help:"How many runs there are at a time: 1 for a command that uses a port or a file that is always the same. Default: one for each CPU."`
	Time         time.Duration `placeholder:"DURATION" help:"Begin no run after this time. Default: any time."`
	RunTime      time.Duration `default:"60s" placeholder:"DURATION" help:"A command that runs for longer hangs. It is ended, with all that it has started. Default: 60s."`
	AllOrNothing bool          `help:"A run that leaves a change half done, or done twice, is a finding, whatever the exit code."`
	MustPass     bool          `help:"The command is a test that knows by BANKSIM_FAILURE which failure it meets: any other exit code than 0 is a finding. Default: it says by its exit code whether what it did has worked, and 0 is a finding where that isn't so."`
	Control      *string       `placeholder:"ADDRESS|URL" help:"Control API of a running simulator, which gets a sandbox for each run. Default: a simulator of its own."`
	ControlToken string        `placeholder:"TOKEN" help:"Token of the control API. Default: with --control none, else a random one."`
	controlTLSFlags
	Command []string `arg:"" passthrough:"" placeholder:"COMMAND" help:"Command that tests an app, after --. It finds its bank by BANKSIM_BASE_URL."`
}

// Help says what the variables are.
func (exploreCommand) Help() string {
	return `The command runs twice undisturbed. Then it runs once for each of its calls and each way in which that call can fail, in a bank of its own, and the bank judges what was left behind.

In its environment are BANKSIM_BASE_URL (the base URL of its bank), BANKSIM_CONTROL_URL (of the bank's sandbox in the control API), BANKSIM_TOKEN (of the control API, also as BANKSIM_CONTROL_TOKEN) and BANKSIM_FAILURE (the name of the run, such as ` + contract.GroupsCreate.Name + `#1/reset; empty where it is undisturbed).

The exit code is 0 without findings, 1 with findings or if the exploration failed, 2 for wrong use, and 130 if it was interrupted.`
}

// Run explores a command. It fails if there are findings.
func (c exploreCommand) Run(ctx context.Context, s streams, queue *logqueue.Queue) error {
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	folder, err := newReportFolder(c.Report)
	if err != nil {
		return wrongUse{err}
	}
	var sc *scenario.Scenario
	if c.Control == nil || c.Scenario != "" {
		if sc, err = usableScenario(ctx, cmp.Or(c.Scenario, "retail")); err != nil {
			return err
		}
	}
	ctx, now, stop := interruptible(ctx)
	defer stop()
	banks, err := c.banks(ctx, sc, queue)
	if err != nil {
		return err
	}
	defer banks.close()
	lines := logqueue.New(s.err, 0)
	defer lines.Close(flushTimeout)
	e := newExploring(c, banks, &exploredShown{to: lines}, now)
	err = e.explore(ctx)
	if !e.ready {
		return err
	}
	lines.Close(flushTimeout) // what it has printed stands above the report
	found, unmet := e.report(ctx)
	return errors.Join(err, unmet, folder.write(found, s.out, now), e.verdict(ctx))
}

// banks starts a simulator, or uses one that runs.
func (c exploreCommand) banks(ctx context.Context, sc *scenario.Scenario, queue *logqueue.Queue) (*exploredBanks, error) {
	if c.Control == nil {
		return startBanks(ctx, sc, c.ControlToken, newLogger(queue, "text", slog.LevelError))
	}
	return useBanks(ctx, controlFlags{*c.Control, c.ControlToken, sandbox.Default, c.controlTLSFlags}, sc)
}

// check checks the flags and the command, and sets what depends on others.
func (c *exploreCommand) check() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	switch {
	case len(c.Command) == 0:
		return errors.New("there is no command to explore: give one after --, as in 'banksim explore -- npm test'")
	case c.MaxRuns < 3:
		return fmt.Errorf("--max-runs %d is too few: the command runs twice undisturbed before it meets a failure", c.MaxRuns)
	case c.MaxFaults < 1:
		return fmt.Errorf("--max-faults %d is too few: give 1 or more", c.MaxFaults)
	case c.Parallel < 0:
		return fmt.Errorf("--parallel %d is negative: give how many runs there are at a time", c.Parallel)
	case c.Time < 0:
		return fmt.Errorf("--time %s is negative: give a duration such as 10m, or leave it out", c.Time)
	case c.RunTime <= 0:
		return fmt.Errorf("--run-time %s is too short: give a duration such as 60s", c.RunTime)
	case c.RunTime >= fault.MaxHang:
		return fmt.Errorf("--run-time %s is too long: give less than %s, after which a call that gets no answer ends, so that no command would hang", c.RunTime, fault.MaxHang)
	case c.Alone != "" && len(c.Only) > 0:
		return errors.New("--run and --only contradict each other: give one of them")
	case c.Control == nil && c.controlTLSFlags != controlTLSFlags{}:
		return errors.New("--control-tls and --control-ca are about a running simulator: name its control API with --control")
	}
	for _, pattern := range c.Only {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("--only %s is not a pattern such as %s.*, or %s#1/5*", phrase.Quote(pattern), contract.GroupsCreate.Kind(), contract.GroupsCreate.Name)
		}
	}
	if c.ControlToken != "" {
		if err := server.CheckToken(c.ControlToken); err != nil {
			return fmt.Errorf("--control-token %w", err)
		}
	}
	if _, err := exec.LookPath(c.Command[0]); err != nil {
		return fmt.Errorf("the command %s can't be run: %w", phrase.Quote(c.Command[0]), bare(err))
	}
	if c.Parallel == 0 {
		c.Parallel = runtime.NumCPU()
	}
	return nil
}

// bare returns the reason why a command isn't found, without its name.
func bare(err error) error {
	var not *exec.Error
	if errors.As(err, &not) {
		return not.Err
	}
	return err
}

// selects reports whether a failure of a call is one that is asked for.
func (c exploreCommand) selects(a explore.Aimed) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(pattern string) bool { return selectedBy(pattern, a) })
}

// selectedBy reports whether a pattern of --only selects a failure of a call.
func selectedBy(pattern string, a explore.Aimed) bool {
	call, failure, both := strings.Cut(pattern, "/")
	if both && !matches(failure, a.Failure.Name) {
		return false
	}
	return matches(call, a.Call.Name()) || matches(call, a.Call.Operation)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// title is the name of the exploration.
func (c exploreCommand) title() string { return quotedCommand(c.Command) }

// again returns the command that makes one run alone.
func (c exploreCommand) again(name string) string {
	words := []string{"banksim", "explore", "--run", name}
	if c.Scenario != "" {
		words = append(words, "--scenario", c.Scenario)
	}
	if c.Control != nil {
		control, _ := fromLink(*c.Control) // whose token is nobody else's
		words = append(words, "--control", control)
	}
	if c.ControlTLS {
		words = append(words, "--control-tls")
	}
	if c.ControlCA != "" {
		words = append(words, "--control-ca", c.ControlCA)
	}
	if c.RunTime != time.Minute {
		words = append(words, "--run-time", c.RunTime.String())
	}
	if c.AllOrNothing {
		words = append(words, "--all-or-nothing")
	}
	if c.MustPass {
		words = append(words, "--must-pass")
	}
	return quotedCommand(append(append(words, "--"), c.Command...))
}

// quotedCommand returns words as a shell takes them.
func quotedCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuoted(word)
	}
	return strings.Join(quoted, " ")
}

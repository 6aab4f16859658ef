package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// exploreCommand is described at length in docs/exploring.md.
type exploreCommand struct {
	Scenario     string        `placeholder:"NAME|FILE" help:"Scenario of the banks. Default: retail or, with --control, the simulator's."`
	Report       string        `placeholder:"DIR" help:"Write explore.html, explore.json and explore.xml (JUnit) to this directory."`
	Only         []string      `placeholder:"PATTERN" help:"Only these failures, such as FAMILY.*, OPERATION#1 or OPERATION/5*."`
	Alone        string        `name:"run" env:"-" placeholder:"NAME" help:"Only the run of this name, with the output of the command."`
	MaxRuns      int           `default:"1000" placeholder:"N" help:"How often the command runs at most. Default: 1000."`
	Parallel     uint          `placeholder:"N" help:"How many runs there are at a time. Default: one for each CPU."`
	Time         time.Duration `placeholder:"DURATION" help:"Begin no run after this time. Default: any time."`
	RunTime      time.Duration `default:"60s" placeholder:"DURATION" help:"A command that runs for longer hangs. Default: 60s."`
	AllOrNothing bool          `help:"A change that is left half done, or done twice, is a finding, whatever the exit code."`
	MustPass     bool          `help:"Any exit code but 0 is a finding. Default: 0 is, where what the command did hasn't worked."`
	Control      string        `placeholder:"ADDRESS|URL" help:"Control API of a running simulator. Default: a simulator of its own."`
	ControlToken string        `placeholder:"TOKEN" help:"Token of the control API. Default: with --control none, else a random one."`
	controlTLSFlags
	Command []string `arg:"" passthrough:"" placeholder:"COMMAND" help:"Command that tests an app, after --."`
}

// Help says what the variables are.
func (exploreCommand) Help() string {
	return `The command runs twice undisturbed. Then it runs once for each of its calls and each way in which that call can fail, ` +
		`in a bank of its own, and the bank judges what was left behind.

In its environment are BANKSIM_BASE_URL (the base URL of its bank), BANKSIM_CONTROL_URL (of the bank's sandbox in the control API), ` +
		`BANKSIM_TOKEN (of the control API, also as BANKSIM_CONTROL_TOKEN) and BANKSIM_FAILURE (the name of the run, such as ` +
		contract.GroupsCreate.Name + `#1/reset; empty where it is undisturbed).

The exit code is 0 without findings, 1 with findings or if the exploration failed, 2 for wrong use, and 130 if it was interrupted.`
}

// Run explores a command. It fails if there are findings.
func (c exploreCommand) Run(
	ctx context.Context, s streams, queue *logqueue.Queue, groups *processGroups,
) (err error) {
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	if c.Report != "" {
		if err := os.MkdirAll(c.Report, 0o755); err != nil {
			return wrongUse{fmt.Errorf("--report: %w", err)}
		}
	}
	var sc *scenario.Scenario
	if c.Control == "" || c.Scenario != "" {
		if sc, err = usableScenario(ctx, cmp.Or(c.Scenario, "retail"), s.loading()); err != nil {
			return err
		}
	}
	// A pipe that is closed must not end the program, and leave commands behind. If it ignored SIGPIPE, so would they.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	flags := controlFlags{c.Control, c.ControlToken, sandbox.Default, c.controlTLSFlags}
	forks, err := startForks(ctx, flags, sc, newLogger(queue, "text", slog.LevelError))
	if err != nil {
		return err
	}
	defer forks.close()
	return newExploration(c, forks, groups, s).run(ctx, s.out)
}

// check checks the flags and the command, and sets what depends on others.
func (c *exploreCommand) check() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	c.Parallel = cmp.Or(c.Parallel, uint(runtime.NumCPU()))
	switch {
	case len(c.Command) == 0:
		return errors.New("there is no command to explore: give one after --, as in 'banksim explore -- npm test'")
	case strings.HasPrefix(c.Command[0], "-"):
		return fmt.Errorf("unknown flag %s: write the command after --, as in 'banksim explore -- npm test'",
			phrase.Shorten(c.Command[0]))
	case c.MaxRuns < 3:
		return fmt.Errorf("--max-runs %d is too few: the command runs twice undisturbed before it meets a failure", c.MaxRuns)
	case c.Time < 0:
		return fmt.Errorf("--time %s is negative: give a duration such as 10m, or leave it out", c.Time)
	case c.RunTime <= 0 || c.RunTime >= fault.MaxHang:
		return fmt.Errorf("--run-time %s: give a duration such as 60s, less than %s, after which a call that gets no answer ends",
			c.RunTime, fault.MaxHang)
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

// again returns the command that makes one run alone.
func (c exploreCommand) again(name string) string {
	words := []string{"banksim", "explore", "--run", name}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	add("--scenario", c.Scenario)
	add("--control", c.Control)
	add("--control-ca", c.ControlCA)
	if c.RunTime != time.Minute {
		add("--run-time", c.RunTime.String())
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
	quoted := slices.Clone(words)
	for i, word := range quoted {
		if !plainWord.MatchString(word) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// plainWord matches a word that a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w./:-]+$`)

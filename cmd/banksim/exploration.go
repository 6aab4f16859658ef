package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// exploration explores a command.
type exploration struct {
	command  exploreCommand
	explorer *explore.Explorer
	forks    *forks
	groups   *processGroups // of the commands that run
	lines    *log.Logger    // about how the exploration goes on
	progress func(done, total int)
	done     atomic.Int64 // runs that were made, or skipped
	known    int          // runs
}

func newExploration(c exploreCommand, forks *forks, groups *processGroups, s streams) *exploration {
	explorer := explore.New(explore.Options{
		Name: quotedCommand(c.Command), Behavior: forks.behavior, MaxRuns: c.MaxRuns, Time: c.Time,
		AllOrNothing: c.AllOrNothing, MayFail: !c.MustPass, Only: c.Only, Again: c.again,
	})
	return &exploration{command: c, explorer: explorer, forks: forks, groups: groups,
		lines: log.New(s.err, "", 0), progress: s.line.start("runs")}
}

// run makes all runs, and writes the report. It fails if there are findings, if nothing was explored, or less than --only asks for.
func (x *exploration) run(ctx context.Context, out io.Writer) error {
	var undisturbed [2]explore.Observation
	for i := range undisturbed {
		x.progress(i, len(undisturbed))
		var err error
		if undisturbed[i], err = x.make(ctx, explore.Run{}); err != nil {
			return err
		}
	}
	if err := x.explorer.Undisturbed(undisturbed[0], undisturbed[1]); err != nil {
		return fmt.Errorf("%s (its bank in BANKSIM_BASE_URL, --run-time %s): %w", quotedCommand(x.command.Command), x.command.RunTime, err)
	}
	first := x.explorer.Report()
	x.lines.Printf("undisturbed, the command passes and calls %s", strings.Join(first.Calls, ", "))
	if first.NotDeterministic != "" {
		x.lines.Printf("the command is not deterministic: %s", first.NotDeterministic)
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
	errs := []error{x.write(found, out)}
	if nothing := x.explorer.Nothing(); nothing != "" {
		errs = append(errs, errors.New(nothing))
	}
	if n := found.Findings(); n > 0 {
		errs = append(errs, fmt.Errorf("findings: %d", n))
	}
	return errors.Join(errs...)
}

// all makes runs, several at a time.
func (x *exploration) all(untilSignal context.Context, runs []explore.Run) error {
	ctx, cancel := context.WithCancelCause(untilSignal)
	defer cancel(nil)
	x.known += len(runs)
	var workers sync.WaitGroup
	free := make(chan struct{}, x.command.Parallel)
	for _, r := range runs {
		free <- struct{}{}
		x.progress(int(x.done.Load()), x.known)
		workers.Go(func() {
			defer func() {
				x.done.Add(1)
				<-free
			}()
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
				x.lines.Printf("finding: %s", finding)
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
	code, hung, err := x.runCommand(ctx, bank.env(r.Name()), output)
	if err == nil && ctx.Err() != nil {
		err = errEndedEarly
	}
	if err != nil {
		return o, err
	}
	took, text := time.Since(began), lastOutput(output)
	if x.command.Alone != "" && len(r.Faults) > 0 {
		x.lines.Printf("%s", text)
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

// write writes the report to the files, and as text.
func (x *exploration) write(found explore.Report, out io.Writer) error {
	r := report.Report{Version: version(), Explorations: []explore.Report{found}}
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

// journalPage is how many exchanges are asked for at once (choice).
const journalPage = 500

// forks makes the banks of an exploration: forks of one sandbox of a simulator that runs in this process, or elsewhere.
type forks struct {
	client   *controlClient
	base     string         // the name of the sandbox that they are forked from
	srv      *server.Server // nil: the simulator runs elsewhere
	behavior *sim.Behavior
	count    atomic.Int64
}

// fork is the bank of one run.
type fork struct {
	client  *controlClient
	name    string
	baseURL string
	unserve func() // ends its own listener
}

// startForks starts a simulator, or uses one that runs, and creates the sandbox. A nil scenario is that of the simulator.
func startForks(ctx context.Context, flags controlFlags, sc *scenario.Scenario, log *slog.Logger) (f *forks, err error) {
	f = &forks{}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if flags.Control == "" {
		flags.ControlToken = cmp.Or(flags.ControlToken, rand.Text())
		f.srv, err = server.Start(context.WithoutCancel(ctx), server.Config{ // it is needed until the commands have ended
			Listen: []string{"127.0.0.1:0"}, Control: "127.0.0.1:0", ControlToken: flags.ControlToken, NoDefault: true,
			Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Version: version(), Log: log,
		})
		if err != nil {
			return f, err
		}
		flags.Control, sc = f.srv.ControlURL(), nil
	}
	if f.client, err = flags.client(ctx); err != nil {
		return f, err
	}
	base := api.NewSandbox{Name: "explore-" + strings.ToLower(rand.Text()[:8])}
	if sc != nil {
		resolved, err := sc.Resolved() // what it extends may be files, which the simulator doesn't read
		if err != nil {
			return f, err
		}
		source := string(resolved)
		base.ScenarioYAML = &source
	}
	if err := f.client.Call(ctx, http.MethodPost, "/v1/sandboxes", base, nil); err != nil {
		return f, err
	}
	f.base = base.Name
	source, err := f.client.Read(ctx, http.MethodGet, api.SandboxPath(f.base, "/scenario?resolved=true"), nil)
	if err != nil {
		return f, err
	}
	if sc, err = scenario.Parse("scenario.yaml", source); err != nil {
		return f, fmt.Errorf("the scenario of the simulator, whose version may be another than %s: %w", version(), err)
	}
	f.behavior = sc.World.Behavior()
	return f, nil
}

// close removes the sandbox, which would stay for ever in a simulator that runs elsewhere.
func (f *forks) close() {
	if f.base != "" {
		_ = f.client.Call(context.Background(), http.MethodDelete, api.SandboxPath(f.base, ""), nil, nil)
	}
	if f.srv != nil {
		f.srv.Close()
	}
}

// fork makes a bank in which faults are injected.
func (f *forks) fork(ctx context.Context, rules []fault.Rule) (*fork, error) {
	b := &fork{client: f.client, name: fmt.Sprintf("%s-%d", f.base, f.count.Add(1)), unserve: func() {}}
	var made api.Sandbox
	err := f.client.Call(ctx, http.MethodPost, api.SandboxPath(f.base, "/fork"), api.NewFork{Name: b.name}, &made)
	if err != nil {
		return nil, err
	}
	b.baseURL = made.BaseURL
	if f.srv != nil {
		var end func()
		if b.baseURL, end, err = f.srv.ServeSandbox(b.name, false); err == nil {
			b.unserve = end
		}
	}
	if err == nil && len(rules) > 0 {
		err = f.client.Call(ctx, http.MethodPost, api.SandboxPath(b.name, "/faults"), map[string][]fault.Rule{"faults": rules}, nil)
	}
	if err != nil {
		return nil, errors.Join(err, b.close(ctx))
	}
	return b, nil
}

// env returns the variables by which a command finds the bank.
func (b *fork) env(failure string) []string {
	return []string{
		"BANKSIM_BASE_URL=" + b.baseURL,
		"BANKSIM_CONTROL_URL=" + b.client.URL + api.SandboxPath(b.name, ""),
		"BANKSIM_TOKEN=" + b.client.Token,
		"BANKSIM_CONTROL_TOKEN=" + b.client.Token,
		"BANKSIM_FAILURE=" + failure,
	}
}

// observe returns what the bank has seen, and what it has become. Before, it ends what goes on at its own listener.
func (b *fork) observe(ctx context.Context) (o explore.Observation, err error) {
	b.unserve()
	for after := "0"; after != ""; {
		var page journal.Page
		path := fmt.Sprintf("/journal?limit=%d&after=%s", journalPage, url.QueryEscape(after))
		if err := b.client.Get(ctx, api.SandboxPath(b.name, path), &page); err != nil {
			return o, err
		}
		o.Exchanges, o.Evicted, after = append(o.Exchanges, page.Exchanges...), page.Evicted, page.Next
	}
	var diff api.Diff
	err = b.client.Get(ctx, api.SandboxPath(b.name, "/diff"), &diff)
	o.Changes = diff.Changes
	return o, err
}

// close removes the bank.
func (b *fork) close(ctx context.Context) error {
	b.unserve()
	return b.client.Call(ctx, http.MethodDelete, api.SandboxPath(b.name, ""), nil, nil)
}

// Limits of a command (choice).
const (
	endGrace  = 2 * time.Second // between the request to end and the end by force
	maxOutput = 4 << 10         // bytes of what it prints that are kept
)

// runCommand runs the command, in a process group of its own, so that what it starts can be ended with it. Where its time or the context
// is over, it is asked to end, and then ended by force. Nothing of its process group is left then. A negative exit code: a signal
// ended it.
func (x *exploration) runCommand(ctx context.Context, env []string, output *os.File) (code int, hung bool, err error) {
	limited, cancel := context.WithTimeout(ctx, x.command.RunTime)
	defer cancel()
	cmd := exec.CommandContext(limited, x.command.Command[0], x.command.Command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output // a file, so that Wait doesn't wait for others that hold it
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = endGrace
	err = x.groups.run(cmd)
	if cmd.Process == nil {
		return 0, false, err
	}
	if errors.As(err, new(*exec.ExitError)) || limited.Err() != nil {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), limited.Err() != nil && ctx.Err() == nil, err
}

// lastOutput returns the end of what a command has printed to a file.
func lastOutput(file *os.File) string {
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	from := max(info.Size()-maxOutput, 0)
	text := make([]byte, info.Size()-from)
	n, _ := file.ReadAt(text, from)
	last := strings.TrimSpace(strings.ToValidUTF8(string(text[:n]), ""))
	if from > 0 {
		return "… " + last
	}
	return last
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// How much is kept of what a run of the command prints (choice).
const (
	maxOutput  = 64 << 10 // bytes, while it runs
	maxMessage = 4 << 10  // bytes, for the report
)

// exploring is an exploration of a command that goes on.
type exploring struct {
	exploreCommand
	banks  *exploredBanks
	shown  *exploredShown
	now    <-chan struct{} // closes when everything has to end at once
	engine *explore.Exploration
	ready  bool // whether there is something to report, if only that nothing was found

	matched map[string]bool // the patterns of --only that have selected a failure

	mu       sync.Mutex
	made     int // runs with failures
	findings int
	left     int // runs that are known, and not made yet
}

func newExploring(c exploreCommand, banks *exploredBanks, shown *exploredShown, now <-chan struct{}) *exploring {
	e := &exploring{exploreCommand: c, banks: banks, shown: shown, now: now, matched: map[string]bool{}}
	e.engine = explore.New(explore.Options{
		Name: c.title(), Behavior: banks.behavior, MaxRuns: c.MaxRuns, MaxFaults: c.MaxFaults, Time: c.Time,
		AllOrNothing: c.AllOrNothing, MayFail: !c.MustPass, Select: e.selects,
	})
	return e
}

// errInterrupted is why a run was not made, or not to its end.
var errInterrupted = errors.New("interrupted")

// explore makes the runs, until there are no more, a bound is reached, or the context ends.
func (e *exploring) explore(ctx context.Context) error {
	if err := e.undisturbed(ctx); err != nil {
		return err
	}
	e.ready = true
	e.announce()
	if e.Alone != "" {
		return e.alone(ctx)
	}
	for ctx.Err() == nil {
		runs := e.engine.Next()
		if len(runs) == 0 {
			break
		}
		if err := e.wave(ctx, runs); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return e.something()
}

// something returns an error if nothing was explored, or less than --only asks for.
func (e *exploring) something() error {
	report := e.engine.Report()
	unmatched := slices.DeleteFunc(slices.Clone(e.Only), func(pattern string) bool { return e.matched[pattern] })
	if len(unmatched) > 0 && report.Ended == "" {
		err := fmt.Errorf("--only %s selects no failure of the calls %s", strings.Join(unmatched, ","), few(report.Calls))
		if e.ready = len(report.Results) > 0; !e.ready {
			return wrongUse{err}
		}
		return err
	}
	if nothing := report.Nothing(); nothing != "" {
		return errors.New(nothing)
	}
	return nil
}

// selects reports whether a failure of a call is one that is asked for, and takes note of the patterns that select it.
func (e *exploring) selects(a explore.Aimed) bool {
	for _, pattern := range e.Only {
		if selectedBy(pattern, a) {
			e.matched[pattern] = true
		}
	}
	return e.exploreCommand.selects(a)
}

// alone makes the run that was asked for.
func (e *exploring) alone(ctx context.Context) error {
	r, err := e.engine.Find(e.Alone)
	if err != nil {
		e.ready = false
		return wrongUse{fmt.Errorf("--run %w", err)}
	}
	if err := e.wave(ctx, []explore.Run{r}); err != nil {
		return err
	}
	for _, result := range e.engine.Report().Results {
		if result.Reaction == explore.DidNotNotice {
			return fmt.Errorf("--run %s: no call of the command met the failure: it made the calls %s", phrase.Quote(e.Alone), few(result.Calls))
		}
	}
	return nil
}

// undisturbed makes the undisturbed runs.
func (e *exploring) undisturbed(ctx context.Context) error {
	var both [2]explore.Observation
	for i := range both {
		o, output, err := e.make(ctx, explore.Run{}, nil)
		switch {
		case errors.Is(err, errInterrupted):
			return interrupted{errors.New("interrupted before the first failure")}
		case err != nil:
			return err
		}
		if err := e.usable(o, output); err != nil {
			return err
		}
		both[i] = o
	}
	return e.engine.Undisturbed(both[0], both[1])
}

// usable returns an error if nothing can be explored after an undisturbed run.
func (e *exploring) usable(o explore.Observation, output *tail) error {
	if o.Ended != explore.Passed {
		if text := output.last(maxOutput); text != "" {
			e.shown.line("%s", text)
		}
		if o.Ended == explore.Hung {
			return fmt.Errorf("%s has not ended within %s although nothing was disturbed: give it more time with --run-time", e.title(), e.RunTime)
		}
		return fmt.Errorf("%s fails although nothing was disturbed: it has to pass before failures are explored: %s", e.title(), strings.TrimSpace(strings.SplitN(o.Message, "\n", 2)[0]))
	}
	if o.Evicted > 0 {
		return fmt.Errorf("%s can't be judged: it makes more requests than a journal holds, which has lost the first %d of them: explore a smaller part of it", e.title(), o.Evicted)
	}
	if len(o.Exchanges) == 0 {
		return fmt.Errorf("%s made no call to its bank: it has to take the bank's base URL from the variable BANKSIM_BASE_URL", e.title())
	}
	if !slices.ContainsFunc(o.Exchanges, func(x journal.Exchange) bool { return x.Operation != "" }) {
		first := o.Exchanges[0]
		return fmt.Errorf("%s called no operation of its bank: its first request was %s %s, which was answered with %d: "+
			"the paths of the interface are appended to BANKSIM_BASE_URL", e.title(), first.Request.Method, phrase.Shorten(first.Request.URL), first.Response.Status)
	}
	return nil
}

// announce says what the undisturbed runs were like.
func (e *exploring) announce() {
	report := e.engine.Report()
	e.shown.line("undisturbed, the command passes and calls %s", few(report.Calls))
	if report.NotDeterministic != "" {
		e.shown.line("the undisturbed runs differ: %s", report.NotDeterministic)
	}
}

// few lists calls in a line, the first of them where there are many.
func few(calls []string) string {
	const most = 10
	if more := len(calls) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(calls[:most], ", "), more)
	}
	return strings.Join(calls, ", ")
}

// wave makes runs, several at a time.
func (e *exploring) wave(ctx context.Context, runs []explore.Run) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var failed error
	fail := func(err error) { once.Do(func() { failed = err; cancel() }) }
	e.left = len(runs)
	next := make(chan explore.Run, len(runs))
	for _, r := range runs {
		next <- r
	}
	close(next)
	var workers sync.WaitGroup
	for range min(e.Parallel, len(runs)) {
		workers.Go(func() {
			for r := range next {
				if err := e.one(ctx, r); err != nil {
					fail(err)
				}
			}
		})
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case err := <-e.banks.failed():
			fail(err)
		case <-ended:
		}
	}()
	workers.Wait()
	close(ended)
	<-watched
	return failed
}

// one makes a run and judges it, unless it is too late for that.
func (e *exploring) one(ctx context.Context, r explore.Run) error {
	switch {
	case ctx.Err() != nil, e.engine.Over():
		e.engine.Skipped(r)
		return nil
	}
	var live io.Writer
	if e.Alone == r.Name() {
		live = e.shown.to
	}
	o, output, err := e.make(ctx, r, live)
	if live != nil && output != nil && !output.endsLine() {
		_, _ = io.WriteString(live, "\n")
	}
	switch {
	case errors.Is(err, errInterrupted):
		e.engine.Skipped(r)
		return nil
	case err != nil:
		return fmt.Errorf("run %s: %w", r.Name(), err)
	}
	result := e.engine.Done(r, o)
	for _, finding := range result.Findings {
		e.shown.line("finding: %s", finding)
	}
	e.mu.Lock()
	e.made++
	e.left--
	e.findings += len(result.Findings)
	e.mu.Unlock()
	return nil
}

// make makes a run in a bank of its own. It fails with errInterrupted if the context ends before the command does.
func (e *exploring) make(ctx context.Context, r explore.Run, live io.Writer) (o explore.Observation, output *tail, err error) {
	if ctx.Err() != nil {
		return o, nil, errInterrupted
	}
	name := ""
	if len(r.Faults) > 0 {
		name = r.Name()
	}
	bank, err := e.banks.open(context.WithoutCancel(ctx), r.Rules())
	if err != nil {
		return o, nil, err
	}
	defer func() { err = errors.Join(err, bank.close(ctx)) }()
	output = &tail{limit: maxOutput, live: live}
	f, err := process{command: e.Command, env: bank.env(name), within: e.RunTime, output: output}.run(ctx, e.now)
	switch {
	case err != nil:
		return o, output, err
	case f.ended:
		return o, output, errInterrupted
	}
	reset, err := bank.wasReset(context.WithoutCancel(ctx))
	switch {
	case err != nil:
		return o, output, err
	case reset:
		return o, output, fmt.Errorf("%s has reset its bank, which takes the failure away, or given it another scenario: "+
			"leave that out, since each run has a new bank, and name a scenario with --scenario", e.title())
	}
	if o, err = bank.observe(context.WithoutCancel(ctx)); err != nil {
		return o, output, err
	}
	o.Took, o.Ended = f.took, explore.Passed
	switch {
	case f.hung:
		o.Ended, o.Message = explore.Hung, fmt.Sprintf("it had not ended after %s\n", e.RunTime)+output.last(maxMessage)
	case f.code < 0:
		o.Ended, o.Message = explore.Failed, "a signal ended it\n"+output.last(maxMessage)
	case f.code > 0:
		o.Ended, o.Message = explore.Failed, fmt.Sprintf("exit code %d\n", f.code)+output.last(maxMessage)
	}
	return o, output, nil
}

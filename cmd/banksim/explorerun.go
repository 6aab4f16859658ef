package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// commandRunner runs the command of an exploration.
type commandRunner struct {
	exploreCommand
	forks  *bankForks
	groups *processGroups
	log    *log.Logger // about the progress of the exploration
}

// run runs the command in a bank of its own, and deletes the bank.
func (r commandRunner) run(ctx context.Context, planned explore.Run) (o explore.Observation, err error) {
	if ctx.Err() != nil {
		return o, errEndedEarly
	}
	calls := context.WithoutCancel(ctx) // the bank is deleted in any case
	bank, err := r.forks.fork(calls, planned.Rules())
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
	code, stopped, err := r.exec(ctx, bank.env(planned.Name()), output)
	if err != nil {
		return o, err
	}
	took, text := time.Since(began), lastOutput(output)
	if r.Alone != "" && len(planned.Faults) > 0 {
		r.log.Printf("%s", text)
	}
	o, err = bank.observe(calls)
	o.Took, o.Ended = took, explore.Failed
	switch {
	case stopped != "":
		o.Ended, o.Message = explore.Hung, stopped+"\n"+text
	case code < 0:
		o.Message = "a signal ended it\n" + text
	case code > 0:
		o.Message = fmt.Sprintf("exit code %d\n%s", code, text)
	default:
		o.Ended = explore.Passed
	}
	return o, err
}

// endGrace is how long a command may take to end before it is killed (choice).
const endGrace = 2 * time.Second

// maxPrinted bounds what a command may print, in bytes (choice). Runs in parallel share the disk.
const maxPrinted = 100e6

// exec runs the command in a process group of its own and returns its exit code, or -1 if a signal ended it. If its
// time or the context is over, or it prints too much, the command is asked to end, and then killed; stopped says why.
// No process of the group is left.
func (r commandRunner) exec(
	ctx context.Context, env []string, output *os.File,
) (code int, stopped string, err error) {
	timed, end := context.WithTimeoutCause(ctx, r.RunTime, fmt.Errorf("it had not ended after %s", r.RunTime))
	defer end()
	limited, stop := context.WithCancelCause(timed)
	defer stop(nil)
	go stopFlood(limited, output, stop)
	cmd := exec.CommandContext(limited, r.Command[0], r.Command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output // a file, because Wait waits for all processes that hold a pipe
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = endGrace
	err = r.groups.run(cmd)
	switch {
	case ctx.Err() != nil:
		return 0, "", errEndedEarly
	case cmd.Process == nil:
		return 0, "", wrongUse{fmt.Errorf("the command can't be run: %w", err)}
	case limited.Err() != nil:
		return cmd.ProcessState.ExitCode(), context.Cause(limited).Error(), nil
	case errors.As(err, new(*exec.ExitError)):
		err = nil
	}
	return cmd.ProcessState.ExitCode(), "", err
}

// stopFlood calls stop when the output has more than maxPrinted, unless the context ends first.
func stopFlood(ctx context.Context, output *os.File, stop context.CancelCauseFunc) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if info, err := output.Stat(); err == nil && info.Size() > maxPrinted {
			stop(fmt.Errorf("it had printed more than %.0f MB", maxPrinted/1e6))
			return
		}
	}
}

// maxOutput bounds the end of a command's output that is kept, in bytes (choice).
const maxOutput = 4 << 10

// lastOutput returns the end of what a command has printed to a file.
func lastOutput(file *os.File) string {
	cut := "… "
	if _, err := file.Seek(-maxOutput, io.SeekEnd); err != nil { // the file is shorter
		cut = ""
		_, _ = file.Seek(0, io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(file, maxOutput))
	return cut + strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
}

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
func (r commandRunner) run(ctx context.Context, run explore.Run) (o explore.Observation, err error) {
	if ctx.Err() != nil {
		return o, errEndedEarly
	}
	calls := context.WithoutCancel(ctx) // the bank is deleted in any case
	bank, err := r.forks.fork(calls, run.Rules())
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
	code, hung, err := r.exec(ctx, bank.env(run.Name()), output)
	if err != nil {
		return o, err
	}
	took, text := time.Since(began), lastOutput(output)
	if r.Alone != "" && len(run.Faults) > 0 {
		r.log.Printf("%s", text)
	}
	o, err = bank.observe(calls)
	o.Took, o.Ended = took, explore.Failed
	switch {
	case hung:
		o.Ended, o.Message = explore.Hung, fmt.Sprintf("it had not ended after %s\n%s", r.RunTime, text)
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

// exec runs the command in a process group of its own and returns its exit code, or -1 if a signal ended it. If its
// time or the context is over, the command is asked to end, and then killed. No process of the group is left.
func (r commandRunner) exec(ctx context.Context, env []string, output *os.File) (code int, hung bool, err error) {
	limited, cancel := context.WithTimeout(ctx, r.RunTime)
	defer cancel()
	cmd := exec.CommandContext(limited, r.Command[0], r.Command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output // a file, because Wait waits for all processes that hold a pipe
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = endGrace
	err = r.groups.run(cmd)
	switch {
	case ctx.Err() != nil:
		return 0, false, errEndedEarly
	case cmd.Process == nil:
		return 0, false, err
	case errors.As(err, new(*exec.ExitError)), limited.Err() != nil:
		err = nil
	}
	return cmd.ProcessState.ExitCode(), limited.Err() != nil, err
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

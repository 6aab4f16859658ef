package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// How the command of an exploration is ended (choice).
const (
	endGrace   = 2 * time.Second       // between the request to end and the end by force
	leftGrace  = time.Second           // the same for processes that the command has left behind
	drainPipe  = time.Second           // for the output of processes that have left the command's process group
	endChecked = 10 * time.Millisecond // how often it is looked whether they have ended
)

// process is one run of the command of an exploration. It runs in a process group of its own, so that what it starts can be
// ended with it.
type process struct {
	command []string
	env     []string      // besides that of this process
	within  time.Duration // in which it has to end
	output  io.Writer     // of both its streams, in their order; may be called after run has returned
}

// processEnd is how a process has ended.
type processEnd struct {
	code  int  // its exit code; -1: a signal ended it
	hung  bool // its time was over, so it was ended
	ended bool // from outside: the context was over
	took  time.Duration
}

// run runs the process. Where its time or the context is over, the process is asked to end, and then ended by force; at once,
// when now closes. Nothing of its process group is left when run returns.
func (p process) run(ctx context.Context, now <-chan struct{}) (f processEnd, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return f, err
	}
	defer func() { _ = read.Close() }()
	cmd := exec.Command(p.command[0], p.command[1:]...) //nolint:gosec // it is what the caller wants to be run
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = write, write // files, so that Wait doesn't wait for others that hold them
	ownGroup(cmd)
	began := time.Now()
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return f, err
	}
	copied, exited := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(copied)
		_, _ = io.Copy(p.output, read)
	}()
	go func() { exited <- cmd.Wait() }()

	limit := time.NewTimer(p.within)
	defer limit.Stop()
	select {
	case err = <-exited:
	case <-limit.C:
		f.hung = true
		err = endGroup(cmd, exited, now)
	case <-ctx.Done():
		f.ended = true
		err = endGroup(cmd, exited, now)
	}
	f.took = time.Since(began)
	endLeft(cmd, now)
	await(copied, drainPipe, now) // whoever holds the pipe now has left the group: it is closed
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return f, err
	}
	f.code = cmd.ProcessState.ExitCode()
	return f, nil
}

// endGroup asks the processes of a command to end, and then ends them by force. It returns what Wait does.
func endGroup(cmd *exec.Cmd, exited <-chan error, now <-chan struct{}) error {
	askGroup(cmd)
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case err := <-exited:
		return err
	case <-grace.C:
	case <-now:
	}
	killGroup(cmd)
	last := time.NewTimer(endGrace)
	defer last.Stop()
	select {
	case err := <-exited:
		return err
	case <-last.C:
		return fmt.Errorf("process %d does not end, not even by force", cmd.Process.Pid)
	}
}

// endLeft ends the processes that a command has left in its group.
func endLeft(cmd *exec.Cmd, now <-chan struct{}) {
	if !askGroup(cmd) {
		return
	}
	grace := time.NewTimer(leftGrace)
	defer grace.Stop()
	look := time.NewTicker(endChecked)
	defer look.Stop()
	for groupLives(cmd) {
		select {
		case <-look.C:
			continue
		case <-grace.C:
		case <-now:
		}
		killGroup(cmd)
		return
	}
}

// await waits until something is done, but no longer than a time, or until now closes.
func await(done <-chan struct{}, within time.Duration, now <-chan struct{}) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-now:
	}
}

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Limits of a command (choice).
const (
	endGrace  = 2 * time.Second // between the request to end and the end by force
	maxOutput = 4 << 10         // bytes of what it prints that are kept
)

// process is one run of a command. It runs in a process group of its own, so that what it starts can be ended with it.
type process struct {
	command []string
	env     []string // besides that of this process
	within  time.Duration
	output  *os.File // of both its streams
}

// run runs the process. Where its time or the context is over, the process is asked to end, and then ended by force. Nothing of its
// process group is left when run returns. A negative exit code: a signal ended it.
func (p process) run(ctx context.Context) (code int, hung bool, err error) {
	limited, cancel := context.WithTimeout(ctx, p.within)
	defer cancel()
	cmd := exec.CommandContext(limited, p.command[0], p.command[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = p.output, p.output // a file, so that Wait doesn't wait for others that hold it
	inOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = endGrace
	err = cmd.Run()
	if cmd.Process == nil {
		return 0, false, err
	}
	killGroup(cmd)
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

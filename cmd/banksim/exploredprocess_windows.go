package main

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup makes a command run in a process group of its own, so that Ctrl-C is this program's alone.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// askGroup does nothing: a console program can't be asked to end by another one.
func askGroup(*exec.Cmd) bool { return false }

// killGroup ends a command with the processes that it has started.
func killGroup(cmd *exec.Cmd) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() != nil { //nolint:gosec // a number
		_ = cmd.Process.Kill()
	}
}

// groupLives is never asked, because askGroup finds nothing.
func groupLives(*exec.Cmd) bool { return false }

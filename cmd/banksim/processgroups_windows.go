package main

import (
	"os/exec"
	"strconv"
	"syscall"
)

// inOwnGroup makes a command run in a process group of its own, so that Ctrl-C is this program's alone.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup ends a command with the processes that it has started: a console program can't be asked to end by another
// one.
func endGroup(cmd *exec.Cmd) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}

// killGroup does nothing: what a command that has ended has left behind can't be found any more.
func killGroup(*exec.Cmd) {}

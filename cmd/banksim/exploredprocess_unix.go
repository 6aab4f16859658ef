//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command run in a process group of its own, which has the id of its process.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// askGroup asks the processes of a command's group to end, and reports whether there were any.
func askGroup(cmd *exec.Cmd) bool { return signalGroup(cmd, syscall.SIGTERM) }

// killGroup ends them by force.
func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// groupLives reports whether there are any.
func groupLives(cmd *exec.Cmd) bool { return signalGroup(cmd, 0) }

func signalGroup(cmd *exec.Cmd, signal syscall.Signal) bool {
	return syscall.Kill(-cmd.Process.Pid, signal) == nil
}

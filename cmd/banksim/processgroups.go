package main

import (
	"os/exec"
	"sync"
)

// processGroups are the process groups of commands that run.
type processGroups struct {
	mu      sync.Mutex
	running map[*exec.Cmd]bool
}

// run runs a command in a process group of its own. When it returns, nothing of the group is left.
func (g *processGroups) run(cmd *exec.Cmd) error {
	inOwnGroup(cmd)
	if err := g.start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	killGroup(cmd)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.running, cmd)
	return err
}

func (g *processGroups) start(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if g.running == nil {
		g.running = map[*exec.Cmd]bool{}
	}
	g.running[cmd] = true
	return nil
}

// kill ends all groups by force. The process must end then: no command starts any more.
func (g *processGroups) kill() {
	g.mu.Lock() // for ever
	for cmd := range g.running {
		_ = endGroup(cmd) // on Windows, killGroup finds nothing
		killGroup(cmd)
	}
}

package main

import (
	"context"
	"log/slog"

	"github.com/digitalbanking-sim/banksim/sim/server"
)

// newAddresses returns the addresses of a server that was given a control token, or none. Only a generated token is among
// them, and in the link to the console: the fragment of a URL stays in the browser.
func newAddresses(srv *server.Server, given string) addresses {
	a := addresses{Service: srv.ServiceURL(), Control: srv.ControlURL(), ConsoleURL: srv.ConsoleURL()}
	if given == "" && srv.ControlToken() != "" {
		a.ControlToken = srv.ControlToken()
		a.ConsoleURL += "#token=" + a.ControlToken
	}
	return a
}

// logConsole logs where the console is. A generated token is logged whatever the level, for without it nobody could call.
func (a addresses) logConsole(ctx context.Context, log *slog.Logger) {
	level := slog.LevelInfo
	if a.ControlToken != "" {
		level = slog.LevelWarn
		if !log.Enabled(ctx, level) {
			level = slog.LevelError
		}
		log.Log(ctx, level, "the control listener is not on loopback: its calls need this token", "control", a.Control, "token", a.ControlToken)
	}
	log.Log(ctx, level, "console", "url", a.ConsoleURL)
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// drainTimeout bounds how long requests under way may take once the program is asked to end.
const drainTimeout = 10 * time.Second

type serveCommand struct {
	Scenario     string         `default:"retail" placeholder:"NAME|FILE" help:"Scenario to start from: a built-in one, or a file."`
	Listen       string         `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the simulated interface listens; port 0 takes any free one."`
	Control      string         `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where the control API listens."`
	Seed         *uint64        `placeholder:"N" help:"Seed of the ids and tokens to come, instead of the scenario's."`
	MaxSandboxes int            `default:"20000" placeholder:"N" help:"How many sandboxes there may be, the default one included."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"Addresses of proxies whose X-Forwarded-Proto, -Host and -Prefix headers decide the base URL in answers."`
	ReadyFile    string         `placeholder:"FILE" help:"Write both addresses to this file, as a line of JSON, once both answer."`
	LogFormat    string         `default:"text" enum:"text,json" help:"Format of the log on standard error: ${enum}."`
	LogLevel     string         `default:"info" enum:"debug,info,warn,error" help:"Least level that is logged: ${enum}. Requests are logged at info."`
}

// Run serves until the context ends.
func (c serveCommand) Run(ctx context.Context, s streams) error {
	log := newLogger(s.err, c.LogFormat, c.LogLevel)
	for flag, address := range map[string]string{"--listen": c.Listen, "--control": c.Control} {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return wrongUse{fmt.Errorf("%s %q is not an address such as 127.0.0.1:8080", flag, address)}
		}
	}
	if c.MaxSandboxes < 1 {
		return wrongUse{fmt.Errorf("--max-sandboxes %d is too few: the default sandbox needs one", c.MaxSandboxes)}
	}
	sc, err := scenario.Load(c.Scenario)
	if err != nil {
		return wrongUse{err}
	}
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Seed: c.Seed, Limit: c.MaxSandboxes})
	defer sandboxes.Close()
	srv, err := server.Start(ctx, server.Config{
		Service:        c.Listen,
		Control:        c.Control,
		Sandboxes:      sandboxes,
		TrustedProxies: c.TrustedProxy,
		Version:        version(),
		Log:            log,
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	log.Info("serving", "service", srv.ServiceURL(), "control", srv.ControlURL(),
		"scenario", sc.Name, "seed", sandboxes.Default().Seed(), "version", version())
	if err := writeReadyFile(c.ReadyFile, srv); err != nil {
		return err
	}
	select {
	case err := <-srv.Failed():
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", drainTimeout)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were cut off: %w", err)
	}
	log.Info("stopped")
	return nil
}

func newLogger(w io.Writer, format, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic("banksim: the flag lets a level through that slog doesn't know: " + level)
	}
	options := &slog.HandlerOptions{Level: least}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// writeReadyFile writes the addresses in one step, so that who waits for the file never reads half of it.
func writeReadyFile(name string, srv *server.Server) error {
	if name == "" {
		return nil
	}
	line, err := json.Marshal(struct {
		Service string `json:"service"`
		Control string `json:"control"`
	}{srv.ServiceURL(), srv.ControlURL()})
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".ready-*")
	if err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	_, err = draft.Write(append(line, '\n'))
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(draft.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
		return fmt.Errorf("ready file: %w", err)
	}
	return nil
}

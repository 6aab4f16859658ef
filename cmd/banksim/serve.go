package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/memlimit"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// drainTimeout limits how long requests in flight may take once the program ends.
const drainTimeout = 10 * time.Second

// Run serves until the context ends.
func (c serveCommand) Run(ctx context.Context, queue *logqueue.Queue) error {
	signal.Ignore(syscall.SIGPIPE) // where the reader of the log has left
	log := newLogger(queue, c.LogFormat, c.LogLevel)
	queue.Notice(c.dropNotice)
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	certificates, err := c.certificates(ctx)
	if err != nil {
		return wrongUse{err}
	}
	ready := readyFile{name: c.ReadyFile}
	if err := ready.removeOld(); err != nil {
		return err
	}
	memory := memlimit.Apply(os.DirFS("/"), os.Getenv)
	if memory.HeapRoom > 0 {
		defer memlimit.KeepRoom(memory.HeapRoom)()
	}
	sc, files, err := c.load(ctx)
	if err != nil {
		return err
	}
	log.Info("memory limits", memory.Attributes()...)
	sandboxes := sandbox.NewRegistry(sandbox.Config{
		Scenario: sc,
		Seed:     c.Seed,
		Limit:    c.MaxSandboxes,
		Budget:   journal.NewBudget(memory.Journals),
		Freed:    new(memlimit.Releaser).Freed,
	})
	defer sandboxes.Close()
	var token, publicURL string
	if c.ControlToken != nil {
		token = *c.ControlToken
	}
	if c.PublicURL != nil {
		publicURL = *c.PublicURL
	}
	srv, err := server.Start(ctx, server.Config{
		Service:         c.Listen,
		Control:         c.Control,
		ServiceTLS:      c.TLSListen,
		ControlTLS:      c.ControlTLS,
		Certificates:    certificates,
		Sandboxes:       sandboxes,
		PublicURL:       publicURL,
		ControlToken:    token,
		InsecureControl: c.InsecureControl,
		IdleAfter:       c.ExitWhenIdle,
		Hosts:           c.Host,
		NoDefault:       c.NoDefault,
		SandboxHosts:    c.SandboxHosts,
		SandboxHeader:   c.SandboxHeader,
		TrustedProxies:  c.TrustedProxy,
		Strict:          c.Strict,
		Memory:          memory,
		Version:         version(),
		Log:             log,
		LogQueue:        queue,
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	serving := []any{"service", srv.ServiceURL(), "control", srv.ControlURL(),
		"scenario", sc.Name, "seed", sandboxes.Default().Seed(), "version", version()}
	if c.TLSListen != "" {
		serving = append(serving, "https", srv.HTTPSURL())
	}
	log.Info("serving", serving...)
	addresses := newAddresses(srv, token)
	addresses.logConsole(ctx, log, c.LogLevel)
	c.logCertificates(log, srv, certificates)
	if c.Watch {
		watcher := watch.Start(ctx, watch.Config{File: c.Scenario, Files: files, Sandboxes: sandboxes, Log: log})
		defer watcher.Close()
	}
	if err := ready.write(addresses); err != nil {
		return err
	}
	defer ready.remove()
	return c.untilTheEnd(ctx, srv, log)
}

// load loads the scenario and, with --watch, returns its files.
func (c serveCommand) load(ctx context.Context) (*scenario.Scenario, scenario.Files, error) {
	if !c.Watch {
		sc, err := usableScenario(ctx, c.Scenario)
		return sc, nil, err
	}
	if _, err := scenario.Source(c.Scenario); err == nil {
		return nil, nil, wrongUse{fmt.Errorf("--watch needs a scenario from a file, and %q names a built-in one, which never changes: "+
			"leave --watch out, or name a file, such as --scenario ./bank.yaml", c.Scenario)}
	}
	sc, files, err := scenario.LoadFile(c.Scenario)
	if err != nil {
		err = wrongUse{err}
	}
	return sc, files, err
}

// untilTheEnd waits until the program is to end, and drains the server.
func (c serveCommand) untilTheEnd(ctx context.Context, srv *server.Server, log *slog.Logger) error {
	reason := "received a signal"
	select {
	case err := <-srv.Failed():
		return err
	case <-srv.Idle():
		reason = fmt.Sprintf("idle: no request for %s", c.ExitWhenIdle)
	case <-ctx.Done():
		if c.DrainDelay == 0 {
			break
		}
		srv.Unready()
		log.Info("not ready: requests are answered until the drain", "delay", c.DrainDelay)
		select {
		case err := <-srv.Failed():
			return err
		case <-time.After(c.DrainDelay):
		}
	}
	log.Info("draining", "reason", reason, "timeout", drainTimeout)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were interrupted: %w", err)
	}
	log.Info("stopped")
	return nil
}

// logCertificates logs which names have certificates, and what clients must trust.
func (c serveCommand) logCertificates(log *slog.Logger, srv *server.Server, certificates *tlsca.Certificates) {
	switch {
	case certificates == nil:
	case certificates.CA() == nil:
		log.Info("https certificate", "file", c.TLSCert)
	default:
		block, _ := pem.Decode(certificates.CA())
		log.Info("https certificates", "hosts", strings.Join(certificates.Hosts(), ","), "ca", srv.ControlURL()+"/ca.pem",
			"sha256", fmt.Sprintf("%x", sha256.Sum256(block.Bytes)))
	}
}

// dropNotice returns the log line that reports dropped lines, whatever the level.
func (c serveCommand) dropNotice(dropped uint64) []byte {
	var line bytes.Buffer
	newLogger(&line, c.LogFormat, c.LogLevel).Log(context.Background(), max(slog.LevelWarn, c.LogLevel),
		"log lines were dropped: the log was not read, or could not be written", "lines", dropped)
	return line.Bytes()
}

func newLogger(w io.Writer, format string, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

package main

import (
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// drainTimeout limits how long requests in flight may take once the program ends.
const drainTimeout = 10 * time.Second

// Run serves until the context ends.
func (c serveCommand) Run(ctx context.Context, s streams, queue *logqueue.Queue) error {
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may leave
	log := newLogger(queue, c.LogFormat, c.LogLevel.Level)
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	certificates, err := c.certificates(ctx, log)
	if err != nil {
		return wrongUse{err}
	}
	if err := limitMemory(); err != nil {
		log.Warn("the memory limit of the container is not known", "error", err)
	}
	ports, err := server.OpenPorts(ctx, c.Listen, c.Control) // before a large scenario is loaded in vain
	if err != nil {
		return err
	}
	defer ports.Close()
	ready := readyFile{name: c.ReadyFile}
	if err := ready.removeOld(ctx); err != nil {
		return err
	}
	sandboxes, err := await(ctx, func() (banks, error) { return c.openBanks(ctx, s, log) })
	if err != nil {
		return err
	}
	defer sandboxes.Close()
	token := ""
	if c.ControlToken != nil {
		token = *c.ControlToken
	}
	tokens, err := c.namedTokens(ctx, log)
	if err != nil {
		return wrongUse{err}
	}
	srv, err := server.Start(ctx, server.Config{
		Listen:         c.Listen,
		Control:        c.Control,
		Ports:          ports,
		Certificates:   certificates,
		Sandboxes:      sandboxes.Registry,
		PublicURL:      c.PublicURL,
		TrustForwarded: c.TrustForwarded,
		ForwardUnknown: c.ForwardUnknown,
		ControlToken:   token,
		ControlTokens:  tokens,
		IdleAfter:      c.ExitWhenIdle,
		FreesMemory:    true,
		NoDefault:      c.NoDefault,
		SandboxHosts:   c.SandboxHosts,
		CORSOrigins:    c.CORSOrigins,
		Version:        version(),
		Log:            log,
		LogQueue:       queue,
		Metrics:        metrics.New(metrics.Config{Version: version(), Sandboxes: sandboxes.Registry, Log: queue}),
		Agents:         agents,
		Inference:      infer.Inference(),
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	log.Info("serving", "service", strings.Join(srv.ServiceURLs(), ","), "control", srv.ControlURL(),
		"scenario", sandboxes.Origin().Scenario.Name, "seed", sandboxes.Default().Known().Seed(),
		"stored", sandboxes.Location(), "version", version())
	addresses := newAddresses(srv, token)
	addresses.logConsole(ctx, log, c.LogLevel.Level)
	c.logCertificates(log, srv, certificates)
	if c.Watch {
		watcher := watch.Start(ctx, watch.Config{
			File: c.Scenario, Files: sandboxes.files, Sandboxes: sandboxes.Registry, Log: log,
		})
		defer watcher.Close()
	}
	if err := ready.write(addresses); err != nil {
		return err
	}
	defer ready.remove()
	if err := notifyManager("READY=1"); err != nil {
		return fmt.Errorf("telling that the program is ready, as NOTIFY_SOCKET asks: %w", err)
	}
	return c.untilTheEnd(ctx, srv, log)
}

// untilTheEnd waits until the program has to end, and drains the server.
func (c serveCommand) untilTheEnd(ctx context.Context, srv *server.Server, log *slog.Logger) error {
	reason := "received a signal"
	select {
	case err := <-srv.Failed():
		return err
	case idle := <-srv.Idle():
		reason = "idle: " + idle
	case <-ctx.Done():
	}
	if err := notifyManager("STOPPING=1"); err != nil {
		log.Warn("NOTIFY_SOCKET can't be told that the program ends", "error", err)
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

func newLogger(w io.Writer, format string, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// heapShare is the share of the container's memory that the Go runtime may use. The rest is for the program's text and
// the kernel (choice).
const heapShare = 0.85

// limitMemory limits the memory of the process to that share, unless GOMEMLIMIT is set.
func limitMemory() error {
	_, err := memlimit.Set(memlimit.WithRatio(heapShare))
	return err
}

// certificates opens the certificates that the flags describe, or returns nil if no listener speaks https.
func (c serveCommand) certificates(ctx context.Context, log *slog.Logger) (*tlsca.Certificates, error) {
	isHTTPS := func(address string) bool { return strings.HasPrefix(address, "https://") }
	if !slices.ContainsFunc(append(c.Listen, c.Control), isHTTPS) {
		if c.TLSCert != "" || c.TLSCA != "" || len(c.TLSHosts) > 0 {
			return nil, errors.New("--tls-hosts, --tls-ca, --tls-cert and --tls-key are about https, " +
				"and nothing speaks it: add --listen https://ADDRESS, or leave them out")
		}
		return nil, nil
	}
	cfg := tlsca.Config{Dir: c.TLSCA, CertFile: c.TLSCert, KeyFile: c.TLSKey}
	cfg.Replaced = func(until time.Time, problem error) {
		if problem != nil {
			log.Error("https certificate", "error", problem)
			return
		}
		log.Info("another https certificate is used", "file", c.TLSCert, "until", until.UTC())
	}
	cfg.Read = func(name string) ([]byte, error) { return readFile(ctx, name) }
	if c.TLSCert == "" {
		cfg.Hosts = slices.Concat(c.TLSHosts, c.SandboxHosts)
	}
	certificates, err := tlsca.Open(cfg)
	if err != nil {
		return nil, fmt.Errorf("https: %w", err)
	}
	return certificates, nil
}

// namedTokens opens the file of --control-tokens, or returns nil without one.
func (c serveCommand) namedTokens(ctx context.Context, log *slog.Logger) (*controlapi.TokenFile, error) {
	if c.ControlTokens == "" {
		return nil, nil
	}
	read := func() ([]byte, error) { return readFile(ctx, c.ControlTokens) }
	tokens, err := controlapi.OpenTokens(read, func(tokens int, problem error) {
		if problem != nil {
			log.Error("control tokens: the earlier ones stay valid", "file", c.ControlTokens, "error", problem)
			return
		}
		log.Info("other control tokens are used", "file", c.ControlTokens, "tokens", tokens)
	})
	if err != nil {
		return nil, fmt.Errorf("--control-tokens %s: %w", c.ControlTokens, err)
	}
	return tokens, nil
}

// logCertificates logs which names have certificates, and what clients must trust.
func (c serveCommand) logCertificates(log *slog.Logger, srv *server.Server, certificates *tlsca.Certificates) {
	switch {
	case certificates == nil:
	case certificates.CA() == nil:
		log.Info("https certificate", "file", c.TLSCert)
	default:
		block, _ := pem.Decode(certificates.CA())
		log.Info("https certificates", "hosts", strings.Join(certificates.Hosts(), ","),
			"ca", srv.ControlURL()+"/ca.pem", "sha256", fmt.Sprintf("%x", sha256.Sum256(block.Bytes)))
	}
}

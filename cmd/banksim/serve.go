package main

import (
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
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
	err = c.untilTheEnd(ctx, srv, log)
	if dropped := queue.Dropped(); dropped > 0 {
		log.Log(ctx, max(slog.LevelWarn, c.LogLevel), "log lines were dropped: the log was not read, or could not be written", "lines", dropped)
	}
	return err
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

func newLogger(w io.Writer, format string, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// serveCommand is described at length in docs/running.md.
type serveCommand struct {
	Scenario     string  `default:"retail" placeholder:"NAME|FILE" help:"Scenario to start from: a built-in one, or a file."`
	Watch        bool    `help:"Reload the scenario when its files change. While they are invalid, the last valid version stays."`
	Seed         *uint64 `placeholder:"N" help:"Seed of generated ids and tokens, instead of the scenario's."`
	Strict       bool    `help:"Refuse requests whose answers rest only on a choice of the simulator."`
	MaxSandboxes int     `default:"20000" placeholder:"N" help:"Maximum number of sandboxes, including the default one."`

	Listen    string  `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the simulated interface listens; port 0: any."`
	Control   string  `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where the control API listens."`
	PublicURL *string `name:"public-url" placeholder:"URL" help:"Base URL that clients use. Default: that of the listener."`

	Host          []string       `placeholder:"NAME" help:"Host names that are answered, without a port; others get 421. Default: any."`
	SandboxHosts  []string       `name:"sandbox-hosts" placeholder:"PATTERN" help:"Hosts whose first label names a sandbox: *.bank.test"`
	SandboxHeader bool           `name:"sandbox-header" help:"Let the header Banksim-Sandbox name the sandbox."`
	NoDefault     bool           `name:"no-default-sandbox" help:"Answer requests that name no sandbox with 421."`
	TrustedProxy  []netip.Prefix `placeholder:"CIDR" help:"Addresses of proxies whose X-Forwarded headers are believed."`

	TLSListen  string   `name:"tls-listen" placeholder:"ADDRESS" help:"Where the simulated interface listens for https as well."`
	ControlTLS bool     `name:"control-tls" help:"Let the control API speak https instead of http."`
	TLSHosts   []string `name:"tls-hosts" placeholder:"NAME" xor:"hosts" help:"More names for certificates: a name, *.NAME, an IP or *."`
	TLSCA      string   `name:"tls-ca" placeholder:"DIR" xor:"ca" help:"Directory that keeps the CA. Default: a new CA in memory."`
	TLSCert    string   `name:"tls-cert" placeholder:"FILE" xor:"hosts,ca" and:"pair" help:"A certificate of your own (PEM) instead."`
	TLSKey     string   `name:"tls-key" placeholder:"FILE" and:"pair" help:"Its private key (PEM)."`

	ControlToken    *string `placeholder:"TOKEN" xor:"access" help:"Token of the control API. Default: beyond loopback a random one."`
	InsecureControl bool    `xor:"access" help:"Accept calls of the control API without a token, even beyond loopback."`

	ExitWhenIdle time.Duration `placeholder:"DURATION" help:"End with exit code 0 after this time without a request."`
	DrainDelay   time.Duration `placeholder:"DURATION" help:"After a signal, answer requests for this long, but 503 from /readyz."`
	ReadyFile    string        `placeholder:"FILE" help:"Write both addresses to this file, once both answer; remove it at the end."`
	LogFormat    string        `default:"text" enum:"text,json" help:"Format of the log on standard error: ${enum}."`
	LogLevel     slog.Level    `default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
}

// check checks the flags, and normalizes hosts and URLs.
func (c *serveCommand) check() error {
	for flag, address := range map[string]string{"--listen": c.Listen, "--control": c.Control, "--tls-listen": c.TLSListen} {
		if _, _, err := net.SplitHostPort(address); err != nil && (address != "" || flag != "--tls-listen") {
			return fmt.Errorf("%s %q is not an address such as 127.0.0.1:8080", flag, address)
		}
	}
	for flag, duration := range map[string]time.Duration{"--exit-when-idle": c.ExitWhenIdle, "--drain-delay": c.DrainDelay} {
		if duration < 0 {
			return fmt.Errorf("%s %s is negative: give a duration such as 10m, or 0 for none", flag, duration)
		}
	}
	if c.MaxSandboxes < 1 {
		return fmt.Errorf("--max-sandboxes %d is too few: the default sandbox needs one", c.MaxSandboxes)
	}
	for _, host := range c.Host {
		if err := bankapi.CheckHost(host); err != nil {
			return fmt.Errorf("--host %w", err)
		}
	}
	var err error
	for i, pattern := range c.SandboxHosts {
		if c.SandboxHosts[i], err = bankapi.CleanSandboxHost(pattern); err != nil {
			return fmt.Errorf("--sandbox-hosts %w", err)
		}
	}
	if err := bankapi.CheckSandboxHosts(c.SandboxHosts, c.Host); err != nil {
		return fmt.Errorf("--host %w", err)
	}
	if c.PublicURL != nil {
		if *c.PublicURL, err = server.CleanPublicURL(*c.PublicURL); err != nil {
			return fmt.Errorf("--public-url %w", err)
		}
	}
	if c.ControlToken != nil {
		if err := server.CheckToken(*c.ControlToken); err != nil {
			return fmt.Errorf("--control-token %w", err)
		}
	}
	return nil
}

// certificates opens the certificates that the flags describe; nil: nothing speaks https. The hosts of --host and --sandbox-hosts have
// some, too.
func (c *serveCommand) certificates(ctx context.Context) (*tlsca.Certificates, error) {
	if c.TLSListen == "" && !c.ControlTLS {
		if c.TLSCert != "" || c.TLSCA != "" || len(c.TLSHosts) > 0 {
			return nil, errors.New("--tls-hosts, --tls-ca, --tls-cert and --tls-key are about https, which nothing speaks: " +
				"add --tls-listen ADDRESS or --control-tls, or leave them out")
		}
		return nil, nil
	}
	cfg := tlsca.Config{Dir: c.TLSCA, CertFile: c.TLSCert, KeyFile: c.TLSKey, Read: documentReader(ctx)}
	if c.TLSCert == "" {
		cfg.Hosts = slices.Concat(c.TLSHosts, c.SandboxHosts)
		for _, host := range c.Host {
			if host = strings.Trim(host, "[]"); tlsca.CheckHost(host) == nil {
				cfg.Hosts = append(cfg.Hosts, host)
			}
		}
	}
	certificates, err := tlsca.Open(cfg)
	if err != nil {
		return nil, fmt.Errorf("https: %w", err)
	}
	return certificates, nil
}

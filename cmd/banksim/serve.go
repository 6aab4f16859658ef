package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
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
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// drainTimeout limits how long requests in flight may take once the program ends.
const drainTimeout = 10 * time.Second

type serveCommand struct {
	Scenario        string         `default:"retail" placeholder:"NAME|FILE" help:"Scenario to start from: a built-in one, or a file."`
	Watch           bool           `help:"Reload the scenario when its file, or one that it extends, changes. An invalid one is logged, and the last valid one stays."`
	Listen          string         `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the simulated interface listens; port 0 stands for any free one."`
	Control         string         `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where the control API listens."`
	TLSListen       string         `name:"tls-listen" placeholder:"ADDRESS" help:"Where the simulated interface listens for https, besides --listen; port 0 stands for any free one. Default: nowhere."`
	ControlTLS      bool           `name:"control-tls" help:"Let the control API speak https instead of http."`
	TLSHosts        []string       `name:"tls-hosts" placeholder:"NAME" help:"Names that certificates are made for, besides localhost, the loopback addresses and the name of this machine: a name, *.NAME, an IP address, or * for any name."`
	TLSCA           string         `name:"tls-ca" placeholder:"DIR" help:"Directory that keeps the CA which signs the certificates: it is made there once, and shared. Default: a new CA in memory."`
	TLSCert         string         `name:"tls-cert" placeholder:"FILE" help:"A certificate of your own (PEM), instead of those that the CA signs."`
	TLSKey          string         `name:"tls-key" placeholder:"FILE" help:"Its private key (PEM)."`
	PublicURL       *string        `name:"public-url" placeholder:"URL" help:"Base URL at which clients reach the simulated interface, for the control API to give them. Default: the address of the listener."`
	Seed            *uint64        `placeholder:"N" help:"Seed of generated ids and tokens, instead of the scenario's."`
	MaxSandboxes    int            `default:"20000" placeholder:"N" help:"Maximum number of sandboxes, including the default one."`
	NoDefault       bool           `name:"no-default-sandbox" help:"Answer requests whose URL names no sandbox with 421, instead of by the default one: every base URL ends with /sandboxes/NAME."`
	SandboxHosts    []string       `name:"sandbox-hosts" placeholder:"PATTERN" help:"Hosts whose first label is the name of a sandbox, such as *.bank.test: http://NAME.bank.test:8080 is a base URL without a path."`
	SandboxHeader   bool           `name:"sandbox-header" help:"Let a request name its sandbox by the header Banksim-Sandbox."`
	Host            []string       `placeholder:"NAME" help:"Host names that the simulated interface answers to, without a port; others get 421. Default: any."`
	TrustedProxy    []netip.Prefix `placeholder:"CIDR" help:"Addresses of proxies whose X-Forwarded-Proto, -Host and -Prefix headers decide the base URL in answers, and -Host the host."`
	ControlToken    *string        `placeholder:"TOKEN" help:"Token that calls of the control API need, as Authorization: Bearer TOKEN. Default: on loopback none; elsewhere a random one, which is logged at the start."`
	InsecureControl bool           `help:"Accept calls of the control API without a token, even beyond loopback."`
	Strict          bool           `help:"Refuse requests, in every sandbox, whose answers rest only on a choice of the simulator; see 'banksim ledger --basis choice'."`
	ExitWhenIdle    time.Duration  `placeholder:"DURATION" help:"End with exit code 0 after this time without a request. Those for health, readiness and metrics don't count."`
	DrainDelay      time.Duration  `placeholder:"DURATION" help:"After a signal, report for this long that the simulator is not ready, and answer requests, before it drains. Default: 0."`
	ReadyFile       string         `placeholder:"FILE" help:"Write both addresses to this file, as a line of JSON, once both answer, and remove it at the end. A regular file is replaced."`
	LogFormat       string         `default:"text" enum:"text,json" help:"Format of the log on standard error: ${enum}."`
	LogLevel        string         `default:"info" enum:"debug,info,warn,error" help:"Lowest level that is logged: ${enum}. Requests are logged at info."`
}

// Run serves until the context ends.
func (c serveCommand) Run(ctx context.Context, s streams, queue *logqueue.Queue) error {
	signal.Ignore(syscall.SIGPIPE) // where the reader of the log has left
	log := newLogger(queue, c.LogFormat, c.LogLevel)
	queue.Notice(c.dropNotice)
	token, publicURL, err := c.check()
	if err != nil {
		return wrongUse{err}
	}
	certificates, err := c.certificates()
	if err != nil {
		return wrongUse{err}
	}
	ready, err := newReadyFile(c.ReadyFile)
	if err != nil {
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
	if publicURL != "" {
		serving = append(serving, "public-url", publicURL)
	}
	if len(c.SandboxHosts) > 0 {
		serving = append(serving, "sandbox-hosts", strings.Join(c.SandboxHosts, ","))
	}
	log.Info("serving", serving...)
	addresses := newAddresses(srv, token)
	addresses.logConsole(ctx, log)
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

// untilTheEnd waits until the program is to end, and drains the server.
func (c serveCommand) untilTheEnd(ctx context.Context, srv *server.Server, log *slog.Logger) error {
	reason := "received a signal"
	select {
	case err := <-srv.Failed():
		return err
	case <-srv.Idle():
		reason = fmt.Sprintf("idle: no request for %s", c.ExitWhenIdle)
	case <-ctx.Done():
		if err := c.delayDrain(srv, log); err != nil {
			return err
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

// delayDrain reports that the server is not ready, and lets it serve for the drain delay.
func (c serveCommand) delayDrain(srv *server.Server, log *slog.Logger) error {
	if c.DrainDelay == 0 {
		return nil
	}
	srv.Unready()
	log.Info("not ready: requests are answered until the drain", "delay", c.DrainDelay)
	timer := time.NewTimer(c.DrainDelay)
	defer timer.Stop()
	select {
	case err := <-srv.Failed():
		return err
	case <-timer.C:
		return nil
	}
}

// check checks the flags, and returns the control token and the public URL that they give.
func (c serveCommand) check() (token, publicURL string, err error) {
	for flag, address := range map[string]string{"--listen": c.Listen, "--control": c.Control, "--tls-listen": c.TLSListen} {
		if flag == "--tls-listen" && address == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return "", "", fmt.Errorf("%s %q is not an address such as 127.0.0.1:8080", flag, address)
		}
	}
	if c.MaxSandboxes < 1 {
		return "", "", fmt.Errorf("--max-sandboxes %d is too few: the default sandbox needs one", c.MaxSandboxes)
	}
	if c.ExitWhenIdle < 0 {
		return "", "", fmt.Errorf("--exit-when-idle %s is negative: give a duration such as 10m, or 0 for never", c.ExitWhenIdle)
	}
	if c.DrainDelay < 0 {
		return "", "", fmt.Errorf("--drain-delay %s is negative: give a duration such as 5s, or 0 for none", c.DrainDelay)
	}
	for _, host := range c.Host {
		if err := bankapi.CheckHost(host); err != nil {
			return "", "", fmt.Errorf("--host %w", err)
		}
	}
	for i, pattern := range c.SandboxHosts {
		if c.SandboxHosts[i], err = bankapi.CleanSandboxHost(pattern); err != nil {
			return "", "", fmt.Errorf("--sandbox-hosts %w", err)
		}
	}
	if err := bankapi.CheckSandboxHosts(c.SandboxHosts, c.Host); err != nil {
		return "", "", fmt.Errorf("--host %w", err)
	}
	if c.PublicURL != nil {
		if publicURL, err = server.CleanPublicURL(*c.PublicURL); err != nil {
			return "", "", fmt.Errorf("--public-url %w", err)
		}
	}
	token, err = c.givenToken()
	return token, publicURL, err
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

// givenToken returns the control token of the command line, empty if there is none. Its error doesn't show the token.
func (c serveCommand) givenToken() (string, error) {
	if c.ControlToken == nil {
		return "", nil
	}
	if c.InsecureControl {
		return "", errors.New("--control-token and --insecure-control contradict each other: give one of them")
	}
	if err := server.CheckToken(*c.ControlToken); err != nil {
		return "", fmt.Errorf("--control-token %w", err)
	}
	return *c.ControlToken, nil
}

// dropNotice returns the log line that reports dropped lines, whatever the level.
func (c serveCommand) dropNotice(dropped uint64) []byte {
	var line bytes.Buffer
	newLogger(&line, c.LogFormat, c.LogLevel).Log(context.Background(), max(slog.LevelWarn, leastLevel(c.LogLevel)),
		"log lines were dropped: the log was not read, or could not be written", "lines", dropped)
	return line.Bytes()
}

func newLogger(w io.Writer, format, level string) *slog.Logger {
	options := &slog.HandlerOptions{Level: leastLevel(level)}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

func leastLevel(level string) (least slog.Level) {
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic("banksim: the flag accepts a level that slog doesn't know: " + level)
	}
	return least
}

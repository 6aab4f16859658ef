package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// drainTimeout limits how long requests in flight may take once the program ends.
const drainTimeout = 10 * time.Second

// Run serves until the context ends.
func (c serveCommand) Run(ctx context.Context, s streams, queue *logqueue.Queue) error {
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
	if err := limitMemory(); err != nil {
		log.Warn("the memory limit of the container is not known", "error", err)
	}
	ports, err := server.OpenPorts(ctx, c.Listen, c.Control) // before a large scenario is loaded in vain
	if err != nil {
		return err
	}
	defer ports.Close()
	sandboxes, err := await(ctx, func() (banks, error) { return c.openBanks(ctx, s.loading(), log) })
	if err != nil {
		return err
	}
	defer sandboxes.Close()
	token := *cmp.Or(c.ControlToken, new(string))
	srv, err := server.Start(ctx, server.Config{
		Listen:         c.Listen,
		Control:        c.Control,
		Ports:          ports,
		Certificates:   certificates,
		Sandboxes:      sandboxes.Registry,
		PublicURL:      *cmp.Or(c.PublicURL, new(string)),
		TrustForwarded: c.TrustForwarded,
		ControlToken:   token,
		IdleAfter:      c.ExitWhenIdle,
		NoDefault:      c.NoDefault,
		SandboxHosts:   c.SandboxHosts,
		CORSOrigins:    c.CORSOrigins,
		Version:        version(),
		Log:            log,
		LogQueue:       queue,
		Metrics:        metrics.New(metrics.Config{Version: version(), Sandboxes: sandboxes.Registry, Log: queue}),
		Agents:         agents,
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	log.Info("serving", "service", strings.Join(srv.ServiceURLs(), ","), "control", srv.ControlURL(),
		"scenario", sandboxes.Origin().Scenario.Name, "seed", sandboxes.Default().Known().Seed(),
		"kept", sandboxes.Location(), "version", version())
	addresses := newAddresses(srv, token)
	addresses.logConsole(ctx, log, c.LogLevel)
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
	err = c.untilTheEnd(ctx, srv, log)
	if dropped := queue.Dropped(); dropped > 0 {
		log.Log(ctx, max(slog.LevelWarn, c.LogLevel),
			"log lines were dropped: the log was not read, or could not be written", "lines", dropped)
	}
	return err
}

// banks are the banks of a program, and what they are from.
type banks struct {
	*sandbox.Registry
	files scenario.Files // of the scenario, with --watch
	store io.Closer      // or nil
}

// Close ends the banks in this process.
func (b banks) Close() {
	b.Registry.Close()
	if b.store != nil {
		_ = b.store.Close() // each change was synced when it was made
	}
}

// openBanks loads the scenario and opens the banks: in memory, or in the store of --data. It logs the warnings of the
// scenario, and from where a stored default bank goes on.
func (c serveCommand) openBanks(ctx context.Context, loading scenario.Option, log *slog.Logger) (banks, error) {
	sc, files, err := c.load(ctx, loading)
	if err != nil {
		return banks{}, err
	}
	watch.LogWarnings(log, sc)
	clockStart, _ := c.clockStart() // check has found no error
	cfg := sandbox.Config{
		Scenario: sc, Seed: c.Seed, ClockStart: clockStart, StartsNow: c.ClockStart == startNow,
		Budget: journal.NewBudget(min(debug.SetMemoryLimit(-1)/4, journal.DefaultBudget)),
	}
	if c.Data == "" {
		return banks{sandbox.NewRegistry(cfg), files, nil}, nil
	}
	kept, err := openStore(ctx, c.Data)
	if err != nil {
		return banks{}, wrongUse{err}
	}
	opened, wasStored, err := sandbox.OpenRegistry(ctx, cfg, kept)
	if err != nil {
		_ = kept.Close() // the error says more
		return banks{}, wrongUse{err}
	}
	if wasStored {
		logStored(opened, log)
	}
	return banks{opened, files, kept}, nil
}

// closableStore is a store that this program opens and closes.
type closableStore interface {
	sandbox.Store
	io.Closer
}

func openStore(ctx context.Context, data string) (closableStore, error) {
	address, err := store.ParseAddress(data)
	if err != nil {
		return nil, err
	}
	if address.IsDatabase() {
		return store.OpenPostgres(ctx, address)
	}
	return store.OpenFile(address.Directory())
}

// logStored says that the default bank goes on from where it was.
func logStored(sandboxes *sandbox.Registry, log *slog.Logger) {
	bank, given := sandboxes.Default().Known(), sandboxes.Origin().Scenario
	log.Info("the default bank goes on from where it was: "+
		"POST /v1/sandboxes/default/reset of the control API starts it afresh",
		"scenario", bank.Scenario.Name, "changes", bank.Changes())
	if bank.Scenario.Version != given.Version {
		log.Warn("the stored bank started from another scenario, or another version of it: a reset starts it from "+
			"what is given now", "stored", bank.Scenario.Tag, "given", given.Tag)
	}
}

// heapShare is the share of the container's memory that the Go runtime may use; the rest is for the program's text and
// the kernel (choice).
const heapShare = 0.85

// limitMemory sets the memory limit of the process to that share of the container's, unless GOMEMLIMIT is set.
func limitMemory() error {
	_, err := memlimit.Set(memlimit.WithRatio(heapShare))
	return err
}

// gcPercent is by how much the heap grows between two garbage collections, unless GOGC or the memory limit says
// otherwise (choice). With 100 or 200, a create takes a quarter more of the CPU.
const gcPercent = 400

// load loads the scenario and, with --watch, returns its files. The registry makes the rows, when it knows where the
// clock starts.
func (c serveCommand) load(ctx context.Context, loading scenario.Option) (*scenario.Scenario, scenario.Files, error) {
	if !c.Watch {
		sc, err := usableScenario(ctx, c.Scenario, scenario.WithoutWorld(), loading)
		return sc, nil, err
	}
	if _, err := scenario.Source(c.Scenario); err == nil {
		return nil, nil, wrongUse{fmt.Errorf("--watch needs a scenario from a file, and %s names a built-in one, "+
			"which never changes: leave --watch out, or name a file, such as --scenario ./bank.yaml",
			phrase.Quote(c.Scenario))}
	}
	sc, files, err := scenario.LoadFile(c.Scenario, scenario.WithoutWorld(), loading)
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
		log.Info("https certificates", "hosts", strings.Join(certificates.Hosts(), ","),
			"ca", srv.ControlURL()+"/ca.pem", "sha256", fmt.Sprintf("%x", sha256.Sum256(block.Bytes)))
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
	Scenario string  `default:"retail" placeholder:"NAME|FILE" help:"Scenario to start from: a built-in one, or a file."`
	Watch    bool    `help:"Reload the scenario when its files change. While they are invalid, the last valid version stays."`
	Data     string  `placeholder:"DIR|URL" help:"Directory or postgres:// URL that keeps the banks. Default: in memory only."`
	Seed     *uint64 `placeholder:"N" help:"Seed of generated ids and tokens, instead of the scenario's or a drawn one."`

	ClockStart string `default:"now" placeholder:"now|TIME" help:"Start of clocks whose scenario gives none."`

	Listen    []string `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the bank listens, also https://ADDRESS. Repeatable."`
	Control   string   `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where the control API listens, or https://ADDRESS."`
	PublicURL *string  `name:"public-url" placeholder:"URL" help:"Base URL that clients use. Default: that of the first listener."`

	SandboxHosts []string `name:"sandbox-hosts" placeholder:"PATTERN" help:"Hosts whose first label names a sandbox: *.bank.test"`
	NoDefault    bool     `name:"no-default-sandbox" help:"Answer requests that name no sandbox with 421."`

	CORSOrigins    []string `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may read the answers."`
	TrustForwarded bool     `help:"Write links by the X-Forwarded-Proto, -Host, -Port and -Prefix that a proxy adds."`

	TLSHosts []string `name:"tls-hosts" placeholder:"NAME" xor:"hosts" help:"More names for certificates: a name, *.NAME, an IP or *."`
	TLSCA    string   `name:"tls-ca" placeholder:"DIR" xor:"ca" help:"Directory that keeps the CA. Default: a new CA in memory."`
	TLSCert  string   `name:"tls-cert" placeholder:"FILE" xor:"hosts,ca" and:"pair" help:"A certificate of your own (PEM) instead."`
	TLSKey   string   `name:"tls-key" placeholder:"FILE" and:"pair" help:"Its private key (PEM)."`

	ControlToken *string `placeholder:"TOKEN" help:"Token of the control API. Default: none on loopback, and a random one beyond."`

	ExitWhenIdle time.Duration `placeholder:"DURATION" help:"End with exit code 0 after this time without a request."`
	ReadyFile    string        `placeholder:"FILE" help:"Write the addresses to this file, once all answer; remove it at the end."`
	LogFormat    string        `default:"text" enum:"text,json" help:"Format of the log on standard error: ${enum}."`
	LogLevel     slog.Level    `default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
}

// check checks the flags, and normalizes hosts and URLs.
func (c *serveCommand) check() error {
	for i, address := range append(slices.Clone(c.Listen), c.Control) {
		plain := strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://")
		if _, _, err := net.SplitHostPort(plain); err != nil {
			flag := "--listen"
			if i == len(c.Listen) {
				flag = "--control"
			}
			return fmt.Errorf("%s %s is not an address such as 127.0.0.1:8080 or https://127.0.0.1:8443",
				flag, phrase.Quote(address))
		}
	}
	if len(c.Listen) == 0 {
		return errors.New("--listen is empty: give an address, or leave it out")
	}
	if c.ExitWhenIdle < 0 {
		return fmt.Errorf("--exit-when-idle %s is negative: give a duration such as 10m, or 0 for none", c.ExitWhenIdle)
	}
	if _, err := c.clockStart(); err != nil {
		return err
	}
	for _, origin := range c.CORSOrigins {
		if err := checkOrigin(origin); err != nil {
			return fmt.Errorf("--cors-origins %w", err)
		}
	}
	var err error
	for i, pattern := range c.SandboxHosts {
		if c.SandboxHosts[i], err = bankapi.CleanSandboxHost(pattern); err != nil {
			return fmt.Errorf("--sandbox-hosts %w", err)
		}
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

// startNow is the --clock-start of clocks that start at the real time.
const startNow = "now"

// clockStart returns the time of --clock-start, or the zero time if it is now.
func (c *serveCommand) clockStart() (time.Time, error) {
	if c.ClockStart == startNow {
		return time.Time{}, nil
	}
	start, err := time.Parse(time.RFC3339, c.ClockStart)
	switch {
	case err != nil:
		return start, fmt.Errorf("--clock-start must be %s or an RFC 3339 timestamp such as %s, not %s",
			startNow, scenario.DefaultStart.Format(time.RFC3339), phrase.Quote(c.ClockStart))
	case start.Year() < 1 || start.Year() > scenario.LatestYear:
		return start, fmt.Errorf("--clock-start %s is out of range: the clock starts from the year 1 to %d",
			phrase.Quote(c.ClockStart), scenario.LatestYear)
	}
	return start, nil
}

// checkOrigin returns an error for a text that is no origin as behavior.cors.origins of a scenario lists them.
func checkOrigin(text string) error {
	form := contract.EverywhereCORS.Switch.Form
	if regexp.MustCompile(form.Pattern).MatchString(text) {
		return nil
	}
	return fmt.Errorf("must be %s, such as %s or %s, not %s",
		form.Title, phrase.Quote(form.Examples[0]), phrase.Quote(form.Examples[1]), phrase.Quote(text))
}

func isHTTPS(address string) bool { return strings.HasPrefix(address, "https://") }

// certificates opens the certificates that the flags describe; nil: nothing speaks https. The hosts of --sandbox-hosts
// have some, too.
func (c *serveCommand) certificates(ctx context.Context) (*tlsca.Certificates, error) {
	if !slices.ContainsFunc(c.Listen, isHTTPS) && !isHTTPS(c.Control) {
		if c.TLSCert != "" || c.TLSCA != "" || len(c.TLSHosts) > 0 {
			return nil, errors.New("--tls-hosts, --tls-ca, --tls-cert and --tls-key are about https, " +
				"which nothing speaks: add --listen https://ADDRESS, or leave them out")
		}
		return nil, nil
	}
	cfg := tlsca.Config{Dir: c.TLSCA, CertFile: c.TLSCert, KeyFile: c.TLSKey, Read: documentReader(ctx)}
	if c.TLSCert == "" {
		cfg.Hosts = slices.Concat(c.TLSHosts, c.SandboxHosts)
	}
	certificates, err := tlsca.Open(cfg)
	if err != nil {
		return nil, fmt.Errorf("https: %w", err)
	}
	return certificates, nil
}

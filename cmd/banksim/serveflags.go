package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

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

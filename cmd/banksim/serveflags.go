package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// serveCommand is described at length in docs/running.md.
type serveCommand struct {
	bankFlags     `group:"The bank:"`
	listenerFlags `group:"Listeners:"`
	httpsFlags    `group:"HTTPS:"`
	accessFlags   `group:"Access:"`
	processFlags  `group:"The process:"`
}

// Help says what an address is.
func (serveCommand) Help() string {
	return "An address is HOST:PORT, or https://HOST:PORT for https. Port 0 is any free one. A comma separates list items."
}

type bankFlags struct {
	Scenario   string     `default:"retail" placeholder:"NAME|FILE" help:"Scenario to start from. Default: retail."`
	Watch      bool       `help:"Reload the scenario when its files change and are valid."`
	Data       string     `placeholder:"DIR|URL" xor:"data" help:"Directory or database that keeps the banks. Default: memory."`
	Import     string     `placeholder:"FILE" xor:"data" help:"Begin with the banks of an export, in memory."`
	Seed       *uint64    `placeholder:"N" help:"Seed of ids and tokens, instead of the scenario's or a drawn one."`
	ClockStart clockStart `default:"now" placeholder:"TIME" help:"Start of clocks without one in the scenario, or now."`
	Journal    *int       `placeholder:"N" help:"Exchanges that a journal keeps. Default: 2000; with --data, 10000."`
	NoDefault  bool       `name:"no-default-sandbox" help:"Answer requests that name no sandbox with 421."`
}

type listenerFlags struct {
	Listen         []string `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Bank API. Default: ${default}."`
	Control        string   `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Control API. Default: ${default}."`
	PublicURL      string   `placeholder:"URL" help:"Base URL that clients use, if it is another one."`
	SandboxHosts   []string `placeholder:"PATTERN" help:"Hosts that name a sandbox: *.bank.test"`
	TrustForwarded bool     `help:"Take links and clients from the X-Forwarded headers of a proxy."`
	ForwardUnknown string   `placeholder:"URL" help:"Service that answers the paths that nothing else does."`
}

type httpsFlags struct {
	TLSHosts []string `placeholder:"NAME" xor:"hosts" help:"More names for certificates: NAME, *.NAME, IP or *."`
	TLSCA    string   `name:"tls-ca" placeholder:"DIR" xor:"ca" help:"Directory that keeps the CA. Default: in memory."`
	TLSCert  string   `placeholder:"FILE" xor:"hosts,ca" and:"pair" help:"A certificate of your own (PEM)."`
	TLSKey   string   `placeholder:"FILE" and:"pair" help:"Its private key (PEM)."`
}

type accessFlags struct {
	ControlToken  *string  `placeholder:"TOKEN" help:"Token of the control API. Default: none on loopback, else drawn."`
	ControlTokens string   `placeholder:"FILE" help:"Tokens with names and fewer rights, a line for each."`
	CORSOrigins   []string `placeholder:"ORIGIN" help:"Origins whose pages may read the answers."`
}

type processFlags struct {
	ExitWhenIdle time.Duration `placeholder:"DURATION" help:"End after this time without a request."`
	ReadyFile    string        `placeholder:"FILE" help:"File with the addresses, while they answer. Replaces a ready file only."`
	LogFormat    string        `default:"text" enum:"text,json" placeholder:"NAME" help:"text or json. Default: text."`
	LogLevel     logLevel      `default:"info" placeholder:"LEVEL" help:"debug, info, warn or error. Default: info."`
}

// check checks the flags, and normalizes hosts and URLs. It returns the first error.
func (c *serveCommand) check() (first error) {
	refuse := func(flag string, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("%s %w", flag, err)
		}
	}
	if len(c.Listen) == 0 {
		refuse("--listen", errors.New("is empty: give an address, or leave it out"))
	}
	for _, address := range c.Listen {
		refuse("--listen", checkAddress(address))
	}
	refuse("--control", checkAddress(c.Control))
	for _, origin := range c.CORSOrigins {
		refuse("--cors-origins", checkOrigin(origin))
	}
	var err error
	for i, pattern := range c.SandboxHosts {
		c.SandboxHosts[i], err = bankapi.CleanSandboxHost(pattern)
		refuse("--sandbox-hosts", err)
	}
	if c.PublicURL != "" {
		c.PublicURL, err = server.CleanPublicURL(c.PublicURL)
		refuse("--public-url", err)
	}
	if c.ForwardUnknown != "" {
		refuse("--forward-unknown", fault.Forward{URL: c.ForwardUnknown}.Check())
	}
	if c.ControlToken != nil {
		refuse("--control-token", server.CheckToken(*c.ControlToken))
	}
	if c.Journal != nil && *c.Journal < 1 {
		refuse("--journal", fmt.Errorf("%d is no number of exchanges: give one such as 2000", *c.Journal))
	}
	if c.ExitWhenIdle < 0 {
		refuse("--exit-when-idle", fmt.Errorf("%s is negative: give a duration such as 10m", c.ExitWhenIdle))
	}
	return first
}

func checkAddress(text string) error {
	_, number, err := net.SplitHostPort(strings.TrimPrefix(strings.TrimPrefix(text, "http://"), "https://"))
	if err != nil || strings.Contains(text, " ") || !isPort(number) {
		return fmt.Errorf("%s is not an address such as 127.0.0.1:8080 or https://127.0.0.1:8443", wording.Quote(redact.URL(text)))
	}
	return nil
}

// isPort reports whether a text is the number of a port. An empty one stands for 0.
func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil
}

// checkOrigin returns an error for a text that behavior.cors.origins of a scenario can't list, either.
func checkOrigin(text string) error {
	form := contract.EverywhereCORS.Switch.Form
	if regexp.MustCompile(form.Pattern).MatchString(text) {
		return nil
	}
	return fmt.Errorf("must be %s, such as %s or %s, not %s",
		form.Title, wording.Quote(form.Examples[0]), wording.Quote(form.Examples[1]), wording.Quote(redact.URL(text)))
}

// logLevel is the lowest level of the log.
type logLevel struct{ slog.Level }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *logLevel) UnmarshalText(text []byte) error {
	if l.Level.UnmarshalText(text) != nil {
		return fmt.Errorf("%s is no level: give debug, info, warn or error", wording.Quote(string(text)))
	}
	return nil
}

// clockStart is when clocks start. The zero value stands for the real time of each start.
type clockStart struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *clockStart) UnmarshalText(text []byte) (err error) {
	if string(text) == "now" {
		return nil
	}
	if s.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return fmt.Errorf("%s is neither now nor an RFC 3339 timestamp such as %s", wording.Quote(string(text)),
			scenario.DefaultStart.Format(time.RFC3339))
	}
	if s.IsZero() || s.Year() < 1 || s.Year() > scenario.LatestYear {
		return fmt.Errorf("%s is out of range: the clock starts from the year 1 to %d", s.Time.Format(time.RFC3339),
			scenario.LatestYear)
	}
	return nil
}

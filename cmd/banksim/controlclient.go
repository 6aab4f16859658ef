package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// controlFlags name a running simulator.
type controlFlags struct {
	Control      string `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Control API. Default: ${default}."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	controlTLSFlags
}

// controlTLSFlags are about a control API that speaks https.
type controlTLSFlags struct {
	ControlCA string `placeholder:"FILE" help:"CA of the control API (PEM). Default: any on loopback."`
}

// client returns a client of the control API, about a sandbox or, by the name "", about the default one.
func (f controlFlags) client(ctx context.Context, name string) (*controlClient, error) {
	base, err := controlURL(f.Control)
	if err != nil {
		return nil, wrongUse{err}
	}
	secure := &tls.Config{InsecureSkipVerify: isLoopback(base.Hostname())} // http would do there, too
	if f.ControlCA != "" {
		trusted, err := readFile(ctx, f.ControlCA)
		if err == nil {
			secure, err = readTLS(nil, nil, trusted)
		}
		if err != nil {
			return nil, wrongUse{fmt.Errorf("--control-ca: %w", err)}
		}
	}
	url := strings.TrimRight(base.String(), "/")
	return &controlClient{api.NewClient(url, f.ControlToken, secure), cmp.Or(name, sandbox.Default)}, nil
}

// controlURL returns the base URL of the control API at an address or a URL.
func controlURL(text string) (*url.URL, error) {
	full := text
	if !strings.Contains(text, "://") {
		full = "http://" + text
	}
	address, err := url.Parse(full)
	if err == nil && full != text {
		_, _, err = net.SplitHostPort(address.Host) // it has a port
	}
	isAddress := err == nil && address.Host != "" && isPort(address.Port())
	if !isAddress || !slices.Contains([]string{"http", "https"}, address.Scheme) {
		return nil, fmt.Errorf("--control %s is not an address such as 127.0.0.1:8081, or a URL such as "+
			"http://127.0.0.1:8081", wording.Quote(redact.URL(text)))
	}
	return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}, nil
}

// isLoopback reports whether a host is this machine. A client reaches it by 0.0.0.0, too: that is where a simulator in
// a container listens.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip.IsLoopback() || ip.IsUnspecified()
}

// controlClient calls the control API about a sandbox.
type controlClient struct {
	*api.Client
	sandbox string
}

// inSandbox returns the path of a call about the sandbox, such as /journal.
func (c *controlClient) inSandbox(path string) string { return api.SandboxPath(c.sandbox, path) }

// withSandboxRemedy returns the text of a refusal, without the call. If the simulator doesn't have the sandbox, the
// error says how to name another one.
func withSandboxRemedy(err error) error {
	var refusal *api.Refusal
	if !errors.As(err, &refusal) || refusal.Problem == nil || refusal.Status == http.StatusUnauthorized {
		return err
	}
	detail := refusal.Problem.Detail
	switch {
	case refusal.Problem.Code != api.NoSandbox:
		return refusal.Problem
	case strings.HasSuffix(detail, "?"): // it names another sandbox
		return fmt.Errorf("%w Name it with --sandbox", refusal.Problem)
	}
	if i := strings.LastIndex(detail, ": "); i >= 0 { // the remedy is a call
		detail = detail[:i]
	}
	return fmt.Errorf("%s: name another one with --sandbox", detail)
}

// withRemedy adds to the error of a call what the user can do.
func withRemedy(err error) error {
	var refusal *api.Refusal
	switch {
	case errors.Is(err, api.ErrNoAnswer):
		return fmt.Errorf("%w: start one with 'banksim serve', or say with --control where its control API listens",
			err)
	case !errors.As(err, &refusal):
		return err
	case refusal.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w: give it with --control-token or in BANKSIM_CONTROL_TOKEN", err)
	case refusal.Problem == nil && !refusal.IsHTTPS:
		return fmt.Errorf("%w: say with --control where that listens", err)
	}
	return err
}

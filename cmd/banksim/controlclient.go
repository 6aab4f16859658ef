package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// controlFlags name a sandbox of a running simulator.
type controlFlags struct {
	Control      string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens. Default: 127.0.0.1:8081."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox      string `default:"default" placeholder:"NAME" help:"Name of the sandbox. Default: default."`
	controlTLSFlags
}

// controlTLSFlags are about a control API that speaks https.
type controlTLSFlags struct {
	ControlCA string `name:"control-ca" placeholder:"FILE" help:"CA of the control API (PEM). Default: the system's; on loopback any."`
}

// client returns a client of the control API.
func (f controlFlags) client(ctx context.Context) (*controlClient, error) {
	base, err := controlURL(f.Control)
	if err != nil {
		return nil, wrongUse{err}
	}
	if f.ControlToken != "" {
		if err := server.CheckToken(f.ControlToken); err != nil {
			return nil, wrongUse{fmt.Errorf("--control-token %w", err)}
		}
	}
	if f.Sandbox == "" {
		return nil, wrongUse{errors.New("--sandbox is empty: give a name, or leave it out for the default one")}
	}
	var secure *tls.Config
	switch {
	case f.ControlCA != "":
		trusted, err := readFile(ctx, f.ControlCA, maxDocument)
		if err == nil {
			secure, err = conformance.ReadTLS(nil, nil, trusted)
		}
		if err != nil {
			return nil, wrongUse{fmt.Errorf("--control-ca: %w", err)}
		}
	case isLoopback(base): // where http, of which nothing is checked, would do as well
		secure = &tls.Config{InsecureSkipVerify: true}
	}
	return &controlClient{api.NewClient(base, f.ControlToken, secure), f.Sandbox}, nil
}

// controlURL returns the base URL of the control API at a URL, or at an address, without a slash at its end.
func controlURL(text string) (string, error) {
	wrong := fmt.Errorf("--control %s is not an address such as 127.0.0.1:8081, or a URL such as http://127.0.0.1:8081", phrase.Quote(text))
	if !strings.Contains(text, "://") {
		if _, _, err := net.SplitHostPort(text); err != nil {
			return "", wrong
		}
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", wrong
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "" || ip != nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port()) // it listens on all addresses, this one included
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func isLoopback(base string) bool {
	u, _ := url.Parse(base) // controlURL has made it
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// controlClient calls the control API about a sandbox.
type controlClient struct {
	*api.Client
	sandbox string
}

// inSandbox returns the path of a call about the sandbox, such as /journal.
func (c *controlClient) inSandbox(path string) string { return api.SandboxPath(c.sandbox, path) }

// helpful adds to the error of a call what its user can do.
func helpful(err error) error {
	var refusal *api.Refusal
	switch {
	case errors.Is(err, api.ErrNoAnswer):
		return fmt.Errorf("%w: start one with 'banksim serve', or say with --control where its control API listens", err)
	case errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w: give it with --control-token or in BANKSIM_CONTROL_TOKEN", err)
	case errors.As(err, &refusal) && refusal.Problem == nil:
		return fmt.Errorf("%w: say with --control where that listens", err)
	}
	return err
}

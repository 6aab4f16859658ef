package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// copyTimeout limits how long an answer may take that is copied or read piece by piece (choice).
const copyTimeout = 10 * time.Second

// controlFlags name a sandbox of a running simulator.
type controlFlags struct {
	Control      string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens. Default: 127.0.0.1:8081."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox      string `default:"default" placeholder:"NAME" help:"Name of the sandbox. Default: default."`
	controlTLSFlags
}

// controlTLSFlags are about a control API that speaks https.
type controlTLSFlags struct {
	ControlTLS bool   `name:"control-tls" help:"The control API speaks https, where --control has no scheme."`
	ControlCA  string `name:"control-ca" placeholder:"FILE" help:"CA of the control API (PEM). Default: the system's; on loopback any."`
}

// scheme returns the scheme of a control API at an address.
func (f controlTLSFlags) scheme() string {
	if f.ControlTLS {
		return "https"
	}
	return "http"
}

// client returns a client of the control API.
func (f controlFlags) client(ctx context.Context) (*controlClient, error) {
	address, token := fromLink(f.Control)
	base, err := controlURL(address, f.scheme())
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
	return &controlClient{api.NewClient(base, cmp.Or(f.ControlToken, token), secure), f.Sandbox}, nil
}

// fromLink returns the URL of the control API and the token, if there is one, of a link to the console, as the log has it. What
// is no such link is returned as it is.
func fromLink(text string) (control, token string) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !strings.HasSuffix(u.Path, "/console/") {
		return text, ""
	}
	if given, ok := strings.CutPrefix(u.Fragment, "token="); ok { // other fragments are those of pages
		token = given
	}
	u.Path, u.Fragment = strings.TrimSuffix(u.Path, "console/"), ""
	return u.String(), token
}

// controlURL returns the base URL of the control API at a URL or, with a scheme, at an address, without a slash at its end.
func controlURL(text, scheme string) (string, error) {
	wrong := fmt.Errorf("--control %s is not an address such as 127.0.0.1:8081, or a URL such as http://127.0.0.1:8081", phrase.Quote(text))
	if !strings.Contains(text, "://") {
		if _, _, err := net.SplitHostPort(text); err != nil {
			return "", wrong
		}
		text = scheme + "://" + text
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
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
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

// sandboxPath returns a path of the control API below that of a sandbox.
func sandboxPath(name, path string) string { return api.SandboxPath(name, path) }

// get decodes the JSON that GET answers for a path of the control API, which may have a query.
func (c *controlClient) get(ctx context.Context, path string, into any) error {
	return helpful(c.Get(ctx, path, into))
}

// call makes a call whose body is a value, nil for none, and decodes what it answers, unless into is nil.
func (c *controlClient) call(ctx context.Context, method, path string, body, into any) error {
	return helpful(c.Call(ctx, method, path, body, into))
}

// copy writes what GET answers for a path of the control API, which may have a query. Where it fails, a part may have been
// written.
func (c *controlClient) copy(ctx context.Context, path string, to io.Writer) error {
	return c.read(ctx, path, func(body io.Reader) error {
		_, err := io.Copy(to, body)
		return err
	})
}

// read lets a function read what GET answers for a path. Its error names the URL.
func (c *controlClient) read(ctx context.Context, path string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	body, err := c.Open(ctx, http.MethodGet, path, nil)
	if err != nil {
		return helpful(err)
	}
	defer func() { _ = body.Close() }()
	if err := read(body); err != nil {
		return fmt.Errorf("%s%s: %w", c.URL, path, err)
	}
	return nil
}

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

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Limits of a call of the control API (choice).
const (
	controlTimeout   = 10 * time.Second // of a call, until its answer has been read
	maxControlAnswer = 64 << 20         // of an answer that is decoded, in bytes
	maxControlDetail = 4 << 10          // of an answer that is shown, in bytes
)

// controlFlags name a sandbox of a running simulator.
type controlFlags struct {
	Control      string `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens. Default: 127.0.0.1:8081."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox      string `default:"default" placeholder:"NAME" help:"Name of the sandbox. Default: default."`
	controlTLSFlags
}

// client returns a client of the control API.
func (f controlFlags) client() (*controlClient, error) {
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
	transport, err := f.transport(base)
	if err != nil {
		return nil, err
	}
	return &controlClient{base: base, token: cmp.Or(f.ControlToken, token), sandbox: f.Sandbox, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // nobody else gets the token
	}}, nil
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

// controlClient calls the control API of a running simulator.
type controlClient struct {
	base    string // URL, without a slash at its end
	token   string // empty: none
	sandbox string
	http    *http.Client
}

// controlRefusal is the error of a call that the control API has refused.
type controlRefusal struct {
	status  int
	problem bool // whether the answer was a problem document, as the control API sends them
	text    string
}

// Error names the URL and what is wrong.
func (e *controlRefusal) Error() string { return e.text }

// inSandbox returns a path below that of the sandbox, such as /journal.
func (c *controlClient) inSandbox(path string) string {
	return sandboxPath(c.sandbox, path)
}

// sandboxPath returns a path of the control API below that of a sandbox.
func sandboxPath(name, path string) string { return "/v1/sandboxes/" + url.PathEscape(name) + path }

// get decodes the JSON that GET answers for a path of the control API, which may have a query.
func (c *controlClient) get(ctx context.Context, path string, into any) error {
	return c.read(ctx, path, decoding(into))
}

// call makes a call whose body is a value, nil for none, and decodes what it answers, unless into is nil.
func (c *controlClient) call(ctx context.Context, method, path string, body, into any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = wire.Encode(body); err != nil {
			return err
		}
	}
	if into == nil {
		return c.send(ctx, method, path, data, func(io.Reader) error { return nil })
	}
	return c.send(ctx, method, path, data, decoding(into))
}

// decoding returns a function that decodes the JSON of an answer.
func decoding(into any) func(io.Reader) error {
	return func(body io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(body, maxControlAnswer+1))
		switch {
		case err != nil:
			return err
		case len(data) > maxControlAnswer:
			return fmt.Errorf("the answer is larger than %d bytes", maxControlAnswer)
		}
		return json.Unmarshal(data, into)
	}
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
	return c.send(ctx, http.MethodGet, path, nil, read)
}

// send lets a function read the answer to a call with a body. Its error names the URL.
func (c *controlClient) send(ctx context.Context, method, path string, body []byte, read func(io.Reader) error) error {
	bounded, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(bounded, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return wrongUse{err}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(bounded, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK && (method == http.MethodGet || res.StatusCode/100 != 2) {
		refusal := c.refusal(res)
		if refusal.problem && refusal.status == http.StatusNotFound && strings.HasPrefix(path, c.inSandbox("")) {
			return c.checkSandbox(ctx, refusal)
		}
		return refusal
	}
	if err := read(res.Body); err != nil {
		if errors.Is(bounded.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("%s%s: the answer did not come to its end within %s", c.base, path, controlTimeout)
		}
		return fmt.Errorf("%s%s: %w", c.base, path, err)
	}
	return nil
}

// unreachable returns the error of a call without an answer.
func (c *controlClient) unreachable(ctx context.Context, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, which is said once
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", controlTimeout)
	}
	return fmt.Errorf("no simulator answers at %s: %w: start one with 'banksim serve', or say with --control where its control API listens", c.base, err)
}

// refusal returns the error of an answer that is no success.
func (c *controlClient) refusal(res *http.Response) *controlRefusal {
	if res.StatusCode == http.StatusUnauthorized {
		how := "needs a token: give it"
		if c.token != "" {
			how = "doesn't accept this token: give the right one"
		}
		return &controlRefusal{res.StatusCode, false, fmt.Sprintf("the control API at %s %s with --control-token or in BANKSIM_CONTROL_TOKEN; "+
			"it is the one that the simulator was given, or that it logged when it started", c.base, how)}
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxControlDetail))
	var problem struct {
		Title, Detail string
		Status        int
	}
	if json.Unmarshal(body, &problem) == nil && problem.Detail != "" && problem.Title != "" {
		return &controlRefusal{res.StatusCode, true, fmt.Sprintf("%s: %s", c.base, problem.Detail)}
	}
	return &controlRefusal{res.StatusCode, false, fmt.Sprintf("%s answered %s, and not as the control API of a simulator does: "+
		"say with --control where that listens; it has an address of its own beside that of the simulated interface", c.base, res.Status)}
}

// checkSandbox returns the error of a call that was refused with 404: that there is no such sandbox, or else the refusal.
func (c *controlClient) checkSandbox(ctx context.Context, refusal *controlRefusal) error {
	var all struct {
		Sandboxes []struct{ Name string }
	}
	if err := c.get(ctx, "/v1/sandboxes", &all); err != nil {
		return refusal
	}
	names := make([]string, len(all.Sandboxes))
	for i, sb := range all.Sandboxes {
		names[i] = sb.Name
	}
	if slices.Contains(names, c.sandbox) {
		return refusal
	}
	return &controlRefusal{refusal.status, true, fmt.Sprintf("%s: there is no sandbox %s%s", c.base, phrase.Quote(c.sandbox), phrase.DidYouMean(c.sandbox, names, "there are"))}
}

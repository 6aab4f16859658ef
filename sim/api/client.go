package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// callTimeout limits how long a call may take until its answer has been read (choice).
const callTimeout = 10 * time.Second

// Client calls the control API of a running simulator. Every error names the call or the URL. It is [ErrNoAnswer], a
// [Refusal], or the reason why the answer can't be read.
type Client struct {
	URL   string // the URL of the control API, without a slash at its end
	Token string // the control token, or empty

	patience  time.Duration // beside callTimeout
	http      *http.Client
	transport *http.Transport
}

// Patient returns the client for calls that wait for a time before they answer.
func (c *Client) Patient(wait time.Duration) *Client {
	patient := *c
	patient.patience = wait
	return &patient
}

// WithToken returns the client with another token.
func (c *Client) WithToken(token string) *Client {
	other := *c
	other.Token = token
	return &other
}

// NewClient returns a client. It uses no proxy of the environment, because a proxy doesn't reach a simulator that
// runs for a test. It follows no redirect, so that no other host gets the token. A nil configuration of TLS is the
// system's.
func NewClient(url, token string, secure *tls.Config) *Client {
	transport := &http.Transport{TLSClientConfig: secure, ForceAttemptHTTP2: true}
	return &Client{URL: url, Token: token, transport: transport, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// DialBy makes the client connect by a function.
func (c *Client) DialBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.transport.DialContext = dial
}

// Close ends the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// SandboxPath returns the path of a call about a sandbox, such as /v1/sandboxes/mine/journal for /journal.
func SandboxPath(sandbox, call string) string {
	return "/v1/sandboxes/" + url.PathEscape(sandbox) + call
}

// ErrNoAnswer is the error of a call without an answer.
var ErrNoAnswer = errors.New("no simulator answers")

// Refusal is the error of a call that is answered with an error status.
type Refusal struct {
	Call    string // method and path
	URL     string // the URL of the control API
	Status  int
	Problem *Problem // nil if the answer has no problem document
	IsHTTPS bool     // whether a request over http came to an address that speaks https
}

func (e *Refusal) Error() string {
	switch {
	case e.Status == http.StatusUnauthorized:
		return fmt.Sprintf("the control API at %s wants another token: "+
			"the one that the simulator was started with, or logged", e.URL)
	case e.IsHTTPS:
		return fmt.Sprintf("the control API at %s speaks https: give its address as %s", e.URL,
			strings.Replace(e.URL, "http:", "https:", 1))
	case e.Problem == nil:
		return fmt.Sprintf("%s answered %s with %d, and not as the control API of a simulator does: "+
			"it has an address of its own beside the simulated interface", e.URL, e.Call, e.Status)
	}
	return fmt.Sprintf("%s: %d %v", e.Call, e.Status, e.Problem)
}

// Get decodes the JSON that GET answers. The path may have a query.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.Call(ctx, http.MethodGet, path, nil, into)
}

// Call makes a call. It sends body as JSON, and decodes the answer into into. Either may be nil.
func (c *Client) Call(ctx context.Context, method, path string, body, into any) error {
	answer, err := c.Read(ctx, method, path, body)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s%s: reading the answer: %w", c.URL, path, err)
	}
	return nil
}

// journalPage is how many exchanges are asked for at once (choice).
const journalPage = 500

// Journal returns all exchanges after one that the journal of a sandbox holds, as if they were on its last page.
func (c *Client) Journal(ctx context.Context, sandbox, after string) (whole journal.Page, err error) {
	for next := after; next != "" && err == nil; next = whole.Next {
		earlier := whole.Exchanges
		whole = journal.Page{}
		err = c.Get(ctx, SandboxPath(sandbox, fmt.Sprintf("/journal?limit=%d&after=%s", journalPage, next)), &whole)
		whole.Exchanges = append(earlier, whole.Exchanges...)
	}
	return whole, err
}

// Read makes a call and returns the body of the answer, once all of it is there: a part would pass for the whole.
func (c *Client) Read(ctx context.Context, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout+c.patience)
	defer cancel()
	answer, err := c.Open(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Close() }()
	data, err := io.ReadAll(answer)
	if err != nil {
		return nil, fmt.Errorf("%s%s: reading the answer: %w", c.URL, path, err)
	}
	return data, nil
}

// Raw is a body that is sent as it is.
type Raw string

// Open makes a call and returns the body of the answer, for its caller to read and close. The context bounds how long
// that may take.
func (c *Client) Open(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
	var data []byte
	if raw, isRaw := body.(Raw); isRaw {
		data = []byte(raw)
	} else if body != nil {
		var err error
		if data, err = strictjson.Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which is said once
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrNoAnswer, c.URL, err)
	}
	if res.StatusCode/100 == 2 {
		return res.Body, nil
	}
	defer func() { _ = res.Body.Close() }()
	refusal := &Refusal{Call: method + " " + path, URL: c.URL, Status: res.StatusCode}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	var problem Problem
	if json.Unmarshal(answer, &problem) == nil && problem.Title != "" && problem.Detail != "" {
		refusal.Problem = &problem
	}
	refusal.IsHTTPS = bytes.Contains(answer, []byte("HTTP request to an HTTPS server")) // net/http says so
	return nil, refusal
}

// NoSandbox is the code of a problem: there is no sandbox of the name.
const NoSandbox = "no-sandbox"

// Problem is a problem document (RFC 9457): why the control API refused a call.
type Problem struct {
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Code     string   `json:"code,omitzero" enum:"no-sandbox" doc:"What programs tell apart."`
	Problems []Defect `json:"problems,omitempty"`
}

// Error returns the detail and, a line each, the problems.
func (p *Problem) Error() string {
	text := p.Detail
	for _, d := range p.Problems {
		text += "\n\t" + d.String()
	}
	return text
}

// Defect is one of the errors of an input, with its position if it has one.
type Defect struct {
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`   // the line, counted from 1
	Column  int    `json:"column,omitzero"` // the column in characters, counted from 1
	Message string `json:"message"`
}

// String returns the defect as compilers write theirs: retail.yaml:12:5: message.
func (d Defect) String() string {
	if d.Line == 0 {
		return d.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
}

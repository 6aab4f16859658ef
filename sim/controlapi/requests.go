package controlapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/pipe"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// requestCalls returns the call that sends a request to the bank.
func (c control) requestCalls() []Call {
	return []Call{inSandbox(c, "POST", "/requests", "sendRequest",
		"Send a request to the simulated bank, as an app would. It goes over HTTP/1.1.", c.sendRequest).
		example(`{"path": "` + contract.GroupsList.Path +
			`", "headers": {"Authorization": "Bearer demo-token", "transactionId": "t-1"}}`)}
}

// How long a request to the bank may take (choice).
const (
	sendTimeout    = 30 * time.Second
	maxSendTimeout = 2 * time.Minute
)

// requestPlan is a request to the bank, as an app would send it.
type requestPlan struct {
	Method  string                  `json:"method,omitzero" doc:"The HTTP method. Default: GET."`
	Path    string                  `json:"path" doc:"The path below the base URL of the sandbox, with the query."`
	Headers map[string]HeaderValues `json:"headers,omitzero" doc:"A value or a list of values for each name."`
	Body    string                  `json:"body,omitzero" doc:"The body of the request. Give its Content-Type as a header: no type is assumed."`
	Timeout string                  `json:"timeout,omitzero" doc:"How long to wait for the answer, such as 45s, at most 2m. Default: 30s."`
	Secrets map[string]string       `json:"secrets,omitzero" doc:"The secrets that the sandbox doesn't know, by their fingerprints in the request."`
}

// HeaderValues are the values of a header; one may stand alone.
type HeaderValues []string

// UnmarshalJSON reads a string or an array of strings.
func (v *HeaderValues) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(v))
	}
	*v = make(HeaderValues, 1)
	return json.Unmarshal(data, &(*v)[0])
}

// sentRequest is what became of a request to the bank.
type sentRequest struct {
	Exchange   string        `json:"exchange,omitempty" doc:"The id of the exchange in the journal. Not there: no journal has the exchange, or its id wasn't known in time."`
	Response   *bankResponse `json:"response,omitempty" doc:"The answer, as far as it came. Not there: nothing came."`
	Lost       string        `json:"lost,omitempty" doc:"Why nothing of the answer came, or only a part. Not there: all of it came."`
	TookMicros int64         `json:"tookMicros" doc:"How long it took in real time until the answer was read."`
}

// bankResponse is an answer of the bank.
type bankResponse struct {
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers"`
	Body    string              `json:"body" doc:"The body of the answer. Bytes that are not UTF-8 are replaced."`
}

type sendRequestInput struct {
	SandboxPath
	Body body[requestPlan]
}

// sendRequest has the bank answer a request below the base URL of the sandbox, as a request of HTTP/1.1. The answer is
// redacted only if fingerprints were filled in. Otherwise the caller has sent what the bank answers to.
func (c control) sendRequest(
	ctx context.Context, b bank, in *sendRequestInput,
) (answer secretAnswer[*sentRequest], err error) {
	plan, err := in.Body.decode()
	if err != nil {
		return answer, err
	}
	request, err := plan.request(c, b.Name())
	if err != nil {
		return answer, err
	}
	secrets, err := plan.fill(request, b.now.World)
	if err != nil {
		return answer, err
	}
	timeout := sendTimeout
	if plan.Timeout != "" {
		if timeout, err = duration("timeout", plan.Timeout); err == nil && timeout > maxSendTimeout {
			err = refuse(http.StatusBadRequest, "timeout must be at most %s, not %s", maxSendTimeout, timeout)
		}
		if err != nil {
			return answer, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sent := c.send(ctx, request)
	if len(secrets) > 0 && sent.Response != nil {
		answered := sent.Response
		body := redact.AnswerBody([]byte(answered.Body), contract.TokensIssue.Name, answered.Status)
		answered.Body = string(redact.Echo(body, secrets))
		for _, values := range answered.Headers {
			for i, value := range values {
				values[i] = string(redact.Echo([]byte(value), secrets))
			}
		}
	}
	return secretAnswer[*sentRequest]{sent}, nil
}

// fill replaces fingerprints by their secrets, and returns those. It refuses (409) a fingerprint whose secret is in
// neither the plan nor the world.
func (p requestPlan) fill(r *http.Request, w *sim.World) (secrets []string, err error) {
	var known map[string]string // made for the first fingerprint
	fill := redact.Each(func(kind, name, shown string) string {
		if !fingerprint().MatchString(shown) {
			return shown
		}
		if known == nil {
			known = secretsOf(w)
			maps.Copy(known, p.Secrets)
		}
		if _, ok := known[shown]; !ok {
			err = refuse(http.StatusConflict, "%s %s: the sandbox doesn't know the secret of %s: give it in secrets",
				kind, wording.Shorten(name), shown)
		}
		secrets = append(secrets, known[shown])
		return known[shown]
	})
	for name, values := range r.Header {
		for i, value := range values {
			values[i] = fill.Header(name, value)
		}
	}
	r.URL.RawQuery = fill.Query("parameter", r.URL.RawQuery)
	body := fill.RequestBody([]byte(p.Body), r.Header.Get("Content-Type"))
	if r.Body, r.ContentLength = http.NoBody, int64(len(body)); len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return secrets, err
}

// secretsOf returns what the world has of credentials, by fingerprint: tokens, passwords, the keys of clients, and
// their Basic credentials.
func secretsOf(w *sim.World) map[string]string {
	secrets := map[string]string{}
	add := func(secret string) { secrets[redact.Fingerprint(secret)] = secret }
	for t := range w.Tokens() {
		add(t.Text)
	}
	for i := range w.Institutions() {
		for c := range w.Clients(i.InstitutionID) {
			add(c.SecretKey)
			add(base64.StdEncoding.EncodeToString([]byte(c.SharedKey + ":" + c.SecretKey)))
		}
		for u := range w.Users(i.InstitutionID) {
			add(u.Password)
		}
	}
	return secrets
}

// send has the bank answer a request, over a connection of its own.
func (c control) send(ctx context.Context, r *http.Request) *sentRequest {
	sent, started, exchange := &sentRequest{}, time.Now(), atomic.Pointer[string]{}
	sender := journal.Sender{Name: rightsIn(ctx).name, Note: func(id string) { exchange.Store(&id) }}
	listener := pipe.Listen()
	bank := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.RemoteAddr = cmp.Or(sender.Name, "try it")
			c.Bank.ServeHTTP(w, r.WithContext(journal.WithSender(r.Context(), sender)))
		}),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), ReadHeaderTimeout: time.Minute,
	}
	client := &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.Dial(ctx) },
		DisableCompression: true,
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = bank.Serve(listener) })
	defer func() {
		client.CloseIdleConnections()
		_ = bank.Close()
		serving.Wait()
	}()
	var body []byte
	answer, err := client.RoundTrip(r.WithContext(ctx))
	if err == nil {
		body, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		sent.Response = &bankResponse{answer.StatusCode, answer.Header, strings.ToValidUTF8(string(body), "\uFFFD")}
	}
	sent.TookMicros = time.Since(started).Microseconds()
	if id := exchange.Load(); id != nil {
		sent.Exchange = *id
	}
	if err != nil {
		sent.Lost = lost(ctx, err)
		if len(body) > 0 {
			whole := answer.Header.Get("Content-Length")
			sent.Lost += fmt.Sprintf(", after %d of %s bytes of the body", len(body), whole)
		}
	}
	return sent
}

// lost says why an answer didn't come, or not all of it.
func lost(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "the time for the answer is over: the bank is still at work on the request, or a fault holds the answer"
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	}
	return wording.Message(strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: "))
}

// request returns the request to a sandbox. Its errors quote nothing but names of headers, because any value may be a
// secret.
func (p requestPlan) request(c control, sandbox string) (*http.Request, error) {
	base := c.below("", sandbox)
	r, err := http.NewRequest(cmp.Or(p.Method, http.MethodGet), "/", nil)
	if err != nil || r.Method == http.MethodConnect {
		return nil, refuse(http.StatusBadRequest, "method must be one of HTTP such as GET, and not CONNECT")
	}
	path, query, asked := strings.Cut(p.Path, "?")
	r.URL, err = url.ParseRequestURI(base + path)
	isUnsent := func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '#' }
	if err != nil || !strings.HasPrefix(path, "/") || strings.ContainsFunc(p.Path, isUnsent) ||
		strings.HasPrefix(r.URL.Path[len(base):], "/sandboxes/") {
		return nil, refuse(http.StatusBadRequest,
			"path must begin with / and be as it is sent, escaped with %%, below the base URL "+
				"of the sandbox, without /sandboxes/NAME: give one of the interface with its query, such as %s?size=5",
			contract.GroupsList.Path)
	}
	r.URL.RawQuery, r.URL.ForceQuery = query, asked
	_, host, _ := strings.Cut(c.ServiceURL, "://")
	r.Host, _, _ = strings.Cut(host, "/")
	r.URL.Scheme, r.URL.Host = "http", cmp.Or(r.Host, "bank")
	for name, values := range p.Headers {
		canonical := http.CanonicalHeaderKey(name)
		if !match.IsHeaderName(name) || r.Header[canonical] != nil {
			return nil, refuse(http.StatusBadRequest,
				"headers: %s is given twice, or can't be the name of a header", wording.Quote(name))
		}
		if slices.Contains(unsent, canonical) {
			return nil, refuse(http.StatusBadRequest,
				"headers: %s can't be given: it belongs to the connection, or the simulator sets it",
				canonical)
		}
		r.Header[canonical] = values
	}
	if r.Header["User-Agent"] == nil {
		r.Header.Set("User-Agent", "banksim")
	}
	return r, nil
}

// fingerprint is what redact.Fingerprint returns.
var fingerprint = lazy.Regexp("^tok_[0-9a-f]{12}$")

// unsent are the headers that belong to the connection or the message, or that name a sandbox.
var unsent = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", contract.SandboxHeader}

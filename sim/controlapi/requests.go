package controlapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// requestCalls returns the call that sends a request to the bank.
func (c control) requestCalls() []Call {
	return []Call{inSandbox(c, "POST", "/requests", "sendRequest",
		"Send a request to the simulated bank, as an app would. It goes over HTTP/2.", c.sendRequest)}
}

// sendTimeout is how long a request to the bank may take (choice).
const sendTimeout = 10 * time.Second

// requestPlan is a request to the bank, as an app would send it.
type requestPlan struct {
	Method  string                  `json:"method,omitzero" doc:"The HTTP method. Default: GET."`
	Path    string                  `json:"path" doc:"The path below the base URL of the sandbox, with the query."`
	Headers map[string]HeaderValues `json:"headers,omitzero" doc:"A value or a list of values for each name."`
	Body    string                  `json:"body,omitzero" doc:"The body of the request. Give its Content-Type as a header: no type is assumed."`
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

// sendRequest has the bank answer a request below the base URL of the sandbox, as a request of HTTP/2. The answer is
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
	filled, err := plan.fill(request, b.now.World)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	sent := c.send(ctx, request)
	if filled && sent.Response != nil {
		answered := sent.Response
		answered.Body = string(redact.AnswerBody([]byte(answered.Body), contract.TokensIssue.Name, answered.Status))
	}
	return secretAnswer[*sentRequest]{sent}, nil
}

// fill replaces fingerprints by their secrets, and reports whether the request had fingerprints. It refuses (409) a
// fingerprint whose secret is neither in the plan nor in the world.
func (p requestPlan) fill(r *http.Request, w *sim.World) (filled bool, err error) {
	var known map[string]string // made for the first fingerprint
	fill := redact.Each(func(kind, name, shown string) string {
		if !fingerprint.MatchString(shown) {
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
		return known[shown]
	})
	for name, values := range r.Header {
		for i, value := range values {
			values[i] = fill.Header(name, value)
		}
	}
	r.URL.RawQuery = fill.Query("parameter", r.URL.RawQuery)
	body := fill.RequestBody([]byte(p.Body), r.Header.Get("Content-Type"))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return known != nil, err
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

// send has the bank answer a request.
func (c control) send(ctx context.Context, r *http.Request) *sentRequest {
	sent, started := &sentRequest{}, time.Now()
	answer := bankAnswer{httptest.NewRecorder()}
	answer.Code = 0 // until the answer begins
	aborted := answer.abortedBy(c.Bank, r.WithContext(journal.WithNote(ctx, &sent.Exchange)))
	sent.TookMicros = time.Since(started).Microseconds()
	if answer.Code != 0 {
		body := strings.ToValidUTF8(answer.Body.String(), "\uFFFD")
		sent.Response = &bankResponse{answer.Code, answer.Header(), body}
	}
	switch {
	case ctx.Err() != nil:
		sent.Lost = fmt.Sprintf("the time for it is over after %s", sendTimeout)
	case aborted && sent.Response == nil:
		sent.Lost = "the stream was reset without an answer"
	case aborted:
		sent.Lost = fmt.Sprintf("the stream was reset after %d of %s bytes of the body",
			answer.Body.Len(), answer.Header().Get("Content-Length"))
	}
	return sent
}

// bankAnswer records an answer of the bank.
type bankAnswer struct{ *httptest.ResponseRecorder }

// SetWriteDeadline is for http.ResponseController: the answer is not written to a network.
func (bankAnswer) SetWriteDeadline(time.Time) error { return nil }

// abortedBy has a handler answer a request, and reports whether it aborted the answer.
func (b bankAnswer) abortedBy(bank http.Handler, r *http.Request) (aborted bool) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			aborted = true
		}
	}()
	bank.ServeHTTP(b, r)
	return false
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
	r.Proto, r.ProtoMajor, r.ProtoMinor, r.RemoteAddr = "HTTP/2.0", 2, 0, "try it"
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
var fingerprint = regexp.MustCompile("^tok_[0-9a-f]{12}$")

// unsent are the headers that belong to the connection or the message, or that name a sandbox.
var unsent = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", contract.SandboxHeader}

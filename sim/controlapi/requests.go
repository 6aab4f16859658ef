package controlapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Limits of requests that are sent to the bank (choice).
const (
	sendTimeout  = 10 * time.Second // until the answer is read
	maxBankBytes = 1 << 20          // of an answer's body
)

// requestPlan is a request to the bank, as an app would send it.
type requestPlan struct {
	Method  string                  `json:"method" about:"Default: GET."`
	Path    string                  `json:"path" required:"true" about:"Below the base URL of the sandbox, with the query."`
	Headers map[string]headerValues `json:"headers" about:"A value or a list of values for each name. Host and the headers that belong to a connection can't be given."`
	Body    string                  `json:"body" about:"Its Content-Type isn't assumed: give it as a header."`
}

// headerValues are the values of a header; one may stand alone.
type headerValues []string

// UnmarshalJSON reads a string or an array of strings.
func (v *headerValues) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(v))
	}
	*v = make(headerValues, 1)
	return json.Unmarshal(data, &(*v)[0])
}

// sentRequest is what became of a request to the bank.
type sentRequest struct {
	Exchange   string        `json:"exchange,omitempty" about:"Its id in the journal. Without it, no journal has the exchange, or it isn't known in time."`
	Response   *bankResponse `json:"response,omitempty" about:"What came of the answer; none: nothing of it."`
	Lost       string        `json:"lost,omitempty" about:"What is wrong with the answer: why nothing came, or only a part, or what can't be read. None: all is well."`
	TookMicros int64         `json:"tookMicros" about:"Real time until the answer was read."`
}

// bankResponse is an answer of the bank.
type bankResponse struct {
	Status     int                 `json:"status"`
	Headers    map[string][]string `json:"headers"`
	Body       string              `json:"body"`
	BodyBase64 string              `json:"bodyBase64,omitempty" about:"The body as it came, where it isn't UTF-8."`
}

// sendRequest has the bank answer a request below the base URL of the sandbox, as one of HTTP/2, and answers what came back. It is
// not redacted: the caller has sent what the bank answers to.
func (a control) sendRequest(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var plan requestPlan
	if err := decode(r, &plan); err != nil {
		return err
	}
	request, err := plan.request(a, sb.Name())
	if err != nil {
		return err
	}
	for _, name := range request.Header[contract.SandboxHeader] {
		if name != sb.Name() {
			return refuse(http.StatusBadRequest, "headers: %s can name no other sandbox than %s, to which the request is sent", contract.SandboxHeader, sb.Name())
		}
	}
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	ctx, cancelTimeout := context.WithTimeout(ctx, sendTimeout)
	defer cancelTimeout()
	in := sb.Now().Journal
	sent := a.send(ctx, request)
	if in.Closed() { // the id would be that of another exchange
		sent.Exchange = ""
	}
	w.Header().Set("Cache-Control", "no-store") // the answer may have a token
	return reply(w, sent)
}

// send has the bank answer a request.
func (a control) send(ctx context.Context, r *http.Request) *sentRequest {
	sent, answer, started := &sentRequest{}, &bankAnswer{header: http.Header{}}, time.Now()
	aborted := answer.of(a.Bank, r.WithContext(journal.WithNote(ctx, &sent.Exchange)))
	sent.TookMicros = time.Since(started).Microseconds()
	body := answer.body.Bytes()
	if answer.status != 0 {
		sent.Response = &bankResponse{Status: answer.status, Headers: answer.header, Body: string(body)}
		if !utf8.Valid(body) {
			sent.Response.Body, sent.Response.BodyBase64 = strings.ToValidUTF8(string(body), "\uFFFD"), base64.StdEncoding.EncodeToString(body)
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		sent.Lost = fmt.Sprintf("the time for it is over after %s", sendTimeout)
	case ctx.Err() != nil:
		sent.Lost = "the simulator is shutting down, or the caller has disconnected"
	case aborted && sent.Response == nil:
		sent.Lost = "the stream was reset without an answer"
	case aborted:
		sent.Lost = fmt.Sprintf("the stream was reset after %d of %s bytes of the body", len(body), answer.header.Get("Content-Length"))
	case answer.cut:
		sent.Lost = fmt.Sprintf("only %d bytes of the body are shown: no more than that is kept", len(body))
	case sent.Response != nil && sent.Response.BodyBase64 != "":
		sent.Lost = "the whole answer came, but its body is not UTF-8: bodyBase64 has it as it came"
	case len(body) > 0 && strings.HasPrefix(answer.header.Get("Content-Type"), jsonMedia) && !json.Valid(body):
		sent.Lost = "the whole answer came, but its body is not valid JSON"
	}
	return sent
}

// bankAnswer keeps an answer of the bank. It implements http.ResponseWriter and http.Flusher.
type bankAnswer struct {
	header http.Header
	status int // 0: nothing was answered
	body   bytes.Buffer
	cut    bool // whether the body holds only the beginning
}

// of has a handler answer a request, and reports whether it aborted the answer.
func (b *bankAnswer) of(bank http.Handler, r *http.Request) (aborted bool) {
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

// Header implements http.ResponseWriter.
func (b *bankAnswer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *bankAnswer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write implements http.ResponseWriter.
func (b *bankAnswer) Write(data []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	room := maxBankBytes - b.body.Len()
	b.cut = b.cut || len(data) > room
	_, _ = b.body.Write(data[:min(len(data), room)]) // it never fails
	return len(data), nil
}

// Flush implements http.Flusher.
func (*bankAnswer) Flush() {}

// SetWriteDeadline is for http.ResponseController: whoever reads the answer doesn't wait for a network.
func (*bankAnswer) SetWriteDeadline(time.Time) error { return nil }

// request returns the request to a sandbox. Its errors quote nothing but names of headers: any value may be a secret.
func (p requestPlan) request(a control, sandbox string) (*http.Request, error) {
	bad := func(format string, args ...any) (*http.Request, error) {
		return nil, refuse(http.StatusBadRequest, format, args...)
	}
	method := p.Method
	if method == "" {
		method = http.MethodGet
	}
	if !token.MatchString(method) || method == http.MethodConnect {
		return bad("method must be one of HTTP such as GET, and not CONNECT")
	}
	base := a.below("", sandbox)
	target, err := p.target(base)
	if err != nil {
		return nil, err
	}
	header, err := p.header()
	if err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(a.ServiceURL, "://")
	host, _, _ = strings.Cut(host, "/")
	return &http.Request{
		Method: method, URL: target, Header: header, Host: host, Proto: "HTTP/2.0", ProtoMajor: 2, RemoteAddr: "try it",
		Body: io.NopCloser(strings.NewReader(p.Body)), ContentLength: int64(len(p.Body)),
	}, nil
}

// target returns the path and the query below a base path.
func (p requestPlan) target(basePath string) (*url.URL, error) {
	bad := func(why string) (*url.URL, error) {
		return nil, refuse(http.StatusBadRequest, "path %s: give one of the interface with its query, such as %s?size=5", why, contract.GroupsList.Path)
	}
	switch {
	case strings.Contains(p.Path, "://") && !strings.HasPrefix(p.Path, "/"):
		return bad("must not be a URL, because a request can be sent to this simulator alone")
	case !strings.HasPrefix(p.Path, "/"):
		return bad("must begin with /")
	case strings.Contains(p.Path, "#"):
		return bad("must have no fragment, which no client sends")
	case strings.ContainsFunc(p.Path, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return bad("must have no spaces, control characters or letters beyond ASCII unless they are escaped with %")
	}
	path, query, asked := strings.Cut(p.Path, "?")
	target, err := url.ParseRequestURI(basePath + path)
	if err != nil {
		return bad("has a % that escapes nothing")
	}
	if strings.HasPrefix(target.Path[len(basePath):], "/sandboxes/") {
		return bad("must be below the base URL of the sandbox, without /sandboxes/NAME")
	}
	target.RawQuery, target.ForceQuery = query, asked
	return target, nil
}

// token is what methods and names of headers are (RFC 9110 5.6.2).
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ofConnection are the headers that belong to the connection or the message, which the simulator sets by itself.
var ofConnection = []string{
	"Connection", "Content-Length", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// header returns the headers.
func (p requestPlan) header() (http.Header, error) {
	header := http.Header{"User-Agent": {"banksim"}}
	given := map[string]bool{}
	for name, values := range p.Headers {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !token.MatchString(name):
			return nil, refuse(http.StatusBadRequest, "headers: a name can't be that of a header: use letters, digits and -")
		case canonical == "Host":
			return nil, refuse(http.StatusBadRequest, "headers: Host can't be given: a request is sent to this simulator, by the name to which it answers")
		case slices.Contains(ofConnection, canonical):
			return nil, refuse(http.StatusBadRequest, "headers: %s can't be given: it belongs to the connection, not to the request", canonical)
		case given[canonical]:
			return nil, refuse(http.StatusBadRequest, "headers: %s is given twice, in another case: give its values as an array", phrase.Quote(canonical))
		}
		given[canonical] = true
		for _, value := range values {
			if strings.ContainsFunc(strings.ReplaceAll(value, "\t", " "), unicode.IsControl) {
				return nil, refuse(http.StatusBadRequest, "headers: a value of %s has control characters, such as a line break", phrase.Quote(canonical))
			}
		}
		header[canonical] = values
	}
	return header, nil
}

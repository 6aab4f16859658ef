package controlapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// sendTimeout is how long a request to the bank may take (choice).
const sendTimeout = 10 * time.Second

// requestPlan is a request to the bank, as an app would send it.
type requestPlan struct {
	Method  string                  `json:"method" about:"Default: GET."`
	Path    string                  `json:"path" required:"true" about:"Below the base URL of the sandbox, with the query."`
	Headers map[string]headerValues `json:"headers" about:"A value or a list of values for each name, without those of the connection."`
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
	Exchange   string        `json:"exchange,omitempty" about:"Its id in the journal; none: no journal has it, or it isn't known in time."`
	Response   *bankResponse `json:"response,omitempty" about:"What came of the answer; none: nothing of it."`
	Lost       string        `json:"lost,omitempty" about:"Why nothing came, or only a part. None: all is well."`
	TookMicros int64         `json:"tookMicros" about:"Real time until the answer was read."`
}

// bankResponse is an answer of the bank.
type bankResponse struct {
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers"`
	Body    string              `json:"body" about:"Bytes that are not UTF-8 are replaced."`
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
			return refuse(http.StatusBadRequest, "headers: %s can name no other sandbox than %s, to which the request is sent",
				contract.SandboxHeader, sb.Name())
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
	sent, started := &sentRequest{}, time.Now()
	answer := bankAnswer{&httptest.ResponseRecorder{HeaderMap: http.Header{}, Body: &bytes.Buffer{}}}
	aborted := answer.abortedBy(a.Bank, r.WithContext(journal.WithNote(ctx, &sent.Exchange)))
	sent.TookMicros = time.Since(started).Microseconds()
	if answer.Code != 0 {
		sent.Response = &bankResponse{answer.Code, answer.HeaderMap, strings.ToValidUTF8(answer.Body.String(), "\uFFFD")}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		sent.Lost = fmt.Sprintf("the time for it is over after %s", sendTimeout)
	case ctx.Err() != nil:
		sent.Lost = "the simulator is shutting down, or the caller has disconnected"
	case aborted && sent.Response == nil:
		sent.Lost = "the stream was reset without an answer"
	case aborted:
		sent.Lost = fmt.Sprintf("the stream was reset after %d of %s bytes of the body",
			answer.Body.Len(), answer.HeaderMap.Get("Content-Length"))
	}
	return sent
}

// bankAnswer records an answer of the bank. Its code is 0 until the answer begins.
type bankAnswer struct{ *httptest.ResponseRecorder }

// SetWriteDeadline is for http.ResponseController: whoever reads the answer doesn't wait for a network.
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

// request returns the request to a sandbox. Its errors quote nothing but names of headers: any value may be a secret.
func (p requestPlan) request(a control, sandbox string) (*http.Request, error) {
	method := p.Method
	if method == "" {
		method = http.MethodGet
	}
	if !token.MatchString(method) || method == http.MethodConnect {
		return nil, refuse(http.StatusBadRequest, "method must be one of HTTP such as GET, and not CONNECT")
	}
	target, err := p.target(a.below("", sandbox))
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
	path, query, asked := strings.Cut(p.Path, "?")
	target, err := url.ParseRequestURI(basePath + path)
	why := ""
	switch {
	case !strings.HasPrefix(p.Path, "/"):
		why = "must begin with /, and not be a URL"
	case strings.ContainsFunc(p.Path, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '#' }):
		why = "must be as it is sent: with no spaces, control characters or letters beyond ASCII unless they are escaped with %, and " +
			"no fragment"
	case err != nil:
		why = "has a % that escapes nothing"
	case strings.HasPrefix(target.Path[len(basePath):], "/sandboxes/"):
		why = "must be below the base URL of the sandbox, without /sandboxes/NAME"
	default:
		target.RawQuery, target.ForceQuery = query, asked
		return target, nil
	}
	return nil, refuse(http.StatusBadRequest, "path %s: give one of the interface with its query, such as %s?size=5",
		why, contract.GroupsList.Path)
}

// token is what methods and names of headers are (RFC 9110 5.6.2).
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ofConnection are the headers that belong to the connection or the message, which the simulator sets by itself.
var ofConnection = []string{
	"Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// header returns the headers.
func (p requestPlan) header() (http.Header, error) {
	header := http.Header{"User-Agent": {"banksim"}}
	for name, values := range p.Headers {
		canonical := http.CanonicalHeaderKey(name)
		isControl := func(value string) bool {
			return strings.ContainsFunc(strings.ReplaceAll(value, "\t", " "), unicode.IsControl)
		}
		switch {
		case !token.MatchString(name):
			return nil, refuse(http.StatusBadRequest, "headers: a name can't be that of a header: use letters, digits and -")
		case slices.Contains(ofConnection, canonical):
			return nil, refuse(http.StatusBadRequest, "headers: %s can't be given: it belongs to the connection, not to the request",
				canonical)
		case slices.ContainsFunc(values, isControl):
			return nil, refuse(http.StatusBadRequest, "headers: a value of %s has control characters, such as a line break",
				phrase.Quote(canonical))
		}
		header[canonical] = values
	}
	return header, nil
}

package controlapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Limits of requests that are sent to the bank (choice).
const (
	maxSending   = 20               // at a time
	maxSendLarge = 4                // of these, with a body of more than smallAnswer
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

// sendRequest sends a request to the service listener of this simulator, below the base URL of the sandbox, and answers what
// came back. It is not redacted: the caller has sent what the bank answers to.
func (a control) sendRequest(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	for _, places := range a.sendingPlaces(r) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			return refuse(http.StatusTooManyRequests, "%d requests are being sent to the bank, as many as may be at a time: at most %d, and at most %d large ones",
				len(places), cap(a.sending), cap(a.sendingLarge))
		}
	}
	var plan requestPlan
	if err := decode(r, &plan); err != nil {
		return err
	}
	request, err := plan.request(strings.TrimPrefix(a.baseURL(sb.Name()), a.ServiceURL))
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
	x, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer x.end()
	sent := x.send(request)
	w.Header().Set("Cache-Control", "no-store") // the answer may have a token
	return reply(w, sent)
}

// sendingPlaces returns what a request needs places of. Large bodies have few, because they are held in memory until the bank
// has answered.
func (a control) sendingPlaces(r *http.Request) []chan struct{} {
	if r.ContentLength >= 0 && r.ContentLength <= smallAnswer {
		return []chan struct{}{a.sending}
	}
	return []chan struct{}{a.sending, a.sendingLarge}
}

// request returns the request, below a base path. Its errors quote nothing but names of headers: any value may be a
// secret.
func (p requestPlan) request(basePath string) (*http.Request, error) {
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
	target, err := p.target(basePath)
	if err != nil {
		return nil, err
	}
	header, err := p.header()
	if err != nil {
		return nil, err
	}
	return &http.Request{
		Method: method, URL: target, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
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

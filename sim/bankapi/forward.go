package bankapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const (
	// ForwardUnknown is the name of the rule that forwards what nothing else answers.
	ForwardUnknown = "forward-unknown"

	forwardTimeout = 30 * time.Second // until the other service begins to answer (choice)
	maxEscapes     = 4                // of a path within one another (choice)
	maxForwarded   = 100 << 20        // bytes of a body, and of an answer (choice)
)

// goesToOther reports whether the service of [Config.ForwardUnknown] answers a request that no stub answers.
func (h *Handler) goesToOther(req *request) bool {
	return h.unknown != nil && req.asked == nil && req.refusal == nil && len(req.allowed) == 0 &&
		req.Method != http.MethodConnect && req.Method != http.MethodTrace &&
		!isForKeySet(req) && h.aboutControl(req) == ""
}

// forwardLimit returns how long another service may take for its answer.
func (h *Handler) forwardLimit() time.Duration { return cmp.Or(h.ForwardTimeout, forwardTimeout) }

// askOther sends a request to another service, and returns the service's answer, or the beginning of an answer that is
// large or slow. It refuses the request if there is no such answer.
func (h *Handler) askOther(req *request, e effects) (reply, error) {
	to := e.Forward.Rule.Then.Forward.URL
	service, err := e.Forward.Service()
	if err != nil {
		return reply{}, sim.Refuse(contract.ForwardFailed, "%s", err)
	}
	target, err := h.forwardTarget(req, to, service.Base)
	if err != nil {
		return reply{}, err
	}
	ctx, late := h.forwardContext(req)
	out := h.outgoing(req, target).WithContext(ctx)
	if out.Body != nil { // the time counts from the end of an upload, unless the answer has begun before
		out.Body = readingBody{out.Body, func() {
			if late.Stop() {
				late.Reset(h.forwardLimit())
			}
		}}
	}
	var rep reply
	res, err := service.Transport.RoundTrip(out)
	late.Stop()
	if err == nil {
		mapLocation(res.Header, req, e.Forward.Rule, service.Base)
		rep, err = readAnswer(ctx, res, req.leases, e.connection != nil)
	}
	switch {
	case err == nil, errors.As(err, new(*sim.Error)):
		return rep, err
	case errors.As(err, new(*http.MaxBytesError)):
		return reply{}, tooLargeToForward()
	}
	return reply{}, sim.Refuse(contract.ForwardFailed, "%s gives no answer: %s",
		to, wording.Message(cmp.Or(context.Cause(ctx), err).Error()))
}

// forwardTarget returns the URL below a base that a request is forwarded to. It refuses a request that can't be
// forwarded. A refusal names the service as the rule does.
func (h *Handler) forwardTarget(req *request, to string, base *url.URL) (*url.URL, error) {
	target, err := targetURL(base, req.below)
	via := slices.Concat(req.Header["Via"], req.Header[contract.ViaHeader])
	switch {
	case req.content.err != nil && req.content.rest == nil:
		return nil, req.content.err
	case req.ContentLength > maxForwarded:
		return nil, tooLargeToForward()
	case err != nil:
		return nil, err
	case strings.Contains(strings.Join(via, ","), h.pseudonym):
		return nil, sim.Refuse(contract.ForwardLoop,
			"the request comes back from %s: let one of the two not forward it", to)
	case strings.EqualFold(req.header("Upgrade"), "websocket"): // any other upgrade may be ignored (RFC 9110 7.8)
		return nil, sim.Refuse(contract.ForwardFailed, "no WebSocket is forwarded: connect to %s itself", to)
	}
	return target, nil
}

func tooLargeToForward() error {
	return sim.Refuse(contract.BodyTooLarge, "the body is larger than %d MiB, and is not forwarded", maxForwarded>>20)
}

// forwardContext returns the context of a call of another service, and the timer that ends it if no answer begins. It
// also ends with the request, when the leases of the request are released, and when the server shuts down.
func (h *Handler) forwardContext(req *request) (context.Context, *time.Timer) {
	ctx, stop := context.WithCancelCause(req.Context())
	req.leases.endForward = func() { stop(nil) }
	go func() {
		select {
		case <-h.Draining:
			stop(errors.New("the simulator is ending"))
		case <-ctx.Done():
		}
	}()
	limit := h.forwardLimit()
	return ctx, time.AfterFunc(limit, func() { stop(fmt.Errorf("it has not answered within %s", limit)) })
}

// readingBody tells when a body is read.
type readingBody struct {
	io.ReadCloser
	tell func()
}

// Read implements io.Reader.
func (b readingBody) Read(p []byte) (int, error) {
	b.tell()
	return b.ReadCloser.Read(p)
}

// targetURL returns the URL below a base with the path and the query of a request. It refuses a path that could lead to
// another place, however it is escaped.
func targetURL(base, asked *url.URL) (*url.URL, error) {
	unsafe := func(problem string) error {
		return sim.Refuse(contract.PathUnsafe, "a path %s could leave %s, and is not forwarded", problem, base)
	}
	path := cmp.Or(asked.EscapedPath(), "/")
	if path[0] != '/' {
		return nil, unsafe("that doesn't begin with /")
	}
	target := *base
	target.RawPath = strings.TrimRight(base.EscapedPath(), "/") + path
	target.Path = match.Unescape(target.RawPath)
	target.RawQuery, target.ForceQuery = asked.RawQuery, asked.ForceQuery
	for range maxEscapes + 1 {
		segments := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
		for i, segment := range segments {
			name, _, _ := strings.Cut(segment, ";") // some servers remove the rest
			if name == "." || name == ".." {
				return nil, unsafe("with a segment . or ..")
			}
			segments[i] = match.Unescape(segment)
		}
		plain := strings.Join(segments, "/")
		if plain == path {
			return &target, nil
		}
		path = plain
	}
	return nil, unsafe(fmt.Sprintf("that is escaped more than %d times", maxEscapes))
}

// outgoing returns a request as another service gets it.
func (h *Handler) outgoing(req *request, target *url.URL) *http.Request {
	out := &http.Request{Method: req.Method, URL: target, Header: req.Header.Clone()}
	if rest := req.content.rest; rest != nil {
		out.ContentLength = req.ContentLength
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(req.content.data), rest))
	} else if data := req.content.data; len(data) > 0 {
		out.ContentLength = int64(len(data))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		out.Body, _ = out.GetBody()
	}
	removeHops(out.Header)
	for _, name := range []string{"Expect", contract.SandboxHeader, contract.FaultHeader} {
		out.Header.Del(name)
	}
	if out.Header["User-Agent"] == nil {
		out.Header.Set("User-Agent", "") // else net/http sends its own
	}
	for _, name := range []string{"Via", contract.ViaHeader} {
		out.Header.Add(name, "1.1 "+h.pseudonym)
	}
	if !h.TrustForwarded { // else the headers of the trusted proxy go on as they came
		(&httputil.ProxyRequest{In: req.Request, Out: out}).SetXForwarded()
	}
	return out
}

// mapLocation has the Location of an answer lead to the bank, if the bank would forward a request there. A relative one
// leads there anyway.
func mapLocation(header http.Header, req *request, rule *fault.Rule, base *url.URL) {
	location, err := url.Parse(header.Get("Location"))
	if err != nil || location.Path == "" || location.Path[0] != '/' {
		return
	}
	to := base.ResolveReference(location)
	path, isBelow := strings.CutPrefix(to.EscapedPath(), strings.TrimRight(base.EscapedPath(), "/")+"/")
	path = "/" + path
	isCovered := !rule.IsStub() || match.Covers(rule.Path, match.OfRequest(path))
	if to.Scheme != base.Scheme || to.Host != base.Host || !isBelow || !isCovered {
		return
	}
	to.Scheme, to.User, to.Host, to.Path, to.RawPath = "", nil, "", "", ""
	header.Set("Location", req.baseURL+path+to.String())
}

// removeHops removes the headers that are about one connection (RFC 9110 7.6.1). Those that Connection names beside
// close stay in an answer: net/http has removed such a Connection.
func removeHops(header http.Header) {
	names := strings.Split(strings.Join(header["Connection"], ","), ",")
	for _, name := range append(names, "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
		"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade") {
		header.Del(strings.TrimSpace(name))
	}
}

// readAnswer reads the answer of another service: whole if a fault alters it, and else its beginning at least.
func readAnswer(ctx context.Context, res *http.Response, held *leases, isWhole bool) (rep reply, err error) {
	if res.StatusCode < 200 || res.StatusCode > 599 {
		_ = res.Body.Close()
		return rep, fmt.Errorf("its status is %d", res.StatusCode)
	}
	body := readPieces(ctx, res.Body)
	if isWhole {
		rep.body, err = body.all(held)
	} else if rep.body, err = body.beginning(); body.hasMore() {
		rep.rest = body
	}
	if err != nil {
		return rep, err
	}
	removeHops(res.Header)
	rep.status = res.StatusCode
	keepsLength := rep.rest != nil || res.Request.Method == http.MethodHead
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		switch {
		case name == contract.ExchangeHeader.Name, name == contract.ScenarioHeader.Name:
		case name == "Content-Length" && !keepsLength:
		default:
			for _, value := range res.Header[name] {
				rep.headers = append(rep.headers, [2]string{name, value})
			}
		}
	}
	if rep.body != nil && !rep.has(contract.ContentType.Name) {
		rep = rep.with(contract.ContentType.Name, http.DetectContentType(rep.body)) // as a server of Go does
	}
	return rep, nil
}

// replyOfOther returns the reply of another service to a request, or a refusal if the service has not answered.
func (h *Handler) replyOfOther(req *request, m moment, e effects, paused *pause) decided {
	if paused.failure != nil {
		return decided{reply: refusalReply(m, paused.failure)}
	}
	rep := paused.reply
	if req.header(m.family.RequestID) != "" {
		rep = rep.withInPlace(m.family.RequestID) // the simulator adds it
	}
	if h.corsOf(m) != nil {
		rep = rep.withInPlace(allowOrigin).withInPlace(allowCredentials)
	}
	rep.decision = faultDecision(m, e.Forward.Rule.Name, contract.EverywhereForwarding)
	rep.decision.Message = "forwarded to " + e.Forward.Rule.Then.Forward.URL
	if rep.rest != nil {
		rep.decision.Message += "; the answer was large or slow, and only its beginning is kept"
	}
	rep.decision.Entries = union(rep.decision.Entries, []string{contract.EverywhereForwardingHops.ID})
	return decided{reply: rep}
}

package bankapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
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
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const (
	// ForwardUnknown is the name of the rule that forwards what nothing else answers.
	ForwardUnknown = "forward-unknown"

	forwardTimeout = 30 * time.Second // for the whole answer of the other service (choice)
	maxEscapes     = 4                // of a path within one another (choice)
)

// isForwarded reports whether nothing but the service of [Config.ForwardUnknown] answers a request, unless a stub does.
func (h *Handler) isForwarded(req *request) bool {
	return h.unknown != nil && req.asked == nil && req.refusal == nil && len(req.allowed) == 0 &&
		!isForKeySet(req) && h.aboutControl(req) == ""
}

// forward sends a request to another service, and returns the service's answer with the room that it needs. It refuses
// the request if there is no such answer.
func (h *Handler) forward(req *request, firing *fault.Firing, held *lease) (rep reply, err error) {
	to := firing.Rule.Then.Forward.URL
	target, ok := below(firing.Service.Base, req.url)
	switch {
	case req.content.err != nil:
		return rep, req.content.err
	case !ok:
		return rep, sim.Refuse(contract.PathUnsafe,
			"a path with a segment . or .. could leave %s, and is not forwarded", to)
	case strings.Contains(strings.Join(req.Header["Via"], ","), h.pseudonym):
		return rep, sim.Refuse(contract.ForwardLoop,
			"the request comes back from %s: let one of the two not forward it", to)
	}
	limit := cmp.Or(h.ForwardTimeout, forwardTimeout)
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	defer time.AfterFunc(limit, func() { cancel(fmt.Errorf("it has not answered within %s", limit)) }).Stop()
	go func() {
		select {
		case <-h.Draining:
			cancel(errors.New("the simulator is ending"))
		case <-ctx.Done():
		}
	}()
	proxy := httputil.ReverseProxy{
		Transport: firing.Service.Transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = target.RawQuery // as it came
			for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
				if values := r.In.Header[name]; values != nil {
					r.Out.Header[name] = values
				}
			}
			r.Out.Header.Add("Via", "1.1 "+h.pseudonym)
		},
		ModifyResponse: func(res *http.Response) (err error) {
			rep, err = readAnswer(res, held)
			res.Body = http.NoBody
			return err
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, failure error) { err = failure },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	proxy.ServeHTTP(discard{}, outgoing(req, target).WithContext(ctx))
	var refusal *sim.Error
	if err == nil || errors.As(err, &refusal) {
		return rep, err
	}
	return rep, sim.Refuse(contract.ForwardFailed, "%s gives no answer: %s",
		to, phrase.Message(cmp.Or(context.Cause(ctx), err).Error()))
}

// below returns the URL below a base with the path and the query of a request. It returns false if the path could lead
// to another place, by whatever escapes.
func below(base, asked *url.URL) (*url.URL, bool) {
	path := cmp.Or(asked.EscapedPath(), "/")
	target := *base
	target.RawPath = strings.TrimRight(base.EscapedPath(), "/") + path
	target.Path = match.Unescape(target.RawPath)
	target.RawQuery, target.ForceQuery = asked.RawQuery, asked.ForceQuery
	for range maxEscapes {
		segments := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
		for i, segment := range segments {
			name, _, _ := strings.Cut(segment, ";") // some servers remove the rest
			if name == "." || name == ".." || segments[0] != "" {
				return nil, false
			}
			segments[i] = match.Unescape(segment)
		}
		plain := strings.Join(segments, "/")
		if plain == path {
			return &target, true
		}
		path = plain
	}
	return nil, false
}

// outgoing returns a request as another service gets it.
func outgoing(req *request, target *url.URL) *http.Request {
	body := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(req.content.data)), nil }
	out := &http.Request{
		Method: req.Method, URL: target, Host: target.Host, Header: req.Header.Clone(),
		ContentLength: int64(len(req.content.data)), GetBody: body,
	}
	out.Body, _ = body()
	for _, name := range []string{"Upgrade", "Te", "Expect", contract.SandboxHeader, contract.FaultHeader} {
		out.Header.Del(name)
	}
	return out
}

// readAnswer reads the answer of another service. It takes the room for the body while it reads it.
func readAnswer(res *http.Response, held *lease) (rep reply, err error) {
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode < 200 || res.StatusCode > 599 {
		return rep, fmt.Errorf("its status is %d", res.StatusCode)
	}
	var body bytes.Buffer
	for room, isWhole := largeAnswer, false; !isWhole; room = min(2*room, fault.MaxAnswer+1) {
		if !held.takeAnswer(room) {
			return rep, sim.Refuse(contract.Overloaded, "there is no room for the answer of the other service: "+
				"send the request again later")
		}
		if _, err := body.ReadFrom(io.LimitReader(res.Body, int64(room-body.Len()))); err != nil {
			return rep, err
		}
		if body.Len() > fault.MaxAnswer {
			return rep, fmt.Errorf("its answer is larger than %d MiB", fault.MaxAnswer>>20)
		}
		isWhole = body.Len() < room
	}
	isHEAD := res.Request.Method == http.MethodHead
	if rep.status = res.StatusCode; body.Len() > 0 {
		rep.body = body.Bytes()
	}
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		switch {
		case name == contract.ExchangeHeader.Name, name == contract.ScenarioHeader.Name:
		case name == "Content-Length" && !isHEAD:
		default:
			for _, value := range res.Header[name] {
				rep = rep.with(name, value)
			}
		}
	}
	if rep.body != nil && !rep.has(contract.ContentType.Name) {
		rep = rep.with(contract.ContentType.Name, http.DetectContentType(rep.body))
	}
	return rep, nil
}

// forwarded returns the result of a request that another service has answered, or the refusal in its place.
func (h *Handler) forwarded(req *request, m moment, e effects, paused *pause) result {
	if paused.failure != nil {
		return result{reply: refuse(m, paused.failure)}
	}
	rep := paused.answer
	if req.header(m.family.RequestID) != "" {
		rep = rep.withInPlace(m.family.RequestID) // the simulator adds it
	}
	if h.corsOf(m) != nil {
		rep = rep.withInPlace(allowOrigin).withInPlace(allowCredentials)
	}
	rep.decision = faultDecision(m, e.forward.Rule.Name, contract.EverywhereForwarding)
	rep.decision.Message = "forwarded to " + e.forward.Rule.Then.Forward.URL
	rep.decision.Entries = union(rep.decision.Entries, []string{contract.EverywhereForwardingHops.ID})
	return result{reply: rep}
}

// discard takes an answer from httputil.ReverseProxy after [readAnswer] has read it.
type discard struct{}

func (discard) Header() http.Header            { return http.Header{} }
func (discard) Write(data []byte) (int, error) { return len(data), nil }
func (discard) WriteHeader(int)                {}

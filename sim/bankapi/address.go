package bankapi

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const sandboxesPrefix = "/sandboxes/"

// address is the sandbox and the path of the interface that a request goes to.
type address struct {
	sandboxName string   // as the request names it
	prefix      string   // of the base URL's path, escaped, or "" if the path names no sandbox
	baseURL     string   // links to the bank begin with it: scheme, host and prefix
	below       *url.URL // the URL below the base URL: its path is the interface's
	refusal     error    // why the request is refused whatever it asks for, or nil
}

// address returns where a request goes. If soleSandbox isn't empty, it goes there.
func (h *Handler) address(r *http.Request, soleSandbox string) address {
	if soleSandbox != "" {
		return address{sandboxName: soleSandbox, baseURL: h.baseURL(r, ""), below: r.URL}
	}
	name, prefix, inner := splitSandbox(r.URL)
	if prefix == "" {
		name = sandbox.Default
	}
	a := address{sandboxName: name, prefix: prefix, baseURL: h.baseURL(r, prefix), below: inner}
	a.sandboxName, a.refusal = h.chooseSandbox(r, a)
	return a
}

// splitSandbox splits a URL into the sandbox that its path /sandboxes/NAME names, that prefix, and the URL below it.
func splitSandbox(u *url.URL) (name, prefix string, below *url.URL) {
	if !strings.HasPrefix(u.Path, sandboxesPrefix) {
		return "", "", u
	}
	escaped := u.EscapedPath()
	name, _, _ = strings.Cut(strings.TrimPrefix(escaped, sandboxesPrefix), "/")
	prefix = sandboxesPrefix + name
	inner := *u
	// A name needs no escapes. A name with escapes belongs to no sandbox, so the rest of the path doesn't matter.
	inner.RawPath, inner.Path = strings.TrimPrefix(escaped, prefix), strings.TrimPrefix(u.Path, prefix)
	return name, prefix, &inner
}

// chooseSandbox returns the sandbox that the path, the host and the header of a request name. It refuses a request that
// names two sandboxes. It refuses a request without a name if the handler has no default sandbox. The exchange is
// recorded in the first sandbox that exists.
func (h *Handler) chooseSandbox(r *http.Request, a address) (string, error) {
	type mention struct{ sandbox, by string }
	var all []mention
	if a.prefix != "" {
		all = append(all, mention{a.sandboxName, "its path"})
	}
	if name, ok := sandboxOfHost(h.SandboxHosts, h.host(r)); ok {
		all = append(all, mention{name, "its host"})
	}
	for _, name := range r.Header[contract.SandboxHeader] {
		all = append(all, mention{name, "the header " + contract.SandboxHeader})
	}
	if len(all) == 0 {
		if h.NoDefault {
			return a.sandboxName, h.missingSandbox(a.baseURL)
		}
		return a.sandboxName, nil
	}
	first := all[0]
	other := slices.IndexFunc(all, func(m mention) bool { return m.sandbox != first.sandbox })
	if other < 0 {
		return first.sandbox, nil
	}
	chosen := first.sandbox
	for _, n := range all {
		if _, err := h.Sandboxes.Find(r.Context(), n.sandbox); err == nil {
			chosen = n.sandbox
			break
		}
	}
	return chosen, sim.Refuse(contract.SandboxContradiction,
		"the request names two sandboxes, %s by %s and %s by %s: name one",
		wording.Quote(first.sandbox), first.by, wording.Quote(all[other].sandbox), all[other].by)
}

// host returns the host that the client has called, with its port.
func (h *Handler) host(r *http.Request) string {
	if !h.TrustForwarded {
		return r.Host
	}
	if forwarded := firstOf(r.Header.Get("X-Forwarded-Host")); hostForm().MatchString(forwarded) {
		return forwarded
	}
	return r.Host
}

// The forms of what a proxy says. Anything else is ignored, because it would make links that lead nowhere.
var (
	hostForm   = lazy.Regexp(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	portForm   = lazy.Regexp(`^[0-9]{1,5}$`)
	prefixForm = lazy.Regexp(`^/*([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$`)
)

// standardPorts are the ports that URLs leave out.
var standardPorts = map[string]string{"http": "80", "https": "443"}

// firstOf returns the first item of a list in a header: the proxy that is the nearest to the client comes first.
func firstOf(header string) string {
	first, _, _ := strings.Cut(header, ",")
	return strings.TrimSpace(first)
}

// baseURL returns the base URL of links to the bank. A caller that came by the host of the public URL gets the public
// URL, and any other caller the URL that it has called.
func (h *Handler) baseURL(r *http.Request, prefix string) string {
	host := h.host(r)
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && host == "" { // which HTTP/1.0 allows
		host = local.String()
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if h.TrustForwarded && isForwarded(r) {
		return forwardedURL(r, scheme, host) + prefix
	}
	if h.PublicURL == "" {
		return scheme + "://" + host + prefix
	}
	public, _ := url.Parse(h.PublicURL)
	called := &url.URL{Host: host}
	switch _, byHost := sandboxOfHost(h.SandboxHosts, host); {
	case byHost && hasPublicPort(public, called):
		return public.Scheme + "://" + withPort(called.Hostname(), public.Port()) + public.EscapedPath() + prefix
	case strings.EqualFold(called.Hostname(), public.Hostname()) && hasPublicPort(public, called):
		return h.PublicURL + prefix
	}
	return scheme + "://" + host + prefix
}

// hasPublicPort reports whether a called host has the port of the public URL. A proxy may leave out the port.
func hasPublicPort(public, called *url.URL) bool {
	return called.Port() == "" || called.Port() == cmp.Or(public.Port(), standardPorts[public.Scheme])
}

func withPort(hostname, port string) string {
	if strings.Contains(hostname, ":") {
		hostname = "[" + hostname + "]"
	}
	if port != "" {
		hostname += ":" + port
	}
	return hostname
}

var forwardedHeaders = []string{"X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix"}

// isForwarded reports whether a proxy says how the client has called it.
func isForwarded(r *http.Request) bool {
	return slices.ContainsFunc(forwardedHeaders, func(name string) bool { return r.Header.Get(name) != "" })
}

// forwardedURL returns the base URL that a proxy says the client has called. What the proxy doesn't say comes from the
// request.
func forwardedURL(r *http.Request, scheme, host string) string {
	if said := strings.ToLower(firstOf(r.Header.Get("X-Forwarded-Proto"))); standardPorts[said] != "" {
		scheme = said
	}
	called := &url.URL{Host: host}
	port := firstOf(r.Header.Get("X-Forwarded-Port"))
	if portForm().MatchString(port) && called.Port() == "" && port != standardPorts[scheme] {
		host = withPort(called.Hostname(), port)
	}
	prefix := firstOf(r.Header.Get("X-Forwarded-Prefix"))
	if !prefixForm().MatchString(prefix) {
		prefix = ""
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix = "/" + prefix
	}
	return scheme + "://" + host + prefix
}

// missingSandbox refuses a request that names no sandbox, where the default one doesn't take it. The exchange is
// recorded in the default sandbox nevertheless, because there is no better place to look for it.
func (h *Handler) missingSandbox(baseURL string) error {
	forms := baseURL + sandboxesPrefix + "NAME"
	for _, pattern := range h.SandboxHosts {
		forms += " or " + SandboxHostURL(pattern, "NAME", baseURL)
	}
	return sim.Refuse(contract.SandboxMissing,
		"the URL names no sandbox, and the simulator was started with --no-default-sandbox: "+
			"a base URL is %s; has the client dropped its path?", forms)
}

// unknownSandbox refuses a request to a sandbox that doesn't exist. byHost says that the host of the request names it.
func unknownSandbox(name string, byHost bool) error {
	remedy := fmt.Sprintf("create it with POST /v1/sandboxes {\"name\": %q} on the control API", name)
	switch {
	case byHost && strings.Contains(name, "."):
		remedy = "one label names a sandbox, and this is more than one before the domain"
	case !sandbox.IsName(name):
		remedy = sandbox.ErrBadName.Error()
	}
	return sim.Refuse(contract.SandboxUnknown, "there is no sandbox %q: %s", name, remedy)
}

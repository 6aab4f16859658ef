package bankapi

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// baseURL returns the base URL by which links lead back to the bank: scheme, host and the sandbox's prefix. The host is that of
// the request. Where clients have a URL of their own to the simulator, the scheme, the port and the path are those of that.
func (h *Handler) baseURL(r addressed) string {
	scheme, host, prefix := "http", r.Host, r.prefix
	if host == "" { // which HTTP/1.0 allows
		host = localAddress(r)
	}
	if r.TLS != nil {
		scheme = "https"
	}
	if h.PublicURL == "" {
		return scheme + "://" + host + prefix
	}
	public, err := url.Parse(h.PublicURL)
	if err != nil {
		panic("bankapi: Config.PublicURL is no URL: " + err.Error())
	}
	host = bare(host)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := public.Port(); port != "" {
		host += ":" + port
	}
	if _, byHost := sandboxOfHost(h.SandboxHosts, host); !byHost {
		prefix = strings.TrimRight(public.EscapedPath(), "/") + prefix
	}
	return public.Scheme + "://" + host + prefix
}

// bare returns a host without its port and the brackets of an IPv6 address.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// localAddress returns the address at which a request has arrived.
func localAddress(r addressed) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return local.String()
	}
	return ""
}

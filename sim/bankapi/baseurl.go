package bankapi

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// baseURL returns the base URL that the caller used: scheme, host and the sandbox's prefix. Behind a proxy that is
// trusted, it is the one that the caller used to the proxy.
func (h *Handler) baseURL(r addressed) string {
	scheme, host, prefix := "http", h.host(r), r.prefix
	if host == "" { // which HTTP/1.0 allows
		host = localAddress(r)
	}
	if r.TLS != nil {
		scheme = "https"
	}
	if len(h.TrustedProxies) > 0 && h.trusts(r.RemoteAddr) {
		if forwarded := forwarded(r, "X-Forwarded-Proto"); forwarded == "http" || forwarded == "https" {
			scheme = forwarded
		}
		if forwarded := forwarded(r, "X-Forwarded-Prefix"); strings.HasPrefix(forwarded, "/") && !strings.ContainsAny(forwarded, "?#\\ ") {
			prefix = strings.TrimRight(forwarded, "/") + prefix
		}
	}
	return scheme + "://" + host + prefix
}

// localAddress returns the address at which a request has arrived.
func localAddress(r addressed) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return local.String()
	}
	return ""
}

// forwarded returns a header that proxies append to, as the first of them has set it.
func forwarded(r addressed, name string) string {
	first, _, _ := strings.Cut(r.Header.Get(name), ",")
	return strings.TrimSpace(first)
}

// trusts reports whether a request's remote address is a trusted proxy's.
func (h *Handler) trusts(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	for _, prefix := range h.TrustedProxies {
		if prefix.Contains(addr.Addr().Unmap()) {
			return true
		}
	}
	return false
}

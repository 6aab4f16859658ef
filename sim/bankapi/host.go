package bankapi

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// CheckHost returns an error if a text can't be one of Config.Hosts.
func CheckHost(host string) error {
	if net.ParseIP(bare(host)) == nil && (host == "" || strings.ContainsAny(host, ":/?#@\\*,[] \t")) {
		return fmt.Errorf("%s is not a host: give a name or an address, without scheme and port, such as bank.example", phrase.Quote(host))
	}
	return nil
}

// host returns the host that the caller named, with its port if it did. Behind a proxy that is trusted, it is the one that
// the caller named to the proxy.
func (h *Handler) host(r addressed) string {
	if len(h.TrustedProxies) > 0 && h.trusts(r.RemoteAddr) {
		if forwarded := forwarded(r, "X-Forwarded-Host"); forwarded != "" && !strings.ContainsAny(forwarded, "/?#@\\ ") {
			return forwarded
		}
	}
	return r.Host
}

// answersTo reports whether a host is one of Config.Hosts, or names a sandbox. Its port doesn't matter: it may have been
// forwarded.
func (h *Handler) answersTo(host string) bool {
	if len(h.Hosts) == 0 {
		return true
	}
	if _, ok := sandboxOfHost(h.SandboxHosts, host); ok {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.ContainsFunc(h.Hosts, func(known string) bool { return strings.EqualFold(bare(known), bare(host)) })
}

// bare returns a host without the brackets of an IPv6 address and the dot at the end of a name.
func bare(host string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
}

package tlsca

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
)

// hostName matches a DNS name in lower case, whose first label may be *.
var hostName = regexp.MustCompile(`^(\*|(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*)$`)

// maxHostName is how long a DNS name is at most (RFC 1035 2.3.4).
const maxHostName = 253

// CheckHost returns an error if certificates can't be made for a host. It is a DNS name such as api.bank.example, one with a
// wildcard for one label, such as *.bank.example, an IP address, or * for any name.
func CheckHost(host string) error {
	if net.ParseIP(host) == nil && (len(host) > maxHostName || host == "*." || !hostName.MatchString(normal(host))) {
		return fmt.Errorf("%q is not a name or an address without a port: give one such as api.bank.example, *.bank.example, 10.0.0.5, "+
			"or * for any name", host)
	}
	return nil
}

// normal returns a name in the spelling in which it is compared.
func normal(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// ownHosts are the hosts that this machine has for itself.
func ownHosts() []string {
	hosts := []string{"localhost", "*.localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && CheckHost(name) == nil && !strings.Contains(name, "*") {
		hosts = append(hosts, normal(name))
	}
	return hosts
}

// hostSet is a set of hosts.
type hostSet struct {
	exact    map[string]bool
	under    map[string]bool // the domains below which any name of one more label is in the set
	any      bool
	ips      []net.IP
	dnsNames []string // what a certificate says, wildcards included
}

func newHostSet(hosts []string) hostSet {
	s := hostSet{exact: map[string]bool{}, under: map[string]bool{}}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			s.ips = append(s.ips, ip)
			continue
		}
		host = normal(host)
		if host == "*" {
			s.any = true // which no certificate can say
			continue
		}
		s.dnsNames = append(s.dnsNames, host)
		if domain, ok := strings.CutPrefix(host, "*."); ok {
			s.under[domain] = true
		} else {
			s.exact[host] = true
		}
	}
	return s
}

// matches reports whether a name is in the set, and by its own.
func (s hostSet) matches(name string) (matches, exactly bool) {
	if s.exact[name] {
		return true, true
	}
	_, domain, _ := strings.Cut(name, ".")
	return s.any || s.under[domain], false
}

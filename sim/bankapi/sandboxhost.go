package bankapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// CleanSandboxHost returns a pattern as [Config.SandboxHosts] takes it: in lower case, without the dot at the end of a
// name. It returns an error if the pattern isn't "*." and the name of a domain (RFC 1123 2.1), whose last label is no
// number.
func CleanSandboxHost(pattern string) (string, error) {
	clean := strings.ToLower(strings.TrimSuffix(pattern, "."))
	named := regexp.MustCompile(`^\*(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$`).MatchString(clean)
	if !named || strings.Trim(clean[strings.LastIndexByte(clean, '.')+1:], "0123456789") == "" {
		return "", fmt.Errorf(
			"%s is not a pattern of hosts: write *. and the name of a domain, without scheme and port, such as "+
				"*.bank.test",
			wording.Quote(pattern))
	}
	return clean, nil
}

// sandboxOfHost returns the sandbox that a host names by one of the patterns. The longest patterns come first. The name
// is all that comes before the domain, in lower case. So x.mine.bank.test doesn't lead to the sandbox mine, and the
// domain itself names no sandbox.
func sandboxOfHost(patterns []string, host string) (name string, ok bool) {
	if len(patterns) == 0 || strings.HasPrefix(host, "[") {
		return "", false
	}
	host, _, _ = strings.Cut(host, ":")
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, pattern := range patterns {
		if name, ok := strings.CutSuffix(host, pattern[1:]); ok && name != "" {
			return name, true
		}
	}
	return "", false
}

// longestFirst returns patterns, each once, the longest first.
func longestFirst(patterns []string) []string {
	sorted := slices.Clone(patterns)
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(sorted)
}

// SandboxHostURL returns the base URL of a sandbox by a pattern of hosts. It has the scheme, the port and the path of
// baseURL. It returns "" for a name that ends with "-", because no label of a host may end so.
func SandboxHostURL(pattern, name, baseURL string) string {
	if strings.HasSuffix(name, "-") {
		return ""
	}
	scheme, rest, _ := strings.Cut(baseURL, "://")
	authority, path, hasPath := strings.Cut(rest, "/")
	if hasPath {
		path = "/" + path
	}
	port := ""
	if at := strings.LastIndexByte(authority, ':'); at > strings.LastIndexByte(authority, ']') {
		port = authority[at:]
	}
	return scheme + "://" + name + pattern[1:] + port + path
}

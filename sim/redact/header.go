package redact

import (
	"bytes"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// standardHeaders are the headers of HTTP whose values may be shown, in lower case. So may those whose names begin with
// "accept-" or "banksim-", and those that the contract declares.
var standardHeaders = []string{
	"accept", "allow", "cache-control", "connection", "content-length", "content-type", "date", "expect", "host", "location",
	"pragma", "retry-after", "transfer-encoding", "user-agent", "www-authenticate",
}

// names is a set of names.
type names map[string]bool

func (n names) has(name string) bool { return n[name] }

// plainHeaders, in lower case, and plainParameters are those whose values may be shown.
var plainHeaders, plainParameters = declaredParameters()

func declaredParameters() (headers, query names) {
	headers, query = names{}, names{}
	for _, name := range standardHeaders {
		headers[name] = true
	}
	for _, op := range contract.Operations {
		for _, p := range op.Parameters {
			switch p.In {
			case "header":
				headers[strings.ToLower(p.Name)] = true
			case "query":
				query[p.Name] = true
			}
		}
	}
	return headers, query
}

const longestPlainHeader = 32 // bytes: the value of a header with a longer name is hidden

// isPlainHeader reports whether the value of a header may be shown. It allocates nothing, because each header of each
// request is asked for.
func isPlainHeader(name string) bool {
	if len(name) > longestPlainHeader {
		return false
	}
	var buffer [longestPlainHeader]byte
	lower := buffer[:len(name)]
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return plainHeaders[string(lower)] || bytes.HasPrefix(lower, []byte("accept-")) || bytes.HasPrefix(lower, []byte("banksim-"))
}

// authSchemes are the schemes that stay readable in Authorization. Any other text before a space may be part of a
// secret.
var authSchemes = []string{"Bearer", "Basic", "Digest", "Negotiate", "DPoP"}

// Header returns what may be kept of a header's value.
func Header(name, value string) string {
	if isPlainHeader(name) {
		return value
	}
	if strings.EqualFold(name, "Authorization") {
		for _, scheme := range authSchemes {
			if len(value) < len(scheme) || !strings.EqualFold(value[:len(scheme)], scheme) {
				continue
			}
			credentials := strings.TrimLeft(value[len(scheme):], " \t")
			if rest := len(value) - len(credentials); rest > len(scheme) || credentials == "" {
				return value[:rest] + fingerprintUnlessEmpty(credentials)
			}
		}
	}
	return fingerprintUnlessEmpty(value)
}

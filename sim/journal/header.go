package journal

import (
	"bytes"
	"strings"
)

// headerField is a header of a request or an answer, redacted.
type headerField struct {
	name  string // as it was spelt
	value string
	kind  requestIDKind
}

// plainHeaders are the headers whose values are kept in clear, in lower case. Those that begin with "accept-" or
// "banksim-" are, too.
var plainHeaders = map[string]bool{
	"accept":            true,
	"content-type":      true,
	"content-length":    true,
	"host":              true,
	"user-agent":        true,
	"connection":        true,
	"date":              true,
	"allow":             true,
	"www-authenticate":  true,
	"cache-control":     true,
	"pragma":            true,
	"retry-after":       true,
	"location":          true,
	"expect":            true,
	"transfer-encoding": true,
	"institutionid":     true,
	"fiid":              true,
	"userid":            true,
	correlationID:       true,
	transactionID:       true,
}

const longestPlainHeader = 32 // bytes; the value of a header with a longer name is not kept

// newHeaderField redacts a header.
func newHeaderField(name, value string) headerField {
	kind, plain := classifyHeader(name)
	if !plain {
		value = redactHeader(name, value)
	}
	return headerField{name: name, value: value, kind: kind}
}

// classifyHeader tells whether a header's value may be kept in clear, and whether it names the request.
func classifyHeader(name string) (requestIDKind, bool) {
	if len(name) > longestPlainHeader {
		return notRequestID, false
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
	switch {
	case string(lower) == correlationID:
		return isCorrelationID, true
	case string(lower) == transactionID:
		return isTransactionID, true
	case bytes.HasPrefix(lower, []byte("accept-")), bytes.HasPrefix(lower, []byte("banksim-")):
		return notRequestID, true
	default:
		return notRequestID, plainHeaders[string(lower)]
	}
}

// authSchemes are the schemes that Authorization keeps in clear. What stands before a space in it is otherwise as
// likely to be part of a secret.
var authSchemes = []string{"Bearer", "Basic", "Digest", "Negotiate", "DPoP"}

// redactHeader returns what is kept of a header's value.
func redactHeader(name, value string) string {
	if _, plain := classifyHeader(name); plain {
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

// headerValues returns headers by name.
func headerValues(fields []headerField) Values {
	values := make(Values, len(fields))
	for _, h := range fields {
		name := valid(h.name)
		values[name] = append(values[name], valid(h.value))
	}
	return values
}

package redact

import (
	"net/url"
	"strings"
)

// Query returns what may be kept of a query, as it was sent.
func Query(query string) string {
	return redactPairs(query, plainParameters.has)
}

// Parameter returns what may be kept of the value of a query parameter.
func Parameter(name, value string) string {
	if plainParameters[name] {
		return value
	}
	return fingerprintUnlessEmpty(value)
}

// redactPairs redacts a query or a form: the value of a pair becomes a fingerprint, unless its name is plain. A part
// without "=" may be all value, so its name is hidden too.
func redactPairs(text string, plain func(name string) bool) string {
	if allPlain(text, plain) {
		return text
	}
	var b strings.Builder
	for i, pair := range strings.Split(text, "&") {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(redactPair(pair, plain))
	}
	return b.String()
}

func allPlain(text string, plain func(string) bool) bool {
	for pair := range strings.SplitSeq(text, "&") {
		if !isPlainPair(pair, plain) {
			return false
		}
	}
	return true
}

// isPlainPair reports whether a pair may be kept as it is. One that net/url doesn't read as a single pair is not plain.
func isPlainPair(pair string, plain func(string) bool) bool {
	name, _, _ := strings.Cut(pair, "=")
	return pair == "" || plain(name) && !strings.Contains(pair, ";")
}

func redactPair(pair string, plain func(string) bool) string {
	if isPlainPair(pair, plain) {
		return pair
	}
	rawName, rawValue, isPair := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(rawName)
	switch {
	case err != nil || strings.Contains(rawName, ";"):
		return fingerprintUnlessEmpty(pair)
	case plain(name) && !strings.Contains(pair, ";"):
		return pair
	case !isPair:
		return fingerprintUnlessEmpty(name)
	}
	value, err := url.QueryUnescape(rawValue)
	if err != nil {
		value = rawValue
	}
	return rawName + "=" + fingerprintUnlessEmpty(value)
}

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
// without "=" may be all value, so its name is hidden too, and so is a part that net/url doesn't read as a single pair.
func redactPairs(text string, plain func(name string) bool) string {
	if text == "" {
		return ""
	}
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		pairs[i] = redactPair(pair, plain)
	}
	return strings.Join(pairs, "&")
}

func redactPair(pair string, plain func(string) bool) string {
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

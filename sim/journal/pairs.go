package journal

import (
	"net/url"
	"strings"
)

// isPlainParameter tells whether a query parameter's value may be kept in clear.
func isPlainParameter(name string) bool {
	switch name {
	case "hostUserId", "page", "size", "sort":
		return true
	}
	return false
}

// redactPairs redacts a query or a form: of a pair whose name is not plain, the value becomes a fingerprint. What
// is no pair (a name without "=") is all value, as far as can be known.
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

// isPlainPair tells whether a pair may be kept as it is. What net/url doesn't read as one pair is never plain.
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

// parsePairs reads a query or a form. What is no pair of it is left out.
func parsePairs(text string) Values {
	parsed, _ := url.ParseQuery(text)
	values := make(Values, len(parsed))
	for name, of := range parsed {
		for _, value := range of {
			values[valid(name)] = append(values[valid(name)], valid(value))
		}
	}
	return values
}

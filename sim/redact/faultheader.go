package redact

import (
	"regexp"
	"strings"
)

// FaultHeader is the request header by which a caller asks for a fault.
const FaultHeader = "Banksim-Fault"

// plainFaultValues are, by key, the values of the header that are shown. Any other value is hidden: what a caller writes
// as the code or message of an error, and what can't be read.
var plainFaultValues = map[string]*regexp.Regexp{
	"status":     regexp.MustCompile(`^[1-5][0-9]{2}$`),
	"delay":      regexp.MustCompile(`^[0-9.]{1,8}(ns|us|µs|ms|s|m|h)$`),
	"connection": regexp.MustCompile(`^(reset|close|hang|truncate|malformed|dribble|garbage)$`),
	"phase":      regexp.MustCompile(`^(before|after)$`),
	"code":       nil,
	"message":    nil,
}

// faultHeader returns what may be kept of the header Banksim-Fault.
func faultHeader(value string) string {
	parts := strings.SplitN(value, ";", maxHidden+1)
	for i, part := range parts {
		trimmed := strings.TrimSpace(part)
		key, of, isPair := strings.Cut(trimmed, "=")
		plain, known := plainFaultValues[strings.ToLower(strings.TrimSpace(key))]
		of = strings.TrimSpace(of)
		switch {
		case !isPair || !known:
			parts[i] = strings.Replace(part, trimmed, Text(trimmed), 1)
		case plain == nil || !plain.MatchString(of):
			parts[i] = part[:strings.Index(part, "=")+1] + Text(of)
		}
	}
	return strings.Join(parts, ";")
}

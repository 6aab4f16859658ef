package fault

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// malformed returns an answer whose body is no JSON: the end of it is missing. One without a body begins one.
func malformed(a Answer) Answer {
	body := bytes.TrimRight(a.Body, " \t\r\n")
	if len(body) > 1 {
		a.Body = body[:len(body)-1]
	} else {
		a.Body = []byte("{")
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.Status = http.StatusOK
	}
	a.Header = resized(a, len(a.Body))
	if !slices.ContainsFunc(a.Header, func(h [2]string) bool { return strings.EqualFold(h[0], "Content-Type") }) {
		a.Header = append(a.Header, [2]string{"Content-Type", "application/json"})
	}
	return a
}

package fault

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// malformed returns an answer whose body is not JSON, because its end is missing. If there is no body, or it would be JSON
// without its last byte, as a number would, the body is the beginning of an object.
func malformed(a Answer) Answer {
	body := bytes.TrimRight(a.Body, " \t\r\n")
	a.Body = []byte("{")
	if cut := body[:max(len(body)-1, 0)]; len(cut) > 0 && !json.Valid(cut) {
		a.Body = cut
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

package fault

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// malformed returns an answer whose body is no JSON: the end of it is missing. One that has no body, or would be JSON
// without its end too, as a number would, begins an object.
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

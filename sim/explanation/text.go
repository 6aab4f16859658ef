package explanation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Text returns the explanation for people who read it in a terminal, which nothing that a caller sent controls.
func (why Explanation) Text() string {
	x, page := why.Exchange, &strings.Builder{}
	fmt.Fprintf(page, "%s\n%s\nexchange %s of sandbox %s at %s, took %s\n", why.Cause, why.Title,
		x.ID, x.Sandbox, x.At.UTC().Format(time.RFC3339), time.Duration(x.TookMicros)*time.Microsecond)
	fmt.Fprintf(page, "\nWhy\n  %s\n", why.Sentence)
	fmt.Fprintf(page, "\nRequest\n  %s %s\n", x.Request.Method, x.Request.URL)
	writeMessage(page, x.Request.Headers, x.Request.Body, x.Request.BodyBytes, x.Request.BodyTruncated)
	status := "none was sent"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(strconv.Itoa(x.Response.Status) + " " + http.StatusText(x.Response.Status))
	}
	fmt.Fprintf(page, "\nAnswer\n  %s\n", status)
	writeMessage(page, x.Response.Headers, x.Response.Body, x.Response.BodyBytes, x.Response.BodyTruncated)
	for _, f := range why.Faults {
		fmt.Fprintf(page, "\nFault\n  %s: %s\n", f.Name, f.Effect)
	}
	for _, l := range why.Lints {
		fmt.Fprintf(page, "\nOdd about the request\n  %s: %s\n", l.Code, l.Message)
	}
	for _, e := range why.Entries {
		fmt.Fprintf(page, "\nLedger entry %s\n  %s\n  %s\n  (%s: %s)\n", e.ID, e.Question, e.Answer, e.Basis, e.Source)
	}
	return strings.ReplaceAll(Visible(page.String()), "\r", `\r`)
}

// writeMessage writes the headers and the body of a request or an answer, with JSON one member a line.
func writeMessage(page io.Writer, headers journal.Header, body string, size int, truncated bool) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			fmt.Fprintf(page, "  %s: %s\n", name, value)
		}
	}
	if size == 0 {
		return
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(body), "", "  ") == nil {
		body = indented.String()
	}
	fmt.Fprintf(page, "\n  %s\n", strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n  "))
	if truncated {
		fmt.Fprintf(page, "  … the journal keeps no more of its %d bytes\n", size)
	}
}

package journal

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// textBody is how many bytes of a body [Exchange.Text] shows (choice).
const textBody = 400

// Text describes the request, the answer and the decision in a few lines, as the log of a failed test shows them.
func (x Exchange) Text() string {
	var text strings.Builder
	target := x.Request.Path
	if x.Request.Query != "" {
		target += "?" + x.Request.Query.Values().Encode()
	}
	fmt.Fprintf(&text, "%s  %s %s -> %s\n\t%s\n", x.ID, x.Request.Method, target, x.Response.text(), x.Decision.text())
	if x.Fault != nil {
		fmt.Fprintf(&text, "\tfaults: %s\n", strictjson.MustEncode(x.Fault))
	}
	for _, lint := range x.Lints {
		fmt.Fprintf(&text, "\tlint: %s\n", lint.Message)
	}
	if x.Request.Body != "" {
		fmt.Fprintf(&text, "\trequest:  %s\n", beginning(x.Request.Body, x.Request.BodyBytes))
	}
	if x.Response.Body != "" {
		fmt.Fprintf(&text, "\tresponse: %s\n", beginning(x.Response.Body, x.Response.BodyBytes))
	}
	return text.String()
}

func (r Response) text() string {
	if r.Status == 0 {
		return "no answer"
	}
	return fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
}

func (d Decision) text() string {
	text := d.Outcome + " by " + d.Rule
	if d.Row != "" {
		text += " on " + d.Row
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text + " (basis: " + d.Basis + ")"
}

// beginning returns the beginning of a body, and the size of the whole body if that is longer.
func beginning(body string, size int) string {
	if len(body) > textBody {
		return strings.ToValidUTF8(body[:textBody], "") + fmt.Sprintf("… (%d bytes)", size)
	}
	return body
}

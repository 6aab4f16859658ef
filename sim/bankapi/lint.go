package bankapi

import (
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// lintRequest notes what is odd about a request to an operation, whatever it was answered. What a handler sees on
// its way it notes itself.
func (c *call) lintRequest() {
	header := c.request.Header
	if accept := header.Get("Accept"); accept != "" && !acceptsJSON(accept) {
		c.lint("accept-without-json", "header Accept leaves out application/json, which is all that the interface answers")
	}
	if header.Get(fault.Header) != "" && !c.behavior().FaultHeader {
		c.lint("fault-header-ignored", "header "+fault.Header+" is ignored: behavior.faultHeader: true in the scenario lets a request ask for a fault")
	}
	if scheme, _, ok := strings.Cut(header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, bearerScheme) && scheme != bearerScheme {
		c.lint("bearer-case", "header Authorization spells the word Bearer in another case than the interface does")
	}
	if c.Method == http.MethodDelete && len(c.content.data) == 0 {
		c.lint("delete-without-body", c.whyNoBody())
	}
	if c.Form != nil && c.Form.Permits && c.mediaType() == mediaForm {
		c.lint("form-body", "the interface documents a JSON body for the revocation; this one is form-urlencoded")
	}
	for name := range c.query {
		if !c.TakesQuery(name) {
			c.lint("unknown-parameter", "the operation has no query parameter of a name that was given")
			break
		}
	}
}

// whyNoBody says why a DELETE that needs a body has none.
func (c *call) whyNoBody() string {
	const none = "the revocation names what to revoke in its body, and this one has none: "
	if c.request.ContentLength == 0 && len(c.request.Header["Content-Length"]) == 0 {
		return none + "the request has neither Content-Length nor Transfer-Encoding: chunked, so a body that followed was not read, and the connection " +
			"was closed; some clients leave both out of a DELETE (Node's http.request does), so set Content-Length to the body's size in bytes"
	}
	return none + "a client or a proxy may drop the body of a DELETE"
}

// acceptsJSON reports whether an Accept header admits JSON.
func acceptsJSON(accept string) bool {
	for media := range strings.SplitSeq(accept, ",") {
		media, _, _ = strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case mediaJSON, "application/*", "*/*":
			return true
		}
	}
	return false
}

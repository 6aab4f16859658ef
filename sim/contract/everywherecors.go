package contract

import (
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A preflight asks what a page of another origin may do. A browser sends it. Preflight is the rule of its exchange in
// the journal, and PreflightStatus the status of its answer.
const (
	Preflight       = "cors-preflight"
	PreflightStatus = http.StatusNoContent
)

var originForm = Form{
	Pattern:  `^(\*|null|[a-z][a-z0-9+.-]*://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:([0-9]{1,5}|\*))?)$`,
	Title:    "an origin as browsers send it, in lower case and without a path",
	Examples: []string{"https://app.example.com", "http://localhost:*"},
}

// The entries about pages of other origins.
var (
	EverywhereCORS = entry("everywhere.cors", everyOperation, Choice, Entry{
		Question: "May pages of other origins in browsers read the answers (CORS)?",
		answer: "No: no answer has headers for it. A preflight is an OPTIONS like any other, with a lint in the " +
			"journal.",
		source: "ours; the Fetch standard leaves it to the server",
		Switch: listSwitch(
			"cors.origins",
			"The origins whose pages may read the answers, such as http://localhost:* for any port. "+
				"* allows all, null pages without an origin.",
			func(b *sim.Behavior) *[]string { return &b.CORS.Origins }, originForm,
			Alternative{"<origins>", "Those of the listed origins may read every answer, also errors: " +
				"it has Access-Control-Allow-Origin, and Access-Control-Expose-Headers with the headers that the " +
				"interface and the simulator send. A preflight is answered with 204 before any fault and operation, " +
				"whatever path it is for; that of another origin gets {refused}. Pages may send any header. A " +
				"request of another origin is carried out all the same, and its answer has no such headers.",
				Convention},
		).under("<origins>", OriginRefused),
	})
	EverywhereCORSCredentials = entry("everywhere.cors-credentials", everyOperation, Choice, Entry{
		Question: "May pages of other origins send cookies with their requests?",
		answer: "No: no answer has Access-Control-Allow-Credentials, so browsers keep the answer to such a request " +
			"from the page.",
		source: "ours; the Fetch standard leaves it to the server",
		Switch: flagSwitch("cors.credentials", "Whether pages of the listed origins may send cookies. It doesn't go "+
			"with the origin *.",
			func(b *sim.Behavior) *bool { return &b.CORS.Credentials },
			Alternative{"true", "Yes: answers to pages of the listed origins, preflights among them, have " +
				"Access-Control-Allow-Credentials: true, and Access-Control-Allow-Origin names the origin.",
				Convention}),
	})
)

// Methods returns the methods that operations take, sorted. Pages of other origins may use them.
func Methods() []string {
	all := []string{http.MethodHead}
	for _, op := range operations {
		all = append(all, op.Method)
	}
	return sortedOnce(all)
}

// ExposedHeaders returns the headers of answers that pages of other origins may read. They can always read some others,
// the CORS-safelisted response headers.
func ExposedHeaders() []string {
	all := []string{ExchangeHeader.Name, "Allow", RetryAfter.Name, ChallengeHeader.Name}
	for _, f := range families {
		if !slices.ContainsFunc(all, func(name string) bool { return strings.EqualFold(name, f.RequestID) }) {
			all = append(all, f.RequestID)
		}
	}
	return all
}

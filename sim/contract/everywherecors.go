package contract

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Preflight is the rule of the decision on a preflight that is answered with what pages may do, and PreflightStatus its status:
// a browser asks so before it sends a request of a page of another origin.
const (
	Preflight       = "cors-preflight"
	PreflightStatus = http.StatusNoContent
)

// fetchStandard is where CORS is defined.
const fetchStandard = "Fetch standard, CORS protocol"

var (
	originForm = Form{
		Pattern:  `^(\*|null|[a-z][a-z0-9+.-]*://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:([0-9]{1,5}|\*))?)$`,
		Title:    "an origin as browsers send it, in lower case and without a path",
		Examples: []string{"https://app.example.com", "http://localhost:*"},
	}
	headerForm = Form{
		Pattern:  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
		Title:    "the name of a header",
		Examples: []string{"traceparent", "X-App-Version"},
	}
)

// The entries about pages of other origins. Without origins, the other switches have no effect.
var (
	EverywhereCORS = entry("everywhere.cors", everyOperation, Choice, Entry{
		Question: "May pages of other origins in browsers read the answers (CORS)?",
		Answer:   "No: no answer has headers for it. A preflight is an OPTIONS like any other, with a lint in the journal.",
		Source:   ours + "; the Fetch standard leaves it to the server",
		Switch: list("cors.origins", "The origins whose pages may read the answers, as browsers send them. "+
			"With :* as its port, an origin may have any; * stands for all origins, and null for that of a page without one. "+
			"Default: none.",
			func(b *sim.Behavior) *[]string { return &b.CORS.Origins }, originForm,
			Alternative{"<origins>", "Those of the listed origins may read every answer, also errors: " +
				"it has Access-Control-Allow-Origin, and Access-Control-Expose-Headers with the headers that the interface and the " +
				"simulator send. A preflight is answered with 204 before any fault and operation, whatever path it is for; " +
				"that of another origin gets {refused}. A request of another origin is carried out all the same, and its answer has no " +
				"such headers.", Convention}),
	})
	EverywhereCORSCredentials = entry("everywhere.cors-credentials", everyOperation, Convention, Entry{
		Question: "May pages of other origins send credentials that the browser has, such as cookies or client certificates?",
		Answer:   "No. The header Authorization that a page sets by itself is none of these.",
		Source:   fetchStandard,
		Switch: flag("cors.credentials", "Whether pages may send credentials that the browser has, such as cookies. "+
			"Not together with the origin *.",
			func(b *sim.Behavior) *bool { return &b.CORS.Credentials },
			Alternative{"true", "Yes: answers have Access-Control-Allow-Credentials, and Access-Control-Allow-Origin is the origin, " +
				"never *.", Convention}),
	})
	EverywhereCORSHeaders = entry("everywhere.cors-headers", everyOperation, Convention, Entry{
		Question: "Which headers may pages of other origins send, and with which methods?",
		Answer:   "Those that an operation or the simulator reads, with the methods that any operation has, and HEAD.",
		Source:   fetchStandard,
		Switch: list("cors.headers", "The headers that pages may send besides those that the interface and the simulator read; "+
			"* stands for any. Default: none.",
			func(b *sim.Behavior) *[]string { return &b.CORS.Headers }, headerForm,
			Alternative{"<names>", "These as well; with *, all that a preflight asks for.", Convention}),
	})
	EverywhereCORSMaxAge = entry("everywhere.cors-max-age", everyOperation, Convention, Entry{
		Question: "How long may a browser remember the answer to a preflight?",
		Answer:   "5 seconds, as it does without Access-Control-Max-Age.",
		Source:   fetchStandard,
		Switch: lifetime("cors.maxAge", "How long browsers may remember the answer to a preflight, in real time. "+
			"Less than a second: not at all.",
			func(b *sim.Behavior) *time.Duration { return &b.CORS.MaxAge },
			Alternative{"<duration>", "So many whole seconds.", Convention}),
	})
)

// Methods returns the methods that pages of other origins may use: those that operations take. They are sorted.
func Methods() []string {
	all := []string{http.MethodHead}
	for _, op := range Operations {
		all = append(all, op.Method)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ExposedHeaders returns the headers of answers that pages of other origins may read, besides those that they always may (the
// CORS-safelisted response headers).
func ExposedHeaders() []string {
	all := []string{ExchangeHeader.Name, "Allow", RetryAfter.Name, ChallengeHeader.Name}
	for _, f := range Families {
		if !slices.ContainsFunc(all, func(name string) bool { return strings.EqualFold(name, f.RequestID) }) {
			all = append(all, f.RequestID)
		}
	}
	return all
}

package redact

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The headers of HTTP whose values may be shown, in lower case: of any message, of requests alone and of answers alone.
// The values of headers that the contract declares may be shown too.
var (
	messageHeaders = []string{
		"cache-control", "connection", "content-length", "content-type", "date", "pragma", "transfer-encoding",
	}
	requestHeaders = []string{
		"accept", "accept-charset", "accept-encoding", "accept-language", "expect", "host", "user-agent",
	}
	answerHeaders = []string{
		"access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin",
		"access-control-expose-headers", "access-control-max-age", "allow", "retry-after", "vary", "www-authenticate", strings.ToLower(contract.ExchangeHeader.Name), strings.ToLower(contract.ScenarioHeader.Name),
	}
)

// names is a set of names.
type names map[string]bool

func (n names) has(name string) bool { return n[name] }

// add adds a list of names.
func (n names) add(list []string) {
	for _, name := range list {
		n[name] = true
	}
}

// addHeaders adds headers in lower case, as they are given and as net/http spells them: that is how most of them come.
func (n names) addHeaders(list ...string) {
	for _, name := range list {
		n[strings.ToLower(name)], n[name], n[http.CanonicalHeaderKey(name)] = true, true, true
	}
}

// plainInRequests and plainInAnswers are the headers whose values may be shown; plainParameters are such parameters of the query.
var plainInRequests, plainInAnswers, plainParameters = declaredParameters()

func declaredParameters() (requests, answers, query names) {
	requests, answers, query = names{}, names{}, names{}
	requests.addHeaders(slices.Concat(messageHeaders, requestHeaders)...)
	answers.addHeaders(slices.Concat(messageHeaders, answerHeaders)...)
	for _, op := range contract.AllSpoken() {
		answers.addHeaders(op.Family.RequestID) // which it repeats
		for _, p := range op.Parameters {
			switch p.In {
			case "header":
				requests.addHeaders(p.Name)
			case "query":
				query[p.Name] = true
			}
		}
	}
	return requests, answers, query
}

const longestPlainHeader = 32 // bytes: the value of a header with a longer name is hidden

// isIn reports whether a set has the name of a header, in any case. It allocates nothing, because each header of each
// request is asked for.
func (n names) isIn(name string) bool {
	if n[name] {
		return true
	}
	if len(name) > longestPlainHeader {
		return false
	}
	var buffer [longestPlainHeader]byte
	lower := buffer[:len(name)]
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return n[string(lower)]
}

// RequestHeader returns what may be kept of the value of a request's header.
func RequestHeader(name, value string) string {
	switch {
	case plainInRequests.isIn(name):
		return value
	case strings.EqualFold(name, "Authorization"):
		return authorization(value)
	case strings.EqualFold(name, "Origin") && aboutOrigin().MatchString(value):
		return value
	case strings.EqualFold(name, "Access-Control-Request-Method"):
		return Method(value)
	case strings.EqualFold(name, "Access-Control-Request-Headers") && aboutHeaders().MatchString(value):
		return value
	case strings.EqualFold(name, FaultHeader):
		return faultHeader(value)
	}
	return Text(value)
}

// aboutOrigin and aboutHeaders match what browsers say of a page and of its request: an origin, and names of headers in lower
// case. Anything else may hold a secret. They are long, and compiled when a browser asks first.
var (
	aboutOrigin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(null|[a-z][a-z0-9+.-]{0,30}://[a-z0-9_.:\[\]-]{1,253})$`)
	})
	aboutHeaders = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9-]{1,64}(, ?[a-z0-9-]{1,64})*$`)
	})
)

// AnswerHeader returns what may be kept of the value of an answer's header.
func AnswerHeader(name, value string) string {
	switch {
	case plainInAnswers.isIn(name):
		return value
	case strings.EqualFold(name, "Location"):
		return location(value)
	}
	return Text(value)
}

// authSchemes are the schemes that stay readable in Authorization. Any other text before a space may be part of a
// secret.
var authSchemes = []string{"Bearer", "Basic", "Digest", "Negotiate", "DPoP"}

func authorization(value string) string {
	for _, scheme := range authSchemes {
		if len(value) < len(scheme) || !strings.EqualFold(value[:len(scheme)], scheme) {
			continue
		}
		credentials := strings.TrimLeft(value[len(scheme):], " \t")
		if rest := len(value) - len(credentials); rest > len(scheme) || credentials == "" {
			return value[:rest] + Text(credentials)
		}
	}
	return Text(value)
}

// location hides the query and the fragment of a URL: redirects carry codes and tokens there. A URL with user and
// password is hidden as a whole.
func location(url string) string {
	if strings.Contains(url, "@") {
		return Fingerprint(url)
	}
	if at := strings.IndexAny(url, "?#"); at >= 0 {
		return url[:at+1] + Text(url[at+1:])
	}
	return url
}

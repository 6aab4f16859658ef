package journal

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/match"
)

// subject is an exchange whose request is compared with an expectation. It reads the body once, when it is needed.
type subject struct {
	*Exchange
	content any // the request's body, or nil if there is none that can be read
	hasBody bool
}

func (s *subject) header(name string) []string {
	var values []string
	for sent, value := range s.Request.Headers.All() {
		if strings.EqualFold(sent, name) {
			values = append(values, value)
		}
	}
	return values
}

func (s *subject) parameter(name string) []string { return s.Request.Query.Values()[name] }

// body returns the request's body as JSON; a form is an object of its members, a multipart body one of its parts.
func (s *subject) body() any {
	if !s.hasBody {
		s.hasBody = true
		if !s.Request.BodyTruncated {
			s.content = match.Content([]byte(s.Request.Body), strings.Join(s.header("Content-Type"), ", "))
		}
	}
	return s.content
}

package journal

import (
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// subject is an entry whose request is compared with an expectation. It reads each part once, when it is needed.
type subject struct {
	*entry
	query    url.Values
	content  any // the request's body; nil: none that can be read
	hasQuery bool
	hasBody  bool
}

func (s *subject) header(name string) []string {
	var values []string
	for f := s.requestFields(); f.next(); {
		if strings.EqualFold(f.name, name) {
			values = append(values, valid(f.value))
		}
	}
	return values
}

func (s *subject) parameter(name string) []string {
	if !s.hasQuery {
		s.query, s.hasQuery = s.entry.queryValues(), true
	}
	return s.query[name]
}

// body returns the request's body as JSON; a form is an object of its members, a multipart body one of its parts.
func (s *subject) body() any {
	if !s.hasBody {
		s.content, s.hasBody = s.readBody(), true
	}
	return s.content
}

func (s *subject) readBody() any {
	if s.request.cut || len(s.request.text) == 0 {
		return nil
	}
	if content, err := match.Decode(s.request.text); err == nil {
		return content
	}
	media := s.header("Content-Type")
	if len(media) == 0 {
		return nil
	}
	if parts, ok := wire.PartTexts(s.request.text, media[0]); ok {
		return parts
	}
	if !redact.IsForm(media[0]) {
		return nil
	}
	form := parsePairs(string(s.request.text))
	object := make(map[string]any, len(form))
	for name, values := range form {
		if len(values) == 1 {
			object[name] = values[0]
			continue
		}
		several := make([]any, len(values))
		for i, v := range values {
			several[i] = v
		}
		object[name] = several
	}
	return object
}

package journal

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// subject is an entry whose request is compared with an expectation. It reads the body once, when it is needed.
type subject struct {
	*entry
	content any // the request's body; nil: none that can be read
	hasBody bool
}

func (s *subject) header(name string) []string {
	var values []string
	for _, field := range s.entry.header {
		if strings.EqualFold(field[0], name) {
			values = append(values, valid(field[1]))
		}
	}
	return values
}

func (s *subject) parameter(name string) []string { return parsePairs(s.RawQuery)[name] }

// body returns the request's body as JSON; a form is an object of its members, a multipart body one of its parts.
func (s *subject) body() any {
	if !s.hasBody {
		s.content, s.hasBody = s.readBody(), true
	}
	return s.content
}

func (s *subject) readBody() any {
	if s.requestCut || len(s.RequestBody) == 0 {
		return nil
	}
	if content, err := match.Decode(s.RequestBody); err == nil {
		return content
	}
	media := s.header("Content-Type")
	if len(media) == 0 {
		return nil
	}
	if parts, ok := wire.PartTexts(s.RequestBody, media[0]); ok {
		return parts
	}
	if !redact.IsForm(media[0]) {
		return nil
	}
	form := parsePairs(string(s.RequestBody))
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

package journal

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// subject is an entry that an expectation is held against. It reads each part once, when it is wanted.
type subject struct {
	*entry
	query    Values
	content  any // the request's body; nil: it has none that can be read
	hasQuery bool
	hasBody  bool
}

func (s *subject) header(name string) []string {
	var values []string
	for _, h := range s.headers[:s.requestHeaders] {
		if strings.EqualFold(h.name, name) {
			values = append(values, valid(h.value))
		}
	}
	return values
}

func (s *subject) queryValues() Values {
	if !s.hasQuery {
		s.query, s.hasQuery = s.entry.queryValues(), true
	}
	return s.query
}

// body returns the request's body as JSON; a form is an object of its members.
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
	var content any
	if json.Unmarshal(s.request.text, &content, exactNumbers, jsontext.AllowDuplicateNames(true)) == nil {
		return content
	}
	if media := s.header("Content-Type"); len(media) == 0 || !isForm(media[0]) {
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

// member returns a member of the body, however deep; nil: it has none there.
func (s *subject) member(path []string) any {
	value := s.body()
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// shown makes a decoded JSON value fit for an answer: the members of objects stand in a fixed order.
func shown(value any) any {
	switch value.(type) {
	case map[string]any, []any:
		raw, err := json.Marshal(value, json.Deterministic(true))
		if err != nil {
			return nil
		}
		return jsontext.Value(raw)
	}
	return value
}

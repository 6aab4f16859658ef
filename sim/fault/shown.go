package fault

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Shown returns the rule as it may be shown: what it expects of a request, and what it answers, is redacted as the journal
// redacts requests and answers. The names of headers, parameters and members stay: the rule's author chose them.
func (r Rule) Shown() Rule {
	if request := r.When.Request; request != nil {
		shown := *request
		shown.Header = shownTexts(request.Header, redact.RequestHeader)
		shown.Query = shownTexts(request.Query, redact.Parameter)
		if request.Body != nil {
			shown.Body = shownMember(nil, request.Body).(map[string]any)
		}
		r.When.Request = &shown
	}
	if headers := r.Then.Headers; headers != nil {
		r.Then.Headers = make(map[string]string, len(headers))
		for name, value := range headers {
			r.Then.Headers[name] = redact.AnswerHeader(name, value)
		}
	}
	if r.Then.Body != nil {
		r.Then.Body = r.shownBody(*r.Then.Body)
	}
	return r
}

func shownTexts(expected map[string]*string, redacted func(name, value string) string) map[string]*string {
	if expected == nil {
		return nil
	}
	all := make(map[string]*string, len(expected))
	for name, text := range expected {
		all[name] = nil // it must be absent
		if text != nil {
			shown := match.Shown(*text, redacted(name, *text))
			all[name] = &shown
		}
	}
	return all
}

// shownMember returns a value that a body is expected to have, at a path of member names, as it may be shown.
func shownMember(path []string, value any) any {
	redacted := redact.Member(path, value)
	if text, ok := value.(string); ok {
		return match.Shown(text, cmp.Or(redacted, text))
	}
	if redacted != "" {
		return redacted
	}
	switch value := value.(type) {
	case map[string]any:
		shown := make(map[string]any, len(value))
		for name, of := range value {
			shown[name] = shownMember(append(slices.Clone(path), name), of)
		}
		return shown
	case []any:
		shown := make([]any, len(value))
		for i, element := range value {
			shown[i] = shownMember(path, element)
		}
		return shown
	}
	return value
}

// shownBody redacts a body that is JSON as the answer of the operation, of those of the rule, that shows the least. Any
// other text is no answer of the interface, and shown as it is: a gateway's error page, for example.
func (r Rule) shownBody(body string) *string {
	if wire.Valid([]byte(body)) {
		for _, op := range r.Operation.All() {
			if op.AnswersSecrets() {
				body = string(redact.AnswerBody([]byte(body), op.Name))
				break
			}
		}
	}
	return &body
}

package fault

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const (
	// MaxAnswer is the most bytes of an answer that has variables, or that another service gives (choice).
	MaxAnswer = 10 << 20

	maxVariables = 1000 // of a rule (choice)
)

// errAnswerTooLarge is why a stub can't answer a request.
var errAnswerTooLarge = sim.Refuse(contract.StubTooLarge,
	"with the values of its variables, the answer of the stub is larger than %d MiB", MaxAnswer>>20)

// template is a text that may have variables, in pieces: each returns its text for a request.
type template []func(*Query) string

// answerTemplate has the body of a rule, empty without one, and the values of its headers. It is compiled once.
type answerTemplate struct {
	body    template
	headers map[string][]template
}

// The forms of variables, of strings in JSON with the colon of a key, and of numbers in JSON (RFC 8259 6). The groups
// of a variable are a word, a point or a colon, and the rest.
var (
	variableForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{([\pL\pN_-]+)(?:([.:])([^{}\s]*))?\}`)
	})
	stringForm = lazy.Regexp(`"(?:[^"\\]|\\.)*"\s*:?`)
	numberForm = lazy.Regexp(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
)

// compiler compiles the templates of a rule. It takes a variable with a mistake for a literal.
type compiler struct {
	rule    *Rule
	count   int   // of the variables
	mistake error // the first one
}

// compileAnswer returns the template of the rule's answer, and the first mistake in its body and in its headers.
func (r *Rule) compileAnswer() (answer answerTemplate, inBody, inHeaders error) {
	c := compiler{rule: r}
	switch body := r.Then.Body; {
	case body == nil:
		content, _ := base64.StdEncoding.DecodeString(r.Then.BodyBase64) // checked
		answer.body = template{literal(string(content))}
	case body.IsJSON && r.IsStub():
		answer.body = c.json(body.Text)
	default:
		answer.body = template{literal(body.Text)}
	}
	inBody, c.mistake = c.mistake, nil
	answer.headers = make(map[string][]template, len(r.Then.Headers))
	for name, values := range r.Then.Headers {
		for _, value := range values {
			answer.headers[name] = append(answer.headers[name], c.text(value, headerText))
		}
	}
	return answer, inBody, c.mistake
}

// json compiles JSON. Its variables are in the values that are strings.
func (c *compiler) json(text string) (t template) {
	done := 0
	for _, at := range stringForm().FindAllStringIndex(text, -1) {
		var value string
		part := text[at[0]:at[1]]
		isKey := strings.HasSuffix(part, ":")
		if isKey || !variableForm().MatchString(part) || json.Unmarshal([]byte(part), &value) != nil {
			continue
		}
		quote, write := `"`, jsonText
		if variableForm().FindString(value) == value && strings.HasSuffix(value, ":number}") {
			quote, write = "", numberOrString
		}
		t = append(t, literal(text[done:at[0]]+quote))
		t = append(append(t, c.text(value, write)...), literal(quote))
		done = at[1]
	}
	return append(t, literal(text[done:]))
}

// text compiles a text, which has variables if the rule is a stub. write returns the form in which a literal or a value
// is sent.
func (c *compiler) text(text string, write func(string) string) (t template) {
	if !c.rule.IsStub() {
		return template{literal(write(text))}
	}
	done := 0
	add := func(end int) {
		if end > done {
			t = append(t, literal(write(text[done:end])))
		}
	}
	for _, at := range variableForm().FindAllStringIndex(text, -1) {
		form := variableForm().FindStringSubmatch(text[at[0]:at[1]])
		value, err := c.variable(form[1], form[2], form[3])
		if err != nil {
			c.mistake = cmp.Or(c.mistake, err)
			continue
		}
		add(at[0])
		t, done = append(t, func(q *Query) string { return write(value(q)) }), at[1]
	}
	add(len(text))
	return t
}

// variable returns the value of a variable: of the query or of a header by its name, or of the path.
func (c *compiler) variable(word, separator, rest string) (value func(*Query) string, err error) {
	segments := strings.Split(c.rule.Path, "/")
	place := slices.Index(segments, "{"+word+"}")
	c.count++
	isNamed := separator == "." && rest != "" && !strings.HasSuffix(rest, ":number")
	switch {
	case c.count > maxVariables:
		return nil, fmt.Errorf("a stub has at most %d variables: remove some", maxVariables)
	case isNamed && word == "query":
		return func(q *Query) string { return q.Values.Get(rest) }, nil
	case isNamed && word == "header":
		return func(q *Query) string { return q.Header.Get(rest) }, nil
	case separator != "" && separator+rest != ":number":
		return nil, fmt.Errorf("%s is no variable: write {name} or {name:number} for one of the path, "+
			"{query.name} or {header.Name}", wording.Quote("{"+word+separator+rest+"}"))
	case place < 0:
		named := slices.DeleteFunc(segments, func(s string) bool { return !strings.HasPrefix(s, "{") })
		return nil, fmt.Errorf("%s is no variable, and the path has %s: name it in path",
			wording.Quote(word), cmp.Or(strings.Join(named, " and "), "none"))
	}
	return func(q *Query) string { return match.Unescape(strings.Split(q.Path, "/")[place]) }, nil
}

// variables checks the variables of a stub.
func (c *check) variables() {
	_, inBody, inHeaders := c.rule.compileAnswer()
	c.reject(inBody != nil, "then.body", "%v, or write the body as a text", inBody)
	c.reject(inHeaders != nil, "then.headers", "%v, or remove the braces", inHeaders)
}

func literal(text string) func(*Query) string { return func(*Query) string { return text } }

// jsonText returns a value as a part of a string in JSON.
func jsonText(value string) string {
	quoted := strictjson.AppendString(nil, value)
	return string(quoted[1 : len(quoted)-1])
}

func numberOrString(value string) string {
	if numberForm().MatchString(value) {
		return value
	}
	return string(strictjson.AppendString(nil, value))
}

// headerText returns a value as a part of a header's value.
func headerText(value string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, value)
}

// render returns the text for a request. It fails if the text is larger than MaxAnswer.
func (t template) render(q *Query) (string, error) {
	var b strings.Builder
	for _, piece := range t {
		text := piece(q)
		if b.Len()+len(text) > MaxAnswer {
			return "", errAnswerTooLarge
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

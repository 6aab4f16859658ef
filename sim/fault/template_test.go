package fault_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// headersOf returns the headers that a verdict sets in the answer to a plain request.
func headersOf(t *testing.T, v fault.Firings) []fault.AnswerHeader {
	t.Helper()
	headers, _, err := v.Render(list())
	require.NoError(t, err)
	return headers
}

// stubWith is a stub with variables in its path, whose body is JSON.
func stubWith(body string) fault.Rule {
	return fault.Rule{Path: "/v1/{account}/{n-1}", Then: fault.Then{
		Status: 200, Body: &fault.Body{Text: body, IsJSON: true}, Headers: map[string]fault.HeaderValues{},
	}}
}

// answerOf returns the body of a stub's answer to a request.
func answerOf(rule fault.Rule, q *fault.Query) (string, error) {
	v, _ := fault.NewSet([]fault.Rule{rule}, 1).Decide(q)
	_, body, err := v.Render(q)
	return string(body), err
}

// Variables of a stub are filled in where its body is JSON, and in its headers.
func TestVariables(t *testing.T) {
	q := &fault.Query{
		Method: "GET", Path: "/v1/a%22%2Fb%0A/007", Values: url.Values{"q": {"1", "2"}, "n": {"-1.50e3"}, "a.b": {"x"}},
		Header: http.Header{"X-A": {"\xff<"}},
	}
	for body, want := range map[string]string{
		`{"id": "{account}", "{account}": 1}`:                     `{"id": "a\"/b\n", "{account}": 1}`,
		`["{n-1}", "{n-1:number}", "n={n-1:number}"]`:             `["007", "007", "n=007"]`,
		`["{query.q}{query.a.b}", "{query.none}", "{{query.q}}"]`: `["1x", "", "{1}"]`,
		`["{header.x-a}"]`: "[\"\uFFFD<\"]",
		`["{}", "{a b}", "{\"a\"}", "{ account }", {}, []]`: `["{}", "{a b}", "{\"a\"}", "{ account }", {}, []]`,
		`["\u003c{n-1}\\\"", {"a" : "\\"}]`:                 `["<007\\\"", {"a" : "\\"}]`,
	} {
		rule := stubWith(body)
		require.Empty(t, fault.Check([]fault.Rule{rule}), body)
		got, err := answerOf(rule, q)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.True(t, json.Valid([]byte(got)), got)
		rule.Then.Body.IsJSON = false
		got, _ = answerOf(rule, q)
		assert.Equal(t, body, got, "every brace of a text is literal")
	}
	for text, want := range map[string]string{
		"0": "0", "-1.5e+3": "-1.5e+3", "12345678901234567890": "12345678901234567890",
		"01": `"01"`, "1.": `"1."`, "+1": `"+1"`, "NaN": `"NaN"`, "1 ": `"1 "`,
	} {
		asked := &fault.Query{Method: "GET", Path: "/v1/a/" + url.PathEscape(text)}
		got, err := answerOf(stubWith(`{"n":"{n-1:number}"}`), asked)
		require.NoError(t, err)
		assert.Equal(t, `{"n":`+want+`}`, got)
	}
	rule := stubWith(`{}`)
	rule.Then.Headers["Location"] = fault.HeaderValues{"/x/{n-1:number}", "{account}"}
	v, _ := fault.NewSet([]fault.Rule{rule}, 1).Decide(q)
	headers, _, err := v.Render(q)
	require.NoError(t, err)
	assert.Equal(t, []fault.AnswerHeader{{"Location", fault.HeaderValues{"/x/007", `a"/b `}}}, headers)
}

// A variable that can't have a value is refused when the rule is loaded.
func TestUnknownVariables(t *testing.T) {
	for body, want := range map[string]string{
		`["{id}"]`:              `"id" is no variable, and the path has {account} and {n-1}: name it in path, or write the body as a text`,
		`["{id:number}"]`:       `"id" is no variable`,
		`["{query}"]`:           `"query" is no variable`,
		`["{query.}"]`:          `"{query.}" is no variable: write {name} or {name:number} for one of the path, {query.name} or`,
		`["{header.n:number}"]`: `"{header.n:number}" is no variable: write {name}`,
		`["{account:int}"]`:     `"{account:int}" is no variable: write {name}`,
		`["{body.account}"]`:    `"{body.account}" is no variable: write {name}`,
		`["` + strings.Repeat("{account}", 1001) + `"]`: "a stub has at most 1000 variables: remove some",
	} {
		problems := fault.Check([]fault.Rule{stubWith(body)})
		require.Len(t, problems, 1, body)
		assert.Equal(t, []string{"0", "then", "body"}, problems[0].Path)
		assert.Contains(t, problems[0].Message, want)
		inHeader := stubWith(`{}`)
		inHeader.Then.Headers["X-A"] = fault.HeaderValues{strings.Trim(body, `[]"`)}
		problems = fault.Check([]fault.Rule{inHeader})
		require.Len(t, problems, 1, body)
		assert.Equal(t, []string{"0", "then", "headers"}, problems[0].Path)
	}
	none := stubWith(`["{id}"]`)
	none.Path = "/v1/all"
	assert.Contains(t, fault.Check([]fault.Rule{none})[0].Message, "the path has none")
	ofOperation := fault.Rule{Then: fault.Then{Status: 500, Body: none.Then.Body}}
	assert.Empty(t, fault.Check([]fault.Rule{ofOperation}))
	assert.Empty(t, fault.Check([]fault.Rule{stubWith(`["` + strings.Repeat("{account}", 1000) + `"]`)}))
}

// An answer that its variables make too large is refused. What goes in before is bounded as well.
func TestLargeValues(t *testing.T) {
	long := strings.Repeat("x", 30_000)
	q := &fault.Query{Method: "GET", Path: "/v1/" + long + "/1"}
	many := strings.Repeat("{account}", 1000)
	_, err := answerOf(stubWith(`["`+many+`"]`), q)
	assert.ErrorContains(t, err, "larger than 10 MiB")
	inHeader := stubWith(`{}`)
	inHeader.Then.Headers["X-A"] = fault.HeaderValues{many}
	_, err = answerOf(inHeader, q)
	assert.ErrorContains(t, err, "larger than 10 MiB")
	body, err := answerOf(stubWith(`["`+many[:300*len("{account}")]+`"]`), q)
	require.NoError(t, err)
	assert.Len(t, body, 300*len(long)+4)
}

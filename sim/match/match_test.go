package match_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// request is a request as the conditions of these tests see it.
type request struct {
	method string
	header http.Header
	body   any
}

func (r request) values(name string) []string { return r.header.Values(name) }

func bodyOf(r request) any { return r.body }

func decode(t *testing.T, text string) any {
	t.Helper()
	value, err := match.Decode([]byte(text))
	require.NoError(t, err, text)
	return value
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	value, ok := decode(t, text).(map[string]any)
	require.True(t, ok, text)
	return value
}

// membersHold reports whether a body has the members that a JSON object wants.
func membersHold(t *testing.T, want string, body any) bool {
	t.Helper()
	var c match.Conditions[request]
	c.Members(object(t, want), match.AsSent, bodyOf)
	require.NoError(t, c.Err(), want)
	return c.Fulfilled(request{body: body})
}

func TestBody(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("1", 500)
	body := decode(t, `{"text":"Night owls","n":5,"half":0.5,"big":9007199254740993,"on":true,"nothing":null,
		"huge":1E+300,"beyond":1e99999999,"long":`+digits+`,
		"list":[1,"two",{"three":3,"four":4}],"in":{"deep":{"er":"yes"}}}`)
	for want, is := range map[string]bool{
		`{}`:                                     true,
		`{"text":"Night owls"}`:                  true,
		`{"text":"night owls"}`:                  false,
		`{"text":"Night"}`:                       false,
		`{"text":"~(?i)NIGHT"}`:                  true,
		`{"text":"~^owls"}`:                      false,
		`{"text":"~"}`:                           true,
		`{"other":"~"}`:                          false,
		`{"nothing":"~"}`:                        false,
		`{"nothing":null,"other":null}`:          true,
		`{"text":null}`:                          false,
		`{"n":5,"half":0.5,"on":true}`:           true,
		`{"n":5.0,"half":5e-1}`:                  true,
		`{"n":6}`:                                false,
		`{"n":"5"}`:                              false,
		`{"n":"~^5$"}`:                           true,
		`{"on":"true"}`:                          false,
		`{"on":"~true"}`:                         true,
		`{"on":false}`:                           false,
		`{"big":9007199254740993}`:               true,
		`{"big":9007199254740993.0}`:             true,
		`{"big":9007199254740992}`:               false,
		`{"in":{"deep":{"er":"yes"}}}`:           true,
		`{"in":{"deep":{"er":"no"}}}`:            false,
		`{"in":{}}`:                              true,
		`{"in":"~\"er\":\"yes\""}`:               true,
		`{"n":{"x":1}}`:                          false,
		`{"n":{}}`:                               false,
		`{"list":[1,"two",{"three":3}]}`:         true,
		`{"list":[1.0,"~^t",{"x":null}]}`:        true,
		`{"list":[1,"two",{"three":4}]}`:         false,
		`{"list":[1,"two",{"x":"~"}]}`:           false,
		`{"list":[1,"two"]}`:                     false,
		`{"list":["two",1,{"three":3}]}`:         false,
		`{"list":"~^\\[1,\"two\",{\"four\":4,"}`: true,
		`{"list":{"0":1}}`:                       false,
		`{"text":["Night owls"]}`:                false,
		`{"n":true}`:                             false,
		`{"on":1}`:                               false,
		`{"huge":1e300}`:                         true,
		`{"beyond":1e99999999}`:                  true,
		`{"beyond":10e99999998}`:                 false,
		`{"long":` + digits + `}`:                true,
	} {
		assert.Equal(t, is, membersHold(t, want, body), want)
	}
}

// A body or an object that isn't there has no members.
func TestMembersOfNothing(t *testing.T) {
	t.Parallel()
	for want, is := range map[string]bool{
		`{}`:               false,
		`{"a":null}`:       true,
		`{"a":{"b":null}}`: true,
		`{"a":{}}`:         false,
		`{"a":"~"}`:        false,
	} {
		for _, nothing := range []any{nil, "text", []any{}} {
			assert.Equal(t, is, membersHold(t, want, nothing), want)
		}
	}
}

// headers returns the conditions for headers that a JSON object wants.
func headers(t *testing.T, want string, redact func(name, value string) string) (c match.Conditions[request]) {
	t.Helper()
	var values map[string]*string
	require.NoError(t, json.Unmarshal([]byte(want), &values))
	c.Values("header", values, redact, request.values)
	require.NoError(t, c.Err(), want)
	return c
}

// One of the values of a header or a parameter must be as wanted.
func TestValues(t *testing.T) {
	t.Parallel()
	r := request{header: http.Header{"X-A": {"1", "2"}, "X-Empty": {""}, "X-None": {}}}
	for want, is := range map[string]bool{
		`{}`: true, `{"x-a":"1"}`: true, `{"x-a":"2"}`: true, `{"x-a":"3"}`: false, `{"x-a":"1, 2"}`: false,
		`{"x-a":"~^2"}`:             true,
		`{"x-a":"~^1.*2$"}`:         false, // each alone
		`{"x-b":null}`:              true,
		`{"x-none":null}`:           true, // no values are absence
		`{"x-a":null}`:              false,
		`{"x-empty":null}`:          false, // it is there, though empty
		`{"x-empty":""}`:            true,
		`{"x-b":""}`:                false,
		`{"x-empty":"~"}`:           true,
		`{"x-b":"~"}`:               false,
		`{"x-a":"1","x-empty":"1"}`: false,
	} {
		c := headers(t, want, nil)
		assert.Equal(t, is, c.Fulfilled(r), want)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	method := func(r request) string { return r.method }
	for _, c := range []struct {
		want  string
		equal func(wanted, got string) bool
		got   string
		is    bool
	}{
		{"", nil, "POST", true}, {"POST", nil, "POST", true}, {"post", nil, "POST", false}, {"~^P", nil, "POST", true},
		{"post", strings.EqualFold, "POST", true}, {"put", strings.EqualFold, "POST", false},
		{"~^p", strings.EqualFold, "POST", false}, {"post", strings.EqualFold, "", false},
		{"~", nil, "POST", true}, {"~", nil, "", false},
	} {
		var conditions match.Conditions[request]
		conditions.Text("method", c.want, c.equal, method)
		require.NoError(t, conditions.Err())
		assert.Equal(t, c.is, conditions.Fulfilled(request{method: c.got}), "%v", c)
	}
}

// Where requests hold another text in place of a value, the wanted value is compared, and shown, by that text.
func TestRedactedValues(t *testing.T) {
	t.Parallel()
	redact := func(path []string, value any) string {
		if path[len(path)-1] != "secret" {
			return ""
		}
		return "hidden " + string(strictjson.MustEncode(value))
	}
	body := decode(t, `{"a":"x","secret":"hidden \"s\"",
		"deep":{"secret":"hidden 1"},"list":[{"secret":"hidden {\"a\":1}"}]}`)
	for want, is := range map[string]bool{
		`{"a":"x","secret":"s"}`:              true,
		`{"secret":"hidden \"s\""}`:           true, // as it was read in the journal
		`{"secret":"t"}`:                      false,
		`{"secret":"~^hidden"}`:               true,
		`{"secret":"~^s"}`:                    false,
		`{"deep":{"secret":1}}`:               true,
		`{"deep":{"secret":2}}`:               false,
		`{"list":[{"secret":{"a":1}}]}`:       true,
		`{"list":[{"secret":{"a":1,"b":2}}]}`: false,
		`{"deep":{"secret":null}}`:            false,
	} {
		var c match.Conditions[request]
		c.Members(object(t, want), redact, bodyOf)
		require.NoError(t, c.Err(), want)
		assert.Equal(t, is, c.Fulfilled(request{body: body}), want)
		shown := []any{}
		for _, one := range c.All {
			shown = append(shown, one.Shown)
		}
		assert.NotContains(t, string(strictjson.MustEncode(shown)), `"s"`, want)
	}

	mark := func(name, value string) string { return name + " hides " + value }
	c := headers(t, `{"x-a":"s","x-b":"~hides"}`, mark)
	assert.True(t, c.Fulfilled(request{header: http.Header{"X-A": {"x-a hides s"}, "X-B": {"x-b hides t"}}}))
	assert.False(t, c.Fulfilled(request{header: http.Header{"X-A": {"x-a hides t"}, "X-B": {"x-b hides t"}}}))
	assert.Equal(t, "x-a hides s", c.All[0].Shown)
	assert.Equal(t, "~x-b hides ~hides", c.All[1].Shown, "an expression is hidden where the value is")
	assert.Equal(t, "~", headers(t, `{"x-a":"~"}`, mark).All[0].Shown, "any value")
}

func TestFields(t *testing.T) {
	t.Parallel()
	var c match.Conditions[request]
	c.Text("method", "GET", nil, func(r request) string { return r.method })
	c.Values("header", map[string]*string{"x-b": nil, "x-a": nil}, nil, request.values)
	c.Members(object(t, `{"b":{"d":1,"c":{}},"a":[1]}`), match.AsSent, bodyOf)
	r := request{
		method: "GET",
		header: http.Header{"X-A": {"1", "2"}, "X-B": {"1"}},
		body:   decode(t, `{"a":[1],"b":{"c":{},"d":1}}`),
	}
	var fields []string
	got := map[string]any{}
	for _, one := range c.All {
		fields = append(fields, one.Field)
		got[one.Field] = one.Got(r)
	}
	assert.Equal(t, []string{"method", "header.x-a", "header.x-b", "body.a", "body.b.c", "body.b.d"}, fields)
	assert.Equal(t, map[string]any{"method": "GET", "header.x-a": []string{"1", "2"}, "header.x-b": "1",
		"body.a": []any{json.Number("1")}, "body.b.c": map[string]any{}, "body.b.d": json.Number("1")}, got)
}

// All mistakes are reported together. None of them shows the expression, which may hold a secret.
func TestMistakes(t *testing.T) {
	t.Parallel()
	bad := "~hush("
	var c match.Conditions[request]
	c.Text("method", bad, strings.EqualFold, func(request) string { return "hush(" })
	c.Values("query", map[string]*string{"size": &bad}, nil, request.values)
	list := []any{1, map[string]any{"d": bad, "e": "~["}}
	c.Members(map[string]any{"a": bad, "b": map[string]any{"c": list}}, match.AsSent, bodyOf)
	const why = `what follows "~" has to be a Go regular expression (RE2)`
	assert.EqualError(t, c.Err(),
		"method: missing closing ): "+why+"\nquery.size: missing closing ): "+why+"\nbody.a: missing closing ): "+why+
			"\nbody.b.c[1].d: missing closing ): "+why+"\nbody.b.c[1].e: missing closing ]: "+why)
	var fields [][]string
	for _, mistake := range c.Mistakes {
		fields = append(fields, mistake.Field)
	}
	assert.Equal(t, [][]string{
		{"method"}, {"query", "size"}, {"body", "a"}, {"body", "b", "c", "d"}, {"body", "b", "c", "e"},
	}, fields, "the index in a list is only in the text")
	assert.False(t, c.All[0].Fulfilled(request{}), "it accepts nothing")
}

func TestDecode(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]any{"n": json.Number("1.0"), "list": []any{"a", nil, true}},
		decode(t, ` {"n":1.0, "list":["a",null,true]} `))
	for _, text := range []string{"", "{", `{"a":1} x`, `{"a":1}{}`} {
		value, err := match.Decode([]byte(text))
		assert.Error(t, err, text)
		assert.Nil(t, value, text)
	}
}

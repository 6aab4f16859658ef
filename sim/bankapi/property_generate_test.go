package bankapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// generator makes requests from the OpenAPI document: what it says of bodies and headers decides what is valid, what is
// not, and what is missing.
type generator struct{ *rand.Rand }

func one[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// valid returns a request of the operation that the bank of the scenario retail has to accept, with a body and headers
// of the contract.
func (g generator) valid(operation string) simtest.Call {
	route := simtest.RouteOf(operation)
	a := simtest.NewCall(route.Method, route.Path, "")
	for _, p := range route.Operation.Parameters {
		if p.Value.In == "header" && p.Value.Required {
			a.Header.Set(p.Value.Name, g.header(p.Value.Name))
		}
	}
	if route.Operation.RequestBody != nil {
		body := g.object(bodySchema(operation))
		g.fit(operation, body)
		a = a.WithBody(simtest.JSON(body)).With("content-type", one(g, "application/json", "application/json; charset=utf-8", "Application/JSON"))
	}
	switch operation {
	case "estatements.getDisclosures":
		a.Path = strings.Replace(a.Path, "{accountId}", one(g, "acc-1001-checking", "acc-1001-savings"), 1) + "?hostUserId=1001"
	case "estatements.updateAccount", "estatements.updateUser":
		a.Path += "?hostUserId=1001"
	case "groups.list":
		a.Path += one(g, "", "?page=0", "?size=3&page=1", "?sort=groupName", "?sort=noOfParticipants,desc&size=7", "?page=999")
	}
	switch {
	case strings.HasPrefix(operation, "tokens."):
		a = a.With("authorization", simtest.BasicDemo)
	case !strings.HasPrefix(operation, "groups.") || g.IntN(2) == 0:
		a = a.With("authorization", one(g, "Bearer demo-token", "bearer demo-token", "Bearer avery-token"))
	}
	return a
}

// bodySchema returns the schema of an operation's body.
func bodySchema(operation string) *openapi3.Schema {
	return simtest.RouteOf(operation).Operation.RequestBody.Value.Content.Get("application/json").Schema.Value
}

// header returns a valid value of a header.
func (g generator) header(name string) string {
	switch strings.ToLower(name) {
	case "institutionid", "fiid":
		return "02688"
	case "userid":
		return "1001"
	}
	return fmt.Sprintf("%s-%d", name, g.Uint64())
}

// fit makes a body of the contract one that the bank accepts: the contract doesn't know which accounts there are.
func (g generator) fit(operation string, body map[string]any) {
	switch operation {
	case "estatements.updateAccount":
		body["accountId"] = one(g, "acc-1001-checking", "acc-1001-savings")
	case "groups.create":
		body["groupName"] = fmt.Sprintf("%.20s %x", g.text(20), g.Uint64())
	case "tokens.issue":
		maps.DeleteFunc(body, func(name string, _ any) bool { return name != "scopes" })
		maps.Copy(body, one(g, map[string]any{"grant_type": "client_credentials"}, map[string]any{"grant_type": "password", "username": "avery", "password": "demo"}))
	case "tokens.revoke":
		maps.Copy(body, map[string]any{"grant_type": "refresh_token", "refresh_token": fmt.Sprintf("nobodys-%x", g.Uint64())})
	case "alerts.createPreference":
		if details, ok := body["alertPreferenceDetails"].(map[string]any); ok {
			delete(details, "institutionId")
			delete(details, "institutionCustomerId")
		}
	}
}

// object returns an object of a schema, with or without its optional members.
func (g generator) object(s *openapi3.Schema) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || g.IntN(2) == 0 {
			object[name] = g.value(s.Properties[name].Value)
		}
	}
	return object
}

// value returns a value of a schema.
func (g generator) value(s *openapi3.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return one(g, s.Enum...)
	case s.Type.Is("object"):
		return g.object(s)
	case s.Type.Is("boolean"):
		return g.IntN(2) == 0
	case s.Type.Is("integer"):
		return g.IntN(1000)
	}
	longest := 60
	if s.MaxLength != nil {
		longest = int(*s.MaxLength)
	}
	return g.text(longest)
}

// mistyped returns a value that a schema doesn't have.
func (g generator) mistyped(s *openapi3.Schema) any {
	others := map[string][]any{
		"string":  {7, true, []any{"x"}, map[string]any{"x": "y"}, 1.5},
		"boolean": {"true", 0, []any{true}, map[string]any{}},
		"integer": {"7", 7.5, true, []any{}, map[string]any{}},
		"object":  {"x", 7, false, []any{}},
	}
	for kind, values := range others {
		if s.Type.Is(kind) {
			return one(g, values...)
		}
	}
	panic("a schema of another type")
}

// text returns a text of at most so many characters, and at least one that isn't blank.
func (g generator) text(longest int) string {
	const letters = "abcXYZ0189 _-.,:;'\"\\/<>&%?#{}[]()=+*~^|$@!éßñ中文字🙂\u0301\u200d\t"
	all := []rune(letters)
	text := []rune{'x'}
	for range g.IntN(longest) {
		text = append(text, one(g, all...))
	}
	return string(text)
}

// wrong returns a request that the contract doesn't have: a body of the operation with a mistake in it.
func (g generator) wrong(operation string) simtest.Call {
	a := g.valid(operation)
	schema := bodySchema(operation)
	var body map[string]any
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		panic(err)
	}
	names := slices.Sorted(maps.Keys(schema.Properties))
	switch kind := g.IntN(7); {
	case kind == 0 && len(schema.Required) > 0:
		delete(body, one(g, schema.Required...))
	case kind == 1:
		return a.WithBody(one(g, "", "{", "[]", "null", `"x"`, "7", "{]", `{"a":1,}`, "{'a':1}", "\x00", "\ufeff{}", a.Body+"x", a.Body+a.Body))
	case kind == 2:
		return a.WithBody(a.Body[:g.IntN(len(a.Body))])
	case kind == 3:
		name := one(g, names...)
		return a.WithBody(fmt.Sprintf(`{%q:"x",%q:"y",%s`, name, name, a.Body[1:]))
	case kind == 4:
		return a.WithBody(`{"x":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "," + a.Body[1:])
	case kind == 5:
		return a.With("content-type", one(g, "text/plain", "application/xml", "application/json; charset=utf-16", "json", "*/*", "multipart/form-data"))
	default:
		name := one(g, names...)
		body[name] = g.mistyped(schema.Properties[name].Value)
	}
	return a.WithBody(simtest.JSON(body))
}

// trick returns an id that makes careless servers stumble, as it is, unescaped.
func (g generator) trick() string {
	return one(g, "../", "..\\", "../../acc-1001-checking", "?/", "?", "#", "{}", "{accountId}", "\x00", "a\x00b", "%", "%2f", "%2e%2e", "..;/", ".", "..",
		"*", "'", "' OR '1'='1", `"`, "`id`", "$(id)", "<script>", "\r\nx: y", "\t", " ", "é", "\u202e", "🙂", "\xff", "-1", "0", "null", "undefined",
		"true", "[]", "1001,1002", "1001\n", strings.Repeat("A", 10_000), strings.Repeat("é", 3_000), strings.Repeat("../", 500), g.text(40))
}

// escape writes an id into a path or query, in one of the ways in which clients do.
func (g generator) escape(id string) string {
	if g.IntN(3) == 0 { // every byte
		var all strings.Builder
		for i := range len(id) {
			fmt.Fprintf(&all, one(g, "%%%02x", "%%%02X"), id[i])
		}
		return all.String()
	}
	return one(g, url.PathEscape, url.QueryEscape)(id)
}

// methods are those that a client may try.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, "PROPFIND", "TRACE", "QUERY", "get"}

package bankapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// generator makes requests from the contract: its operations decide what is valid, what is not, and what is missing.
type generator struct{ *rand.Rand }

func one[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// valid returns a request of the operation that the bank of the scenario retail has to accept: the contract's example,
// with another body.
func (g generator) valid(op *contract.Operation) simtest.Call {
	c := exampleCall(op).With(op.Family.RequestID, fmt.Sprintf("8f14e45f-ceea-467f-a0e6-%012x", g.Uint64()>>16))
	switch documented(op) {
	case contract.GroupsList:
		c = c.At(op.Path + one(g, "", "?size=3&page=1", "?sort=groupId,desc&size=7", "?page=999",
			"?sort=groupType.groupTypeName"))
	case contract.JobsList:
		c = c.At(op.Path + one(g, "", "?size=3&page=1", "?sort=group.groupName,desc&size=7",
			"?groupId="+simtest.RetailGroup))
	}
	if op.Multipart != nil {
		rows := []string{"ParticipantId", one(g, "1001", "nobody", "a,b", "\"7\"", strings.Repeat("x", 33))}
		c = c.WithBody(simtest.Multipart(one(g, "ADD", "remove", "Replace"), strings.Join(rows, one(g, "\n", "\r\n"))))
	} else if op.Request != nil {
		body := g.object(op.Request)
		g.fit(op, body)
		if op.FormOnly {
			c = c.WithForm(formOf(body))
		} else {
			c = c.WithBody(takenIn(op, simtest.JSON(body))).With("content-type",
				one(g, "application/json", "application/json; charset=utf-8", "Application/JSON"))
		}
	}
	if op.Security == contract.Bearer || op.Security != contract.Basic && g.IntN(2) == 0 {
		c = c.With("authorization", one(g, "Bearer demo-token", "bearer demo-token", "Bearer avery-token"))
	}
	return c
}

// takenIn returns a text with the characters that an operation takes in its dialect.
func takenIn(op *contract.Operation, text string) string {
	if op.Dialect != sim.DialectPublic {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return 'x'
		}
		return r
	}, text)
}

// oddly returns a valid request, made in ways that raise questions of the ledger and change no answer but its body.
func (g generator) oddly(op *contract.Operation) simtest.Call {
	c := g.valid(op)
	for range g.IntN(3) {
		switch name := one(g, slices.Sorted(maps.Keys(c.Header))...); g.IntN(4) {
		case 0:
			if c.Method == http.MethodGet {
				c.Method = http.MethodHead
			}
		case 1:
			if name != "Authorization" {
				c = c.Adding(name, one(g, "", "another", c.Header.Get(name)))
			}
		case 2:
			c = c.With("accept", one(g, "text/html", "application/xml;q=0.9, image/png", "*/*"))
		case 3:
			c = c.WithQuery(one(g, "x=1", "pretty", "HOSTUSERID=7", "q=%", "a;b=1"))
		}
	}
	return c
}

// documented returns an operation as the interface's document has it.
func documented(op *contract.Operation) *contract.Operation {
	return contract.Document().Operation(op.Name)
}

// formOf returns a body of texts as a form.
func formOf(body map[string]any) string {
	form := url.Values{}
	for name, value := range body {
		form.Set(name, fmt.Sprint(value))
	}
	return form.Encode()
}

// fit makes a body of the contract one that the bank accepts: the contract doesn't know which accounts there are.
func (g generator) fit(op *contract.Operation, body map[string]any) {
	if body[contract.StatusUpdatedAt.Name] != nil {
		body[contract.StatusUpdatedAt.Name] = one(g, "2026-01-10T00:00:00-07:00", "2026-01-10T00:00:00Z")
	}
	switch documented(op) {
	case contract.EstatementsUpdateAccount:
		body["accountId"] = one(g, "acc-1001-checking", "acc-1001-savings")
	case contract.GroupsCreate, contract.GroupsUpdate:
		body["groupName"] = fmt.Sprintf("%.20s %x", g.text(20), g.Uint64())
	case contract.DisclosuresCreateUser, contract.DisclosuresUpdateUser:
		maps.DeleteFunc(body, func(string, any) bool { return true })
		body["institutionDisclosureName"], body["institutionUserDisclosureStatus"] = "ESIGN", "ACCEPTED"
	case contract.DisclosuresDeleteUser:
		body["institutionDisclosureName"], body["accountId"] = "OLS", "acc-1001-savings"
	case contract.TokensIssue:
		maps.DeleteFunc(body, func(name string, _ any) bool { return name != "scopes" })
		maps.Copy(body, one(g, map[string]any{"grant_type": "client_credentials"},
			map[string]any{"grant_type": "password", "username": "avery", "password": "demo"}))
	case contract.TokensAuthorizeClient:
		body["client_id"] = "partner-app"
	case contract.TokensCreateCode:
		maps.Copy(body, map[string]any{"client_id": "partner-app", "scopes": "accounts:read", "username": "avery",
			"institution_user_id": "E013E3BD0440D18C8638BBB61BED7FF7", "auth_time": "1768467600"})
	case contract.TokensRevoke:
		body["grant_type"], body["refresh_token"] = "refresh_token", fmt.Sprintf("nobodys-%x", g.Uint64())
	case contract.AlertsCreatePreference, contract.AlertsUpdatePreference:
		if details, ok := body["alertPreferenceDetails"].(map[string]any); ok {
			delete(details, "institutionId")
			delete(details, "institutionCustomerId")
			if documented(op) == contract.AlertsUpdatePreference {
				delete(details, "alertPrefId")
			}
		}
	}
}

// object returns an object of the contract, with or without its optional members.
func (g generator) object(o *contract.Object) map[string]any {
	object := map[string]any{}
	for _, m := range o.Members {
		if m.Required || g.IntN(2) == 0 {
			object[m.Name] = g.value(m.Type)
		}
	}
	return object
}

// value returns a value of a type.
func (g generator) value(t contract.Type) any {
	switch {
	case len(t.Enum) > 0:
		return one(g, t.Enum...)
	case t.JSON == "object":
		return g.object(t.Object)
	case t.JSON == "boolean":
		return g.IntN(2) == 0
	case t.JSON == "integer":
		return g.IntN(1000)
	}
	return g.text(cmp.Or(t.Longest, 60))
}

// mistyped returns a value of another type.
func (g generator) mistyped(t contract.Type) any {
	return one(g, map[string][]any{
		"string":  {7, true, []any{"x"}, map[string]any{"x": "y"}, 1.5},
		"boolean": {"true", 0, []any{true}, map[string]any{}},
		"integer": {"7", 7.5, true, []any{}, map[string]any{}},
		"object":  {"x", 7, false, []any{}},
	}[t.JSON]...)
}

// text returns a text of 1 to longest characters that is not blank.
func (g generator) text(longest int) string {
	const letters = "abcXYZ0189 _-.,:;'\"\\/<>&%?#{}[]()=+*~^|$@!éßñ中文字🙂\u0301\u200d\t"
	all := []rune(letters)
	text := []rune{'x'}
	for range g.IntN(longest) {
		text = append(text, one(g, all...))
	}
	return string(text)
}

// wrong returns a request that the contract doesn't have: a body of the operation, in JSON, with a mistake in it.
func (g generator) wrong(op *contract.Operation) simtest.Call {
	a := g.valid(op)
	var body map[string]any
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		panic(err)
	}
	member, required := one(g, op.Request.Members...), slices.DeleteFunc(slices.Clone(op.Request.Members),
		func(m contract.Member) bool { return !m.Required })
	switch kind := g.IntN(7); {
	case kind == 0 && len(required) > 0:
		delete(body, one(g, required...).Name)
	case kind == 1:
		return a.WithBody(one(g, "", "{", "[]", "null", `"x"`, "7", "{]", `{"a":1,}`, "{'a':1}", "\x00", a.Body+"x",
			a.Body+a.Body))
	case kind == 2:
		return a.WithBody(a.Body[:g.IntN(len(a.Body))])
	case kind == 3:
		return a.WithBody(fmt.Sprintf(`{%q:"x",%q:"y",%s`, member.Name, member.Name, a.Body[1:]))
	case kind == 4:
		return a.WithBody(`{"x":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "," + a.Body[1:])
	case kind == 5:
		return a.With("content-type",
			one(g, "text/plain", "application/xml", "application/json; charset=utf-16", "json", "*/*",
				"multipart/form-data"))
	default:
		body[member.Name] = g.mistyped(member.Type)
	}
	return a.WithBody(simtest.JSON(body))
}

package simtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Check finds what the contract does not have, in an answer and in a request that is accepted.
func TestCheckFindsWhatTheContractDoesNotHave(t *testing.T) {
	t.Parallel()
	const group = `{"groupId":"x","groupName":"x","groupDescription":"","groupType":"EXPERIENCE_GROUP","groupPlatform":"RETAIL_BANKING",` +
		`"groupLastUpdatedDateTime":"2026-01-15T09:00:00.000Z","groupParticipantCount":0,"groupStatus":"ACTIVE"}`
	replace := func(old, new string) func(*http.Response, string) string {
		return func(_ *http.Response, body string) string { return strings.Replace(body, old, new, 1) }
	}
	alter := func(change func(*http.Response)) func(*http.Response, string) string {
		return func(res *http.Response, body string) string { change(res); return body }
	}
	for name, test := range map[string]struct {
		call  simtest.Call
		alter func(res *http.Response, body string) string
		want  string
	}{
		"as it is":         {simtest.GetDisclosures, replace("", ""), ""},
		"another status":   {simtest.GetDisclosures, alter(func(res *http.Response) { res.StatusCode = 202 }), "status"},
		"a missing member": {simtest.GetDisclosures, replace(`"paperWaiver":false,`, ""), "paperWaiver"},
		"a further member": {simtest.GetDisclosures, replace(`{`, `{"x":1,`), "x"},
		"another type":     {simtest.GetDisclosures, replace(`false`, `"no"`), "paperWaiver"},
		"another media type": {simtest.GetDisclosures,
			alter(func(res *http.Response) { res.Header.Set("Content-Type", "text/plain") }), "Content-Type"},
		"no challenge": {simtest.GetDisclosures.Without("authorization"),
			alter(func(res *http.Response) { res.Header.Del("WWW-Authenticate") }), "WWW-Authenticate"},
		"another code":       {simtest.CreateGroup.WithBody(`{}`), replace(`"2000"`, `"2999"`), "code"},
		"an unexpected body": {simtest.UpdateUser, func(*http.Response, string) string { return "{}" }, "no body"},
		"a 405 without Allow": {simtest.ListGroups.WithMethod(http.MethodPatch),
			alter(func(res *http.Response) { res.Header.Del("Allow") }), "Allow"},
		"wrong input accepted": {simtest.CreateGroup.WithBody(`{"groupName":7}`),
			func(res *http.Response, _ string) string { res.StatusCode = 200; return group }, "groupName"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			res := test.call.Send(b)
			body := test.alter(res.Response, res.Body)
			err := b.Check(test.call.Request(b), res.Response, []byte(body))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// CheckControl finds what the document of the control API does not have, in an answer.
func TestCheckControlFindsWhatTheDocumentDoesNotHave(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	const made = `{"name":"x","now":"2026-01-15T09:00:00Z","takenAt":"2026-01-15T09:00:00Z"}`
	const refused = `{"title":"Not Found","status":404,"detail":"there is none"}`
	for name, test := range map[string]struct {
		call, body  string
		status      int
		answer      string
		media, want string
	}{
		"as it is":         {"POST /snapshots", `{"name":"x"}`, 201, made, "application/json", ""},
		"another status":   {"POST /snapshots", `{"name":"x"}`, 202, made, "application/json", "status"},
		"a missing member": {"POST /snapshots", `{"name":"x"}`, 201, `{"name":"x"}`, "application/json", "takenAt"},
		"a further member": {"POST /snapshots", `{"name":"x"}`, 201,
			strings.Replace(made, "{", `{"colour":1,`, 1), "application/json", "colour"},
		"another type":        {"POST /snapshots", `{"name":"x"}`, 201, strings.Replace(made, `"x"`, "7", 1), "application/json", "name"},
		"another media type":  {"POST /snapshots", `{"name":"x"}`, 201, made, "text/plain", "Content-Type"},
		"an unexpected body":  {"POST /reset", "", 204, "{}", "application/json", "no body"},
		"a problem":           {"GET /journal/7", "", 404, refused, "application/problem+json", ""},
		"an odd problem":      {"GET /journal/7", "", 404, `{"title":"Not Found"}`, "application/problem+json", "detail"},
		"no problem":          {"GET /journal/7", "", 404, refused, "application/json", "Content-Type"},
		"no such call":        {"GET /nope", "", 200, "{}", "application/json", "no such call"},
		"an unknown path":     {"GET /nope", "", 404, refused, "application/problem+json", ""},
		"no problem for it":   {"GET /nope", "", 404, `{}`, "application/problem+json", "title"},
		"a 405 without Allow": {"PUT /state", "", 405, refused, "application/problem+json", "Allow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(test.call, " ")
			r := b.Request(method, b.Server.ControlURL()+b.ControlPath()+path, test.body)
			res := &http.Response{StatusCode: test.status, Header: http.Header{"Content-Type": {test.media}}}
			err := simtest.CheckControl(r, res, []byte(test.answer))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the contract doesn't have is found, in an answer as in a request that is accepted.
func TestContractFindsWhatItDoesNotHave(t *testing.T) {
	for name, test := range map[string]struct {
		attempt
		alter func(res *http.Response, body string) string
		want  string
	}{
		"as it is":       {getDisclosures, func(_ *http.Response, body string) string { return body }, ""},
		"another status": {getDisclosures, func(res *http.Response, body string) string { res.StatusCode = 202; return body }, "status"},
		"a member less": {getDisclosures, func(_ *http.Response, body string) string {
			return strings.Replace(body, `"paperWaiver":false,`, "", 1)
		}, "paperWaiver"},
		"a member more": {getDisclosures, func(_ *http.Response, body string) string { return strings.Replace(body, `{`, `{"x":1,`, 1) }, "x"},
		"another type":  {getDisclosures, func(_ *http.Response, body string) string { return strings.Replace(body, `false`, `"no"`, 1) }, "paperWaiver"},
		"another media type": {getDisclosures, func(res *http.Response, body string) string {
			res.Header.Set("Content-Type", "text/plain")
			return body
		}, "Content-Type"},
		"no challenge":         {getDisclosures.without("authorization"), func(res *http.Response, body string) string { res.Header.Del("WWW-Authenticate"); return body }, "WWW-Authenticate"},
		"another code":         {createGroup.saying(`{}`), func(_ *http.Response, body string) string { return strings.Replace(body, `"2000"`, `"2999"`, 1) }, "code"},
		"a body too many":      {updateUser, func(*http.Response, string) string { return "{}" }, "no body"},
		"a 405 without Allow":  {attempt{http.MethodPatch, groupsURL, "", nil}, func(res *http.Response, body string) string { res.Header.Del("Allow"); return body }, "Allow"},
		"wrong input accepted": {createGroup.saying(`{"groupName":7}`), func(res *http.Response, _ string) string { res.StatusCode = 200; return listed }, "groupName"},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBank(t, frozenRetail)
			res := test.send(b)
			body := test.alter(res.Response, res.body)
			r, err := http.NewRequestWithContext(t.Context(), test.method, b.server.ServiceURL()+test.path, nil)
			require.NoError(t, err)
			for _, h := range test.headers {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			err = b.client.Transport.(*contractTransport).check(r, []byte(test.body), res.Response, []byte(body))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// listed is a group as groups.create answers it.
const listed = `{"groupId":"x","groupName":"x","groupDescription":"","groupType":"EXPERIENCE_GROUP","groupPlatform":"RETAIL_BANKING",` +
	`"groupLastUpdatedDateTime":"2026-01-15T09:00:00.000Z","groupParticipantCount":0,"groupStatus":"ACTIVE"}`

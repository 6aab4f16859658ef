package bankapi_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestPreferenceShowsInTheDisclosure(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Contains(t, getDisclosures.Send(b).Body, `"paperWaiver":false`)

	res := updateAccount.Send(b)
	require.Equal(t, 200, res.StatusCode)
	assert.Empty(t, res.Body)
	assert.Contains(t, getDisclosures.Send(b).Body, `"paperWaiver":true`)

	off := updateUser.WithBody(`{"activateEstatement":false}`).Send(b)
	require.Equal(t, 204, off.StatusCode)
	assert.Empty(t, off.Header.Get("Content-Length"), "a 204 has none (RFC 9110 8.6)")
	assert.Contains(t, getDisclosures.Send(b).Body, `"paperWaiver":false`)
}

func TestIssuedTokenWorksUntilItExpires(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	got := simtest.Decode[simtest.Tokens](t, issueTokens.Send(b))
	assert.Equal(t, "Bearer", got.TokenType)
	assert.Equal(t, "86400", got.ExpiresIn)
	assert.Equal(t, "15552000", got.RefreshExpiresIn)
	assert.Equal(t, "02688", got.FIID)
	assert.Equal(t, "1001", got.FICustomer)
	mine := getDisclosures.WithToken(got.AccessToken)
	assert.Equal(t, 200, mine.Send(b).StatusCode)

	b.ControlSandbox(200, "POST /clock", `{"advance":"23h59m59s"}`)
	assert.Equal(t, 200, mine.Send(b).StatusCode)
	b.ControlSandbox(200, "POST /clock", `{"advance":"1s"}`)
	expired := mine.Send(b)
	assert.Equal(t, 401, expired.StatusCode)
	assert.Equal(t, "UXESTMT_10004", expired.Code())
	assert.Equal(t, `Bearer realm="banksim", error="invalid_token"`, expired.Header.Get("WWW-Authenticate"))

	again := issueTokens.WithBody(`{"grant_type":"refresh_token","refresh_token":"` + got.RefreshToken + `"}`)
	renewed := simtest.Decode[simtest.Tokens](t, again.Send(b))
	assert.Equal(t, 200, getDisclosures.WithToken(renewed.AccessToken).Send(b).StatusCode)
	assert.Equal(t, "CMN_90016", again.Send(b).Code(), "the old refresh token is used up")
}

// The body of a DELETE arrives with a Content-Length and chunked, as JSON and as a form, over HTTP/1.1 as it is on
// the wire.
func TestRevocationOnTheWire(t *testing.T) {
	t.Parallel()
	const chunk = "%x\r\n%s\r\n"
	form, jsonBody := "refresh_token=demo-refresh", `{"refresh_token":"demo-refresh"}`
	for name, test := range map[string]struct{ media, body, framing string }{
		"JSON, Content-Length": {"application/json", jsonBody, ""},
		"JSON, chunked":        {"application/json", fmt.Sprintf(chunk+chunk+"0\r\n\r\n", 5, jsonBody[:5], len(jsonBody)-5, jsonBody[5:]), "Transfer-Encoding: chunked"},
		"form, Content-Length": {"application/x-www-form-urlencoded", form, ""},
		"form, chunked":        {"application/x-www-form-urlencoded; charset=UTF-8", fmt.Sprintf(chunk+"0\r\n\r\n", len(form), form), "Transfer-Encoding: chunked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			conn := b.Dial()
			_, err := fmt.Fprintf(conn, "DELETE %s HTTP/1.1\r\nHost: bank\r\nAUTHORIZATION: %s\r\nINSTITUTIONID: 02688\r\n"+
				"TransactionID: t-9\r\nContent-Type: %s\r\n%s\r\n\r\n%s", b.BasePath()+simtest.RevokePath, simtest.BasicDemo, test.media,
				cmp.Or(test.framing, fmt.Sprintf("Content-Length: %d", len(test.body))), test.body)
			require.NoError(t, err)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			var got map[string]string
			require.NoError(t, json.NewDecoder(res.Body).Decode(&got))
			assert.Equal(t, 200, res.StatusCode, "and not a redirect")
			assert.Equal(t, "t-9", res.Header.Get("transactionId"))
			assert.Equal(t, map[string]string{"expires_in": "0", "di_fiid": "02688", "di_ficustomer": "", "access_token": "demo-token-2",
				"refresh_token": "demo-refresh", "refresh_token_expires_in": "0"}, got)

			revoked := getDisclosures.WithToken("demo-token-2").Send(b)
			assert.Equal(t, 401, revoked.StatusCode)
			assert.Equal(t, "UXESTMT_10002", revoked.Code())
			assert.Equal(t, 200, getDisclosures.Send(b).StatusCode, "another grant's token still works")
		})
	}
}

func TestGroupPages(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	list := func(query string) listBody {
		t.Helper()
		return simtest.Decode[listBody](t, listGroups.At(simtest.GroupsPath+query).Send(b))
	}
	got := list("?size=5&page=1&sort=groupName,desc")
	href := func(page int) string {
		return fmt.Sprintf("%s%s?page=%d&size=5&sort=groupName,desc", b.BaseURL(), simtest.GroupsPath, page)
	}
	assert.Equal(t, []linkBody{{"first", href(0)}, {"prev", href(0)}, {"self", href(1)}, {"next", href(2)}, {"last", href(4)}}, got.Links)
	assert.Equal(t, pageBody{5, 23, 5, 1}, got.Page)
	assert.Len(t, got.Content, 5)

	var walked []string // all pages, by following next
	for url, pages := href(0), 0; url != ""; pages++ {
		require.Less(t, pages, 5)
		page := list(strings.TrimPrefix(url, b.BaseURL()+simtest.GroupsPath))
		url = ""
		for _, link := range page.Links {
			if link.Rel == "next" {
				url = link.Href
			}
		}
		for _, g := range page.Content {
			walked = append(walked, g.GroupName)
		}
	}
	assert.Len(t, walked, 23)
	assert.IsDecreasing(t, walked)

	for query, want := range map[string]struct{ size, number, content int }{
		"":                             {20, 0, 20},
		"?page=1":                      {20, 1, 3},
		"?size=2000":                   {2000, 0, 23},
		"?size=2001":                   {2000, 0, 23},
		"?size=2147483648":             {20, 0, 20},
		"?size=7&size=3&page=1&page=0": {7, 1, 7},
		"?size=0":                      {20, 0, 20},
		"?size=-1":                     {20, 0, 20},
		"?size=x&page=y":               {20, 0, 20},
		"?page=-1":                     {20, 0, 20},
		"?page=99":                     {20, 99, 0},
		"?page=2147483647":             {20, 2147483647, 0},
		"?page=2147483648":             {20, 0, 20},
		"?sort=":                       {20, 0, 20},
		"?sort=,":                      {20, 0, 20},
		"?sort=desc":                   {20, 0, 20},
		"?sort=groupType,GroupDir":     {0, 0, 0},
	} {
		if want.size == 0 {
			assert.Equal(t, 500, listGroups.At(simtest.GroupsPath+query).Send(b).StatusCode, query)
			continue
		}
		got := list(query)
		assert.Equal(t, want.size, got.Page.Size, query)
		assert.Equal(t, want.number, got.Page.Number, query)
		assert.Len(t, got.Content, want.content, query)
	}
}

func TestSandboxByBaseURL(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	const named = "/sandboxes/default"
	for _, base := range []string{"", named} {
		res := listGroups.At(base + simtest.GroupsPath + "?size=20").Send(b)
		require.Equal(t, 200, res.StatusCode)
		assert.Contains(t, res.Body, b.BaseURL()+base+simtest.GroupsPath+"?page=1&size=20", "links keep the base URL that was used")
	}
	assert.Equal(t, 200, getDisclosures.At(named+getDisclosures.Path).Send(b).StatusCode)

	res := getDisclosures.At("/sandboxes/nope" + getDisclosures.Path).Send(b)
	assert.Equal(t, 404, res.StatusCode)
	assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
	assert.Contains(t, res.Body, `\"nope\"`)
}

func TestPathsAreTakenAsTheyCome(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "name: test\nextends: retail\ninstitutions:\n- institutionId: '02688'\n  users:\n  - hostUserId: '1001'\n"+
		"    accounts: [{accountId: a/b, disclosures: [{institutionDisclosureStatus: ACCEPTED}]}]\n")
	account := func(id string) simtest.Answer {
		return getDisclosures.At(strings.Replace(getDisclosures.Path, "acc-1001-checking", id, 1)).Send(b)
	}
	res := account("a%2Fb")
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"accountId":"a/b"`)
	for _, id := range []string{"..%2f", "%00", "{}", "%7B%7D", strings.Repeat("x", 10_000)} {
		res := account(id)
		assert.Equal(t, 200, res.StatusCode, id)
		assert.Equal(t, `{"institutionUserDisclosures":[]}`, res.Body)
	}
	for _, path := range []string{"/" + simtest.GroupsPath, simtest.GroupsPath + "/", "/x/.." + simtest.GroupsPath, "/", "/sandboxes/", "/sandboxes/default"} {
		res := listGroups.At(path).Send(b)
		assert.Equal(t, 404, res.StatusCode, "%s: %s", path, res.Body)
	}
}

// 32 clients create groups with the same 100 names: each name is there once, and 100 creates have succeeded.
func TestSameNamesFromManyClients(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: test\nextends: empty\n")
	var created, refused atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range 100 {
				res := createGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d"}`, i)).Send(b)
				switch {
				case res.StatusCode == 200:
					created.Add(1)
				case assert.Equal(t, 400, res.StatusCode) && assert.Contains(t, res.Body, `"2004"`):
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, int64(100), created.Load())
	assert.Equal(t, int64(3100), refused.Load())
	assert.Contains(t, listGroups.Send(b).Body, `"totalElements":100,`)
	assert.Equal(t, 100, strings.Count(b.State(), `"groupId"`))
}

// While a writer turns the statements of all of a user's accounts on and off, and another one resets, a reader
// never sees one account on and the other off.
func TestReadersNeverSeeHalfAChange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 300 {
			res := updateUser.WithBody(fmt.Sprintf(`{"activateEstatement":%t}`, i%2 == 0)).Send(b)
			assert.Equal(t, 204, res.StatusCode)
			if i%10 == 9 {
				b.ControlSandbox(204, "POST /reset", "")
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				var state struct {
					Institutions []struct {
						Users []struct {
							HostUserID string `json:"hostUserId"`
							Accounts   []struct {
								ActivateEstatement bool `json:"activateEstatement"`
							} `json:"accounts"`
						} `json:"users"`
					} `json:"institutions"`
				}
				if !assert.NoError(t, json.Unmarshal([]byte(b.State()), &state)) {
					return
				}
				accounts := state.Institutions[0].Users[0].Accounts
				if !assert.Equal(t, accounts[0], accounts[1]) {
					return
				}
			}
		})
	}
	wg.Wait()
}

package testkit_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// serviceURL returns the URL of the simulator that the bank is on, without a path.
func serviceURL(t testing.TB, bank *testkit.Bank) string {
	t.Helper()
	var info struct{ BaseURL string }
	_, text := send(t, bank.Client(), http.MethodGet, strings.SplitAfter(bank.ControlURL(), "/v1/")[0]+"info", "")
	require.NoError(t, json.Unmarshal([]byte(text), &info))
	u, err := url.Parse(info.BaseURL)
	require.NoError(t, err)
	return u.Scheme + "://" + u.Host
}

// Each bank in process has a host of its own, so that a client that drops the path of the base URL still reaches it.
func TestBaseURLsHaveNoPath(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	fork := bank.Fork()
	other := testkit.Start(t, testkit.InProcess())
	seen := map[string]bool{}
	for _, b := range []*testkit.Bank{bank, fork, other} {
		assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, b.BaseURL())
		assert.False(t, seen[b.BaseURL()])
		seen[b.BaseURL()] = true
		res, body := send(t, b.Client(), http.MethodGet, b.BaseURL()+groupsPath+"?size=2", "")
		assert.Equal(t, 200, res.StatusCode)
		assert.Contains(t, body, `{"rel":"next","href":"`+b.BaseURL()+groupsPath+`?page=1&size=2"}`)
		require.Len(t, b.Journal(""), 1)
		assert.Equal(t, b.BaseURL()+groupsPath+"?size=2", b.Journal("")[0].Request.URL)
	}
	status, _ := ask(t, bank, http.MethodGet, "/sandboxes/default"+groupsPath, "", "")
	assert.Equal(t, 404, status, "there is no way to another bank")
	bank.Reset()
	status, _ = ask(t, bank, http.MethodGet, groupsPath, "", "")
	assert.Equal(t, 200, status)
}

// A request to the simulator that names no bank reaches none, and a test whose bank had no request mentions it.
func TestRequestsThatNameNoBank(t *testing.T) {
	text, _ := fails(t, func(t testing.TB, bank *testkit.Bank) {
		res, body := send(t, bank.Client(), http.MethodGet, serviceURL(t, bank)+groupsPath, "")
		assert.Equal(t, 421, res.StatusCode)
		assert.Contains(t, body, `a base URL is `+serviceURL(t, bank)+`/sandboxes/NAME; has the client dropped its path?`)
		t.Errorf("it failed")
	})
	assert.Contains(t, text, "the bank had no request: does the app use its BaseURL? A request to the simulator named no bank: GET http://")
}

func TestBanksEndWithTheirTests(t *testing.T) {
	var address string
	t.Run("a test", func(t *testing.T) { address = testkit.Start(t, testkit.InProcess()).BaseURL() })
	_, err := http.Get(address + groupsPath)
	assert.ErrorContains(t, err, "connection refused")
}

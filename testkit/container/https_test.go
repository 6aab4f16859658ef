package container_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// secureGet sends a request with the client of a bank, and returns the answer.
func secureGet(t testing.TB, bank *testkit.Bank, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	res, err := bank.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

// The banks of the shared container have a fixed host each, at the same time.
func TestAsHostInAContainer(t *testing.T) {
	engine(t)
	for n := range 10 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.AsHost(fixedHost))
			res := secureGet(t, bank, "https://"+fixedHost+groupsPath)
			assert.Equal(t, http.StatusOK, res.StatusCode)
			assert.Equal(t, "HTTP/2.0", res.Proto)
			bank.Verify(testkit.Expect{Operation: "groups.list", Exactly: testkit.Times(1)})
		})
	}
}

// In the shared container, a request by https that drops the path of the base URL reaches no bank, either.
func TestDroppedPathByHTTPS(t *testing.T) {
	engine(t)
	bank := testkit.Start(t)
	service, path, _ := strings.Cut(bank.HTTPSURL(), "/sandboxes/")
	assert.NotEmpty(t, path)
	assert.Equal(t, http.StatusMisdirectedRequest, secureGet(t, bank, service+groupsPath).StatusCode)
}

// A container of one's own publishes the port for https, with a CA of its own.
func TestRunHTTPS(t *testing.T) {
	ctr := run(t)
	bank, shared := testkit.Start(t, testkit.On(ctr), testkit.AsHost(fixedHost)), testkit.Start(t)
	base, err := ctr.HTTPSURL(t.Context())
	require.NoError(t, err)
	assert.Contains(t, bank.HTTPSURL(), base+"/sandboxes/")
	for _, url := range []string{bank.HTTPSURL(), "https://" + fixedHost} {
		assert.Equal(t, http.StatusOK, secureGet(t, bank, url+groupsPath).StatusCode)
	}
	bank.Verify(testkit.Expect{Operation: "groups.list", Exactly: testkit.Times(2)})
	assert.Equal(t, http.StatusOK, secureGet(t, bank, base+groupsPath).StatusCode, "the default sandbox")

	_, control := addresses(t, ctr)
	status, ca := get(t, control+"/ca.pem", "")
	assert.Equal(t, http.StatusOK, status, "the certificate of the CA is for everybody")
	assert.Equal(t, string(bank.CACert()), ca)
	assert.NotEqual(t, shared.CACert(), bank.CACert())
	_, err = shared.Client().Get(base + groupsPath)
	assert.ErrorContains(t, err, "certificate signed by unknown authority")
}

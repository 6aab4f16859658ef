package container_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// In the shared container, a request that drops the path of the base URL reaches no bank. Its answer says what a base URL is.
func TestDroppedPath(t *testing.T) {
	engine(t)
	bank, other := testkit.Start(t), testkit.Start(t)
	service, path, _ := strings.Cut(bank.BaseURL(), "/sandboxes/")
	assert.NotEmpty(t, path)
	status, body := get(t, service+groupsPath, "")
	assert.Equal(t, http.StatusMisdirectedRequest, status)
	assert.Contains(t, body, `"BANKSIM_NO_SANDBOX"`)
	assert.Contains(t, body, "a base URL is "+service+"/sandboxes/NAME; has the client dropped its path?")

	status, body = get(t, bank.Fork().BaseURL()+groupsPath, "")
	assert.Equal(t, http.StatusOK, status, body)
	none := testkit.Expect{Exactly: testkit.Times(0)}
	bank.Verify(none)
	other.Verify(none)
}

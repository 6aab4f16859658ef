package container_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// All banks of a test binary share one container, which many tests use at once: by their URLs, and as a fixed host.
func TestManyAtOnceInAContainer(t *testing.T) {
	engine(t)
	for n := range 100 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, container.Shared(t), testkit.Scenario("empty"), testkit.AsHost(fixedHost))
			for i, base := range []string{bank.BaseURL(), "https://" + fixedHost} {
				createGroup(t, bank, base, fmt.Sprint("Group ", n, i))
			}
			groups := bank.State().Institutions[0].Groups
			assert.Len(t, groups, 2)
			bank.Group(fmt.Sprint("Group ", n, 1))
			bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(2)})
		})
	}
}

// In the shared container, a request that drops the path of the base URL reaches no bank. Its answer says what a base URL is.
func TestDroppedPath(t *testing.T) {
	engine(t)
	bank := testkit.Start(t, container.Shared(t))
	service, path, _ := strings.Cut(bank.BaseURL(), "/sandboxes/")
	assert.NotEmpty(t, path)
	status, body := get(t, bank.Client(), service+groupsPath, "")
	assert.Equal(t, http.StatusMisdirectedRequest, status)
	assert.Contains(t, body, "a base URL is "+service+"/sandboxes/NAME; has the client dropped its path?")
	bank.Verify(testkit.Expect{Times: testkit.Exactly(0)})
}

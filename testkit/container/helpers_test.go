package container_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

const (
	groupsPath = "/digitalbanking/groups/v3/groups"
	fixedHost  = "api.bank.example" // the host of the bank of an app that knows no other
)

// createGroup creates a group as an app would, and returns the status.
func createGroup(t testing.TB, bank *testkit.Bank, name string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, bank.BaseURL()+groupsPath, strings.NewReader(fmt.Sprintf(`{"groupName":%q}`, name)))
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	r.Header.Set("Content-Type", "application/json")
	res, err := bank.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

// groupNames returns the names of the groups that a bank holds.
func groupNames(bank *testkit.Bank) (names []string) {
	for _, g := range bank.State().Institutions[0].Groups {
		names = append(names, g.GroupName)
	}
	return names
}

// ending is a test that ends when its end method is called.
type ending struct {
	testing.TB
	cleanups []func()
}

func (e *ending) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *ending) end() {
	for _, f := range e.cleanups {
		f()
	}
}

package testkit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := testkit.Start(t, testkit.InMemory())
		grant := bank.Login("1001")
		time.Sleep(25 * time.Hour)
		assert.Equal(t, testkit.TokenExpired, bank.TokenStatus(grant.AccessToken))
		fork := bank.Fork()
		assert.Equal(t, 200, createGroup(fork, "Night owls"))
		assert.NotContains(t, groupNames(bank), "Night owls")
		_, err := bank.Client().Get("http://bank.example/")
		assert.ErrorContains(t, err, "a bank in memory has no host bank.example: its BaseURL is the only one")
	})
	assert.Equal(t, 200, createGroup(testkit.Start(t, testkit.InMemory()), "Night owls"), "outside of a bubble, too")
}

// Connection faults are the errors of a real transport.
func TestInMemoryConnectionFaults(t *testing.T) {
	for want, then := range map[error]testkit.Effect{
		syscall.ECONNRESET:       testkit.Reset,
		io.EOF:                   testkit.Close,
		io.ErrUnexpectedEOF:      testkit.Truncate(5),
		context.DeadlineExceeded: testkit.Hang(5 * time.Minute), // longer than the client waits
		nil:                      testkit.Garbage,
	} {
		synctest.Test(t, func(t *testing.T) {
			bank := testkit.Start(t, testkit.InMemory())
			bank.Inject(testkit.Fault{Operation: testkit.GroupsCreate, Then: then})
			_, _, err := request(bank.Client(), http.MethodPost, bank.BaseURL()+groupsPath, "", `{"groupName":"N"}`)
			require.Error(t, err, want)
			assert.True(t, want == nil || errors.Is(err, want), "%v is not %v", err, want)
		})
	}
}

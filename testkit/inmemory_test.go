package testkit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
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
		bank.Inject(testkit.Fault{Operation: "groups.list", When: testkit.When{During: testkit.During{For: time.Hour}},
			Then: testkit.Then{Status: 500}})
		attempts := 0
		for status := 0; status != 200; attempts++ {
			status, _ = ask(t, bank, "GET", groupsPath, "", "")
			time.Sleep(5 * time.Minute)
		}
		assert.Equal(t, 13, attempts)
		grant := bank.Login("1001")
		time.Sleep(25 * time.Hour)
		assert.Equal(t, "expired", bank.TokenStatus(grant.AccessToken))
		bank.Advance(200 * 24 * time.Hour)
		assert.Equal(t, "expired", bank.TokenStatus(grant.RefreshToken))
		fork := bank.Fork()
		assert.Equal(t, 200, createGroup(t, fork, "Night owls"))
		assert.NotContains(t, groupNames(bank), "Night owls")
	})
	assert.Equal(t, 200, createGroup(t, testkit.Start(t, testkit.InMemory()), "Night owls"), "outside of a bubble, too")
}

// Connection faults are the errors of a real transport.
func TestInMemoryConnectionFaults(t *testing.T) {
	for kind, want := range map[testkit.ConnectionKind]error{
		testkit.ConnectionReset: io.EOF, testkit.ConnectionClose: io.EOF, testkit.ConnectionTruncate: io.ErrUnexpectedEOF,
		testkit.ConnectionHang: context.DeadlineExceeded, testkit.ConnectionGarbage: nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			bank := testkit.Start(t, testkit.InMemory())
			connection := testkit.Connection{Kind: kind}
			if kind == testkit.ConnectionHang {
				connection.Hang = 5 * time.Minute // longer than the client waits
			}
			bank.Inject(testkit.Fault{Operation: "groups.create", Then: testkit.Then{Connection: connection}})
			_, _, err := try(bank, http.MethodPost, groupsPath, "", `{"groupName":"Night owls"}`)
			require.Error(t, err, kind)
			if want != nil {
				assert.True(t, errors.Is(err, want), "%s: %v", kind, err)
			}
		})
	}
}

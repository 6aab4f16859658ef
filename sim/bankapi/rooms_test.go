package bankapi_test

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// startWithin starts a simulator in a process with a memory limit.
func startWithin(t *testing.T, limit int64) *simtest.Bank {
	t.Helper()
	before := debug.SetMemoryLimit(limit)
	defer debug.SetMemoryLimit(before)
	return simtest.Start(t, server.Config{})
}

// largeGroup returns a request for a group, with a body that is as large as it may be.
func largeGroup(number int) simtest.Call {
	body := fmt.Sprintf(`{"groupName":"g-%d"}`, number)
	return createGroup.WithBody(body + strings.Repeat(" ", 1<<20-len(body)))
}

// Large bodies of one sandbox that a fault delays leave half of the room to other sandboxes. What exceeds the half is
// refused at once, and recorded.
func TestDelayedBodiesLeaveRoom(t *testing.T) { // not parallel: it sets the memory limit
	for name, c := range map[string]struct {
		operation, then string
		delayed         int
	}{
		"before":         {"groups.create", "{delay: 4m}", 8},
		"upload, before": {"groups.uploadParticipants", "{delay: 4m}", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := startWithin(t, 64<<20) // a quarter for requests, 8 MiB of that for one sandbox
			sc := simtest.Scenario(t, simtest.WithFaults(
				"- {name: slow, operation: "+c.operation+", then: "+c.then+"}\n"))
			_, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: "slow", Scenario: sc})
			require.NoError(t, err)
			slow := b.In("slow")
			large := largeGroup
			if c.operation == "groups.uploadParticipants" {
				large = func(int) simtest.Call {
					rest := 1<<20 - len(simtest.Multipart("ADD", ""))
					return simtest.UploadParticipants.With("content-type", simtest.MultipartType).
						WithBody(simtest.Multipart("ADD", strings.Repeat("x", rest)))
				}
			}
			answers := make(chan simtest.Answer, c.delayed)
			for n := range c.delayed {
				go func() {
					res, _ := large(n).Try(slow)
					answers <- res
				}()
			}
			slow.AwaitFired(c.delayed)
			res := large(c.delayed).Expect(slow, http.StatusTooManyRequests)
			assert.Equal(t, "BANKSIM_OVERLOADED", res.Code())
			assert.Equal(t, "2", res.Header.Get("Retry-After"))
			assert.Contains(t, slow.ExchangeOf(res).Decision.Message, "leave no room for a body of this size")
			largeGroup(0).Expect(b, 200, "another sandbox has room")
			require.NoError(t, b.Server.Shutdown(t.Context())) // which ends delays
			for range c.delayed {
				<-answers
			}
		})
	}
}

// Callers fill a bank until its part of the memory is used up, whatever they fill it with.
func TestBankIsFull(t *testing.T) { // not parallel: it sets the memory limit
	for name, c := range map[string]struct {
		call simtest.Call
		most int
	}{
		"texts":  {simtest.CreateAlert.WithBody(`{"additionalInfo":{"a":"` + strings.Repeat("x", 8000) + `"}}`), 150},
		"tokens": {simtest.IssueTokens, 4000},
	} {
		t.Run(name, func(t *testing.T) {
			b := startWithin(t, 8<<20) // a quarter is kept, 1 MiB of that by one sandbox
			accepted := 0
			res := c.call.Send(b)
			for ; res.StatusCode < 300; accepted++ {
				require.Less(t, accepted, c.most)
				res = c.call.Send(b)
			}
			require.Equal(t, http.StatusInsufficientStorage, res.StatusCode, res.Body)
			assert.Contains(t, res.Body, "no memory left for what this bank would keep")
			assert.Greater(t, accepted, c.most/4)
			simtest.ListGroups.Expect(b, 200)
			b.ControlSandbox(204, "POST /reset", "")
			assert.Less(t, c.call.Send(b).StatusCode, 300)
		})
	}
}

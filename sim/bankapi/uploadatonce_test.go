package bankapi_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Of many uploads into a group at the same time one begins a job, and the others are refused; so it is again when that has
// ended. A group of the same id in another sandbox takes an upload meanwhile.
func TestOneImportAtATime(t *testing.T) {
	t.Parallel()
	const senders = 50
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", simtest.JSON(map[string]string{"name": "other", "scenarioYaml": simtest.FrozenRetail}))
	b.Client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}, Timeout: time.Minute}
	defer b.Client.CloseIdleConnections()
	for round := 1; round <= 2; round++ {
		answers := make([]simtest.Answer, senders)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				var err error
				answers[i], err = simtest.UploadParticipants.Try(b)
				assert.NoError(t, err)
			})
		}
		all.Wait()
		started := 0
		for _, res := range answers {
			if res.StatusCode == http.StatusOK {
				started++
				continue
			}
			assert.Equal(t, []any{400, "2001"}, []any{res.StatusCode, res.Code()}, res.Body)
		}
		assert.Equal(t, 1, started, "round %d", round)
		running, ended := 0, 0
		for j := range b.World().Jobs("02688") {
			if j.Running() {
				running++
			} else {
				ended++
			}
		}
		assert.Equal(t, []int{1, round}, []int{running, ended}, "with the job of the scenario")
		b.Advance(time.Minute)
	}
	assert.Equal(t, http.StatusOK, simtest.UploadParticipants.Send(b.In("other")).StatusCode)
}

package sandbox_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const unseeded = "name: unseeded\nextends: base\n"

// Requests that need the same key at the same time have it made once, whichever listener they came to.
func TestKeysAreMadeOnce(t *testing.T) {
	b := simtest.StartScenario(t, unseeded)
	var made atomic.Int32
	sandbox.OnKey(t, func() { made.Add(1) })
	urls := []string{
		b.Server.ServiceURL() + contract.KeySetPath, b.Server.ControlURL() + "/v1/sandboxes/default/keys",
	}
	var all sync.WaitGroup
	for i := range 16 {
		r := b.Request("GET", urls[i%2], "")
		all.Go(func() { assert.Equal(t, 200, b.Do(r).StatusCode) })
	}
	all.Wait()
	assert.EqualValues(t, 1, made.Load())
}

// A request whose sandbox is reset each time that its key is made is refused in the end.
func TestResetsWhileKeysAreMade(t *testing.T) {
	b := simtest.StartScenario(t, unseeded)
	made := 0
	sandbox.OnKey(t, func() {
		if made++; made <= 10 {
			b.Sandbox.Reset(t.Context(), "")
		}
	})
	res := b.Do(b.Request("GET", b.Server.ServiceURL()+contract.KeySetPath, ""))
	assert.Equal(t, 503, res.StatusCode, res.Body)
	assert.Equal(t, "1", res.Header.Get("Retry-After"))
	assert.Equal(t, string(contract.GenerationEnded), b.ExchangeOf(res).Decision.Rule)
	assert.Equal(t, 3, made)
}

package infer

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// bank is a bank in this process that no port leads to.
type bank struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

// answer is what a bank answers, and why.
type answer struct {
	status   int
	body     []byte
	decision journal.Decision
}

// openBank returns a bank that begins as a scenario says.
func openBank(sc *scenario.Scenario) bank {
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Entries: 1})
	return bank{sandboxes, bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})}
}

func (b bank) close() { b.sandboxes.Close() }

// ask moves the clock to a time that is later than the clock's, and sends a request.
func (b bank) ask(at time.Time, r *http.Request) answer {
	sb := b.sandboxes.Default()
	if now := sb.Known().Now; at.Sub(now) >= time.Second {
		_, _ = sb.Update(context.Background(), func(tx *sandbox.Tx) (sandbox.Draft, error) { // in memory: it can't fail
			tx.Clock = tx.Clock.Set(at, tx.Wall)
			return nil, nil
		})
	}
	id, w := "", httptest.NewRecorder()
	sender := journal.Sender{Note: func(noted string) { id = noted }}
	b.handler.ServeHTTP(w, r.WithContext(journal.WithSender(r.Context(), sender)))
	x, _ := sb.Known().Journal.Get(id)
	return answer{w.Code, w.Body.Bytes(), x.Decision}
}

// Package scratch answers captures with banks that no port leads to, and finds the bank behind a capture with them.
package scratch

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// bank is a bank that no port leads to.
type bank struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

// Open opens a bank in this process. It implements infer.Open.
func Open(sc *scenario.Scenario) infer.Bank {
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Entries: 1})
	return bank{sandboxes, bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})}
}

func (b bank) Close() { b.sandboxes.Close() }

// Ask moves the clock to a time that is later than the clock's, and sends a request.
func (b bank) Ask(at time.Time, r *http.Request) infer.Answer {
	sb := b.sandboxes.Default()
	if now := sb.Known().Now; at.Sub(now) >= time.Second {
		_, _ = sb.Update(context.Background(), func(tx *sandbox.Tx) (*journal.Raw, error) { // in memory: it can't fail
			tx.Clock = tx.Clock.Set(at, tx.Wall)
			return nil, nil
		})
	}
	id, w := "", httptest.NewRecorder()
	b.handler.ServeHTTP(w, r.WithContext(journal.WithNote(r.Context(), &id)))
	x, _ := sb.Known().Journal.Get(id)
	return infer.Answer{Status: w.Code, Body: w.Body.Bytes(), Decision: x.Decision}
}

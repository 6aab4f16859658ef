package server

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

// scratch is a bank that no port leads to.
type scratch struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

// OpenScratch opens a bank in this process. It implements infer.Open.
func OpenScratch(sc *scenario.Scenario) infer.Bank {
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Entries: 1})
	return scratch{sandboxes, bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})}
}

func (s scratch) Close() { s.sandboxes.Close() }

// Ask moves the clock to a time that is later than the clock's, and sends a request.
func (s scratch) Ask(at time.Time, r *http.Request) infer.Answer {
	bank := s.sandboxes.Default()
	if now := bank.Known().Now; at.Sub(now) >= time.Second {
		_, _ = bank.Update(context.Background(), func(tx *sandbox.Tx) (*journal.Raw, error) { // in memory: it can't fail
			tx.Clock = tx.Clock.Set(at, tx.Wall)
			return nil, nil
		})
	}
	id, w := "", httptest.NewRecorder()
	s.handler.ServeHTTP(w, r.WithContext(journal.WithNote(r.Context(), &id)))
	x, _ := bank.Known().Journal.Get(id)
	return infer.Answer{Status: w.Code, Body: w.Body.Bytes(), Decision: x.Decision}
}

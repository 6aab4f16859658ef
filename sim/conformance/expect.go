package conformance

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// frozenRetail is the bank of the golden exchanges.
const frozenRetail = "name: expected\nextends: retail\nclock: {run: false}\n"

// simulator is a simulator in this process, which says what to expect of a service with certain switches.
type simulator struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

func newSimulator(b *sim.Behavior) (*simulator, error) {
	retail, err := scenario.Parse("expected.yaml", []byte(frozenRetail))
	if err != nil {
		return nil, fmt.Errorf("loading the bank of the golden exchanges: %w", err)
	}
	retail.World = retail.World.Fork()
	retail.World.SetBehavior(*b)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: retail})
	handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	return &simulator{sandboxes, handler}, nil
}

func (s *simulator) close() { s.sandboxes.Close() }

// expecting returns an exchange with the answer that the simulator gives under the switches in force, and the entries that
// this answer rests on. Its requests are sent with the request ids and the names of a replay.
func (r *replayer) expecting(e fixtures.Exchange, sent *substitution) (fixtures.Exchange, error) {
	own := &substitution{names: sent.names, ids: sent.ids, keeps: sent.keeps, token: sent.token}
	sb := r.simulator.sandboxes.Default()
	sb.Reset()
	ids := fixtures.IDs{}
	for _, request := range e.Before {
		got := r.simulator.answer(own.withIDs(request, ids))
		if got.status >= 300 {
			return e, skipped("needs a preceding request that is refused under the switches of the service")
		}
		ids.Learn(got.body)
	}
	before := sb.Now().Journal.Last()
	got := r.simulator.answer(own.withIDs(e.Request, ids))
	e.Answer = fixtures.Answer{Status: got.status, Headers: map[string]string{}}
	for name, values := range got.header {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Date", "Content-Length", "Banksim-Exchange", contract.ScenarioHeader.Name:
			continue
		}
		e.Answer.Headers[name] = strings.Join(values, ", ")
		for golden, id := range sent.ids {
			if id == e.Answer.Headers[name] {
				e.Answer.Headers[name] = golden
			}
		}
	}
	if len(got.body) > 0 && e.Request.Method != http.MethodHead {
		e.Answer.JSON = bytes.TrimSpace(got.body)
	}
	if number := sb.Now().Journal.Last(); number > before {
		if x, ok := sb.Now().Journal.Get(strconv.FormatUint(number, 10)); ok {
			e.Entries = x.Decision.Entries
		}
	}
	return e, nil
}

// answer returns the simulator's answer to a request.
func (s *simulator) answer(r fixtures.Request) answer {
	req, err := http.NewRequestWithContext(context.Background(), r.Method, "http://expected.invalid"+r.Path, strings.NewReader(r.Content()))
	if err != nil {
		panic("conformance: a golden exchange has a request that is none: " + err.Error())
	}
	if r.Chunked {
		req.ContentLength = -1
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	req.RequestURI, req.RemoteAddr = req.URL.RequestURI(), "192.0.2.1:1"
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}

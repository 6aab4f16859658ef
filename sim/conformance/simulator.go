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
	"sync"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// goldenBank returns the bank of the golden exchanges.
var goldenBank = sync.OnceValues(func() (*scenario.Scenario, error) {
	return scenario.Parse("expected.yaml", []byte("name: expected\nextends: retail\nseed: 7\nclock: {run: false}\n"))
})

// setting is what a service is taken for: a simulator that says what to expect of it, and its policy in the dialect
// that is checked.
type setting struct {
	policy    *sim.Policy
	simulator *simulator
}

func newSetting(b sim.Behavior, dialect sim.Dialect) (setting, error) {
	policies := contract.NewPolicies(b)
	s, err := newSimulator(policies)
	return setting{policies.In(dialect), s}, err
}

// simulator is a simulator in this process.
type simulator struct {
	sandboxes *sandbox.Registry
	handler   http.Handler
}

func newSimulator(policies *sim.Policies) (*simulator, error) {
	golden, err := goldenBank()
	if err != nil {
		return nil, fmt.Errorf("loading the bank of the golden exchanges: %w", err)
	}
	retail := *golden
	retail.World = retail.World.Fork()
	retail.World.SetPolicies(policies)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: &retail})
	handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	return &simulator{sandboxes, handler}, nil
}

// expecting returns an exchange with the simulator's answer and its entries, and the ids that the simulator gave.
func (s *simulator) expecting(e fixtures.Exchange, sub *substitution) (fixtures.Exchange, fixtures.IDs, error) {
	if err := s.reset(); err != nil {
		return e, nil, err
	}
	ids := fixtures.IDs{}
	for _, request := range e.Before {
		got := s.answer(sub.withIDs(request, ids))
		if got.status >= 300 {
			return e, nil, skipped("needs a preceding request that is refused under the switches of the service")
		}
		ids.Learn(got.body)
	}
	return s.answering(e, sub, ids), ids, nil
}

// reset puts the bank back to its start.
func (s *simulator) reset() error { return s.sandboxes.Default().Reset(context.Background(), "") }

// answering returns an exchange with the simulator's answer to its last request, and the entries of the answer.
func (s *simulator) answering(e fixtures.Exchange, sub *substitution, ids fixtures.IDs) fixtures.Exchange {
	sb := s.sandboxes.Default()
	before := sb.Known().Journal.Last()
	got := s.answer(sub.withIDs(e.Request, ids))
	e.Answer = fixtures.Answer{Status: got.status, Headers: map[string]string{}}
	for name, values := range got.header {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Date", "Content-Length", "Banksim-Exchange", contract.ScenarioHeader.Name:
			continue
		}
		e.Answer.Headers[name] = strings.Join(values, ", ")
		for golden, id := range sub.requestIDs {
			if id == e.Answer.Headers[name] {
				e.Answer.Headers[name] = golden
			}
		}
	}
	if len(got.body) > 0 && e.Request.Method != http.MethodHead {
		e.Answer.JSON = bytes.TrimSpace(got.body)
	}
	if number := sb.Known().Journal.Last(); number > before {
		if x, ok := sb.Known().Journal.Get(strconv.FormatUint(number, 10)); ok {
			e.Entries = x.Decision.Entries
		}
	}
	return e
}

// answer returns the simulator's answer to a request.
func (s *simulator) answer(r fixtures.Request) answer {
	req := httptest.NewRequest(r.Method, r.Path, strings.NewReader(r.Content()))
	if r.Chunked {
		req.ContentLength = -1
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.Bytes(), false}
}

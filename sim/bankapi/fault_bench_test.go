package bankapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// BenchmarkFaultStep measures groups.list without the fault step and with it, where there are no rules, and the step
// alone: what is left of an operation that does nothing.
func BenchmarkFaultStep(b *testing.B) {
	sc, err := scenario.Load("retail")
	require.NoError(b, err)
	h := New(Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Log: slog.New(slog.DiscardHandler)})
	sb := h.Sandboxes.Default()
	r := httptest.NewRequest(http.MethodGet, contract.GroupsList.Path+"?size=20", nil)
	r.Header.Set("transactionId", "t-1")
	op := h.routes.find(r)
	idle := *op
	idle.handle = func(c *call) (reply, error) { return c.emptyReply(), nil }
	w := httptest.NewRecorder()
	request := func(op *route) *call {
		return &call{generation: sb.Generation(), asked: op, route: op, family: op.Family, request: r, baseURL: "http://127.0.0.1:8080", query: query{{"size", "20"}}}
	}
	c := request(op)
	rep, err := h.run(sb, c)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, rep.status)
	for name, step := range map[string]func() (reply, error){
		"list, without":    func() (reply, error) { return h.run(sb, request(op)) },
		"list, with":       func() (reply, error) { return h.perform(w, sb, request(op)) },
		"nothing, without": func() (reply, error) { return h.run(sb, request(&idle)) },
		"nothing, with":    func() (reply, error) { return h.perform(w, sb, request(&idle)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rep, _ := step()
				_, _ = io.Discard.Write(rep.body)
			}
		})
	}
}

package controlapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// A sandbox from the bank behind a journal answers as the journal's bank did.
func TestInfer(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Inference: infer.Inference()})
	simtest.Calls["tokens.issue"].Send(b) // masks shorten its answer
	calls := []simtest.Call{simtest.ListGroups, simtest.UpdateUser, simtest.CreateGroup, simtest.ListGroups}
	var want []int
	for _, call := range calls {
		want = append(want, call.Send(b).StatusCode)
	}
	simtest.NewCall("GET", "/other", "").Send(b)
	har := get(b, "/journal.har")

	found := simtest.Decode[controlapi.Inferred](t, b.Control(200, "POST /v1/infer?name=mine&stubs=true", har))
	assert.Equal(t, 5, found.Agree)
	assert.Empty(t, found.Unexplained)
	assert.Equal(t, []string{"GET /other"}, found.Others)
	assert.Equal(t, 1, found.Stubs)
	assert.NotEmpty(t, found.Unmasked)

	plan := simtest.JSON(map[string]string{"name": "found", "scenarioYaml": found.YAML})
	assert.Equal(t, "mine", simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", plan)).Scenario)
	other := b.In("found")
	var got []int
	for _, call := range calls {
		got = append(got, call.WithToken("demo-token-1").Send(other).StatusCode)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, 401, simtest.UpdateUser.Send(other).StatusCode, "the token of the capture stays in it")
	assert.Equal(t, 404, simtest.NewCall("GET", "/other", "").Send(other).StatusCode)
	assert.Equal(t, "stubbed", string(other.Last().Decision.Outcome))
}

// A capture that can't be read, that is too large, or that comes while another one is answered, is refused.
func TestInferRefusals(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error)
	wait := func(ctx context.Context, _ []byte, _ string, _ bool) (controlapi.Inferred, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return controlapi.Inferred{}, ctx.Err()
	}
	bank := simtest.Start(t, server.Config{Inference: infer.Inference()})
	detail := decodeProblem(t, bank.Control(422, "POST /v1/infer", "{}")).Detail
	assert.Contains(t, detail, "the capture has no exchanges")

	slow := simtest.Start(t, server.Config{Inference: controlapi.Inference{MaxBytes: 2 << 20, Find: wait}})
	detail = decodeProblem(t, slow.Control(413, "POST /v1/infer", strings.Repeat(" ", 2<<20+1))).Detail
	assert.Equal(t, "the body is larger than 2097152 bytes", detail)
	assert.Contains(t, slow.Control(200, "GET /v1/info", "").Body, `"captureBytes":2097152`)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, err := http.NewRequestWithContext(ctx, "POST", slow.Server.ControlURL()+"/v1/infer", strings.NewReader("{}"))
	require.NoError(t, err)
	go func() { _, _ = slow.Client.Do(first) }()
	<-begun
	refused := slow.Control(429, "POST /v1/infer", "{}")
	assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled, "the search ends with the request")

	none := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Contains(t, decodeProblem(t, none.Control(404, "POST /v1/infer", "{}")).Detail, "runs within a test")
}

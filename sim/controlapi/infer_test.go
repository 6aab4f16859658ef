package controlapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// A sandbox from the bank behind a journal answers as the journal's bank did.
func TestInfer(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Inference: infer.Inference()})
	calls := []simtest.Call{simtest.ListGroups, simtest.UpdateUser, simtest.CreateGroup, simtest.ListGroups,
		simtest.NewCall("GET", "/other", "")}
	want, got := []int{}, []int{}
	for _, call := range calls {
		want = append(want, call.Send(b).StatusCode)
	}
	found := simtest.Decode[controlapi.Inferred](
		t, b.Control(200, "POST /v1/infer?name=mine&stubs=true", get(b, "/journal.har")),
	)
	assert.Equal(t, []string{"GET /other"}, found.Others)
	assert.Equal(t, 1, found.Stubs)

	plan := simtest.JSON(map[string]string{"name": "found", "scenarioYaml": found.YAML})
	assert.Contains(t, b.Control(201, "POST /v1/sandboxes", plan).Body, `"scenario":"mine"`)
	for _, call := range calls {
		got = append(got, call.WithToken("demo-token-1").Send(b.In("found")).StatusCode)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, 401, simtest.UpdateUser.Send(b.In("found")).StatusCode, "the token of the capture stays in it")
}

// A capture that can't be read, that is too large, or that comes while another one is answered, is refused.
func TestInferRefusals(t *testing.T) {
	t.Parallel()
	bank := simtest.Start(t, server.Config{Inference: infer.Inference()})

	begun, ended := make(chan struct{}), make(chan error)
	slow := simtest.Start(t, server.Config{Inference: controlapi.Inference{MaxBytes: 2 << 20,
		Find: func(ctx context.Context, _ []byte, _ string, _ bool, _ []string) (found controlapi.Inferred, err error) {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return found, ctx.Err()
		}}})
	large := slow.Control(413, "POST /v1/infer", strings.Repeat(" ", 2<<20+1)).Body
	assert.Contains(t, large, "the body is larger than 2097152 bytes")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := slow.Request("POST", slow.Server.ControlURL()+"/v1/infer", "{}").WithContext(ctx)
	go func() { _, _ = slow.Try(first) }()
	<-begun
	assert.NotEmpty(t, slow.Control(429, "POST /v1/infer", "{}").Header.Get("Retry-After"))
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled, "the search ends with the request")

	sending, send := io.Pipe()
	late, err := http.NewRequestWithContext(t.Context(), "POST", bank.Server.ControlURL()+"/v1/infer", sending)
	require.NoError(t, err)
	answered := make(chan *http.Response)
	go func() {
		res, _ := http.DefaultClient.Do(late)
		answered <- res
	}()
	_, err = send.Write([]byte("{"))
	require.NoError(t, err)
	other := bank.Control(422, "POST /v1/infer", "{}") // a capture that isn't there as a whole keeps nobody waiting
	assert.Contains(t, other.Body, "the capture has no exchanges")
	_, err = send.Write([]byte("}"))
	require.NoError(t, err)
	require.NoError(t, send.Close())
	res := <-answered
	assert.Equal(t, 422, res.StatusCode)
	require.NoError(t, res.Body.Close())

}

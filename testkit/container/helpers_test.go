package container_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	apicontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

const (
	groupsPath = "/digitalbanking/groups/v3/groups"
	fixedHost  = "api.bank.example" // the host of the bank of an app that knows no other
)

// engine returns a client of the Docker engine that BANKSIM_REQUIRE_DOCKER=1 promises. Without it, the test is skipped;
// and so are all but one, which shows that containers work, unless BANKSIM_NIGHT=1 asks for them.
func engine(t testing.TB) *testcontainers.DockerClient {
	t.Helper()
	switch {
	case os.Getenv("BANKSIM_REQUIRE_DOCKER") != "1":
		t.Skip("it needs a Docker engine: it runs with BANKSIM_REQUIRE_DOCKER=1")
	case os.Getenv("BANKSIM_NIGHT") != "1" && t.Name() != "TestRun":
		t.Skip("TestRun runs a container every day: this one runs with BANKSIM_NIGHT=1")
	}
	docker, err := testcontainers.NewDockerClientWithOpts(t.Context())
	require.NoError(t, err)
	_, err = docker.Ping(t.Context(), client.PingOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = docker.Close() })
	return docker
}

// containers returns the containers that carry a label.
func containers(t testing.TB, docker *testcontainers.DockerClient, label string) []apicontainer.Summary {
	t.Helper()
	list, err := docker.ContainerList(
		t.Context(), client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", label)},
	)
	require.NoError(t, err)
	return list.Items
}

// run starts a container that ends with the test.
func run(t testing.TB, opts ...testcontainers.ContainerCustomizer) *container.Container {
	t.Helper()
	engine(t)
	ctr, err := container.Run(t.Context(), "", opts...)
	testcontainers.CleanupContainer(t, ctr)
	require.NoError(t, err)
	return ctr
}

// on puts a bank on a container.
func on(t testing.TB, ctr *container.Container) testkit.Option {
	t.Helper()
	running, err := ctr.Simulator(t.Context())
	require.NoError(t, err)
	return testkit.OnSimulator(running)
}

// addresses returns the URLs of a container.
func addresses(t testing.TB, ctr *container.Container) (service, control string) {
	t.Helper()
	service, err := ctr.BaseURL(t.Context())
	require.NoError(t, err)
	control, err = ctr.ControlURL(t.Context())
	require.NoError(t, err)
	return service, control
}

// get sends a request and returns the status and the body.
func get(t testing.TB, client *http.Client, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(r)
	require.NoError(t, err)
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, string(data)
}

// answers reports whether anything answers at a URL.
func answers(url string) bool {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err == nil {
		_ = res.Body.Close()
	}
	return err == nil
}

// createGroup creates a group at a base URL as an app would.
func createGroup(t testing.TB, bank *testkit.Bank, base, name string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, base+groupsPath,
		strings.NewReader(`{"groupName":"`+name+`"}`))
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	r.Header.Set("Content-Type", "application/json")
	res, err := bank.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
}

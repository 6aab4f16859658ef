package container_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"time"

	apicontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

func TestRun(t *testing.T) {
	ctr := run(t)
	service, control := addresses(t, ctr)
	status, body := get(t, http.DefaultClient, service+groupsPath, "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"totalElements":23`)
	status, _ = get(t, http.DefaultClient, control+"/v1/info", "")
	assert.Equal(t, http.StatusUnauthorized, status, "the control API needs its token")
	status, _ = get(t, http.DefaultClient, control+"/v1/info", ctr.ControlToken())
	assert.Equal(t, http.StatusOK, status)

	// The container has no right that the simulator doesn't need.
	inspected, err := ctr.Inspect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "65532:65532", inspected.Config.User)
	assert.Equal(t, []string{"ALL"}, []string(inspected.HostConfig.CapDrop))
	assert.True(t, inspected.HostConfig.AutoRemove)

	// The engine checks its health.
	require.Eventually(t, func() bool {
		inspected, err := ctr.Inspect(t.Context())
		return err == nil && inspected.State.Health != nil && inspected.State.Health.Status == apicontainer.Healthy
	}, time.Minute, 50*time.Millisecond)

	// It has an https listener, with a CA of its own.
	bank := testkit.Start(t, on(t, ctr), testkit.HTTPS(), testkit.AsHost(fixedHost))
	other := testkit.Start(t, container.Shared(t), testkit.HTTPS())
	base, err := ctr.HTTPSURL(t.Context())
	require.NoError(t, err)
	assert.Contains(t, bank.BaseURL(), base+"/sandboxes/")
	for _, url := range []string{bank.BaseURL(), "https://" + fixedHost, base} {
		status, _ = get(t, bank.Client(), url+groupsPath, "")
		assert.Equal(t, http.StatusOK, status)
	}
	bank.Verify(testkit.Expect{Operation: testkit.GroupsList, Times: testkit.Exactly(2)})
	_, err = other.Client().Get(base + groupsPath)
	assert.ErrorContains(t, err, "certificate signed by unknown authority")
}

func TestRunOptions(t *testing.T) {
	const mine = "name: mine\nextends: empty\ninstitutions: [{institutionId: '02688', groups: [{groupName: Mine alone}]}]\n"
	for name, test := range map[string]struct {
		opts []testcontainers.ContainerCustomizer
		want string
	}{
		"name, which is the last": {[]testcontainers.ContainerCustomizer{
			container.WithScenarioYAML(mine), container.WithScenario("empty")}, `"totalElements":0`},
		"YAML": {[]testcontainers.ContainerCustomizer{container.WithScenarioYAML(mine)}, `"groupName":"Mine alone"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _ := addresses(t, run(t, test.opts...))
			_, body := get(t, http.DefaultClient, service+groupsPath, "")
			assert.Contains(t, body, test.want)
		})
	}
	t.Run("seed and token", func(t *testing.T) {
		t.Parallel()
		ctr := run(
			t, container.WithSeed(99), testcontainers.WithEnv(map[string]string{"BANKSIM_CONTROL_TOKEN": "known"}),
		)
		_, control := addresses(t, ctr)
		assert.Equal(t, "known", ctr.ControlToken())
		_, body := get(t, http.DefaultClient, control+"/v1/sandboxes/default", "known")
		assert.Contains(t, body, `"seed":99`)
	})
}

// A start that fails says why, and leaves no container behind: not even one that was only created, or that the engine
// was told to keep.
func TestRunFails(t *testing.T) {
	docker := engine(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	port := netip.MustParseAddrPort(taken.Addr().String()).Port()
	for name, test := range map[string]struct {
		image string
		opts  []testcontainers.ContainerCustomizer
		want  string
	}{
		"no such image": {image: "banksim.invalid/no-such-image:none", want: "banksim.invalid"},
		"created": {want: "start container", opts: []testcontainers.ContainerCustomizer{
			testcontainers.WithHostConfigModifier(func(host *apicontainer.HostConfig) {
				host.PortBindings[network.MustParsePort("8080/tcp")] = []network.PortBinding{
					{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: fmt.Sprint(port)},
				}
			})}},
		"ended, and kept": {want: `/scenarios/scenario.yaml:1:10: unknown scenario "retial"`,
			opts: []testcontainers.ContainerCustomizer{container.WithScenarioYAML("extends: retial\n"),
				testcontainers.WithHostConfigModifier(func(host *apicontainer.HostConfig) {
					host.AutoRemove = false
				})}},
		"no such network": {want: "does the network exist?", opts: []testcontainers.ContainerCustomizer{
			container.WithNetwork("banksim-no-such-network")}},
		"never ready": {want: "msg=serving", opts: []testcontainers.ContainerCustomizer{
			testcontainers.WithWaitStrategyAndDeadline(time.Second, wait.ForLog("it never says this"))}},
	} {
		t.Run(name, func(t *testing.T) {
			label := fmt.Sprintf("banksim-failed-%d", os.Getpid())
			opts := append(test.opts, testcontainers.WithLabels(map[string]string{label: "1"}))
			ctr, err := container.Run(t.Context(), test.image, opts...)
			assert.Nil(t, ctr)
			assert.ErrorContains(t, err, test.want)
			require.Eventually(
				t, func() bool { return len(containers(t, docker, label)) == 0 }, 10*time.Second, 10*time.Millisecond,
			)
		})
	}
}

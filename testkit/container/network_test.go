package container_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// A bank on a container of a network is the bank of apps that run in other containers, with all that a bank can do. The
// app of this test is a check, which runs from the same image.
func TestContainerisedApp(t *testing.T) {
	engine(t)
	net, err := network.New(t.Context())
	testcontainers.CleanupNetwork(t, net)
	require.NoError(t, err)
	for name, aliases := range map[string][]string{"by its alias": {"bank", "core"}, "by its id": nil} {
		t.Run(name, func(t *testing.T) {
			ctr := run(t, container.WithNetwork(net.Name, aliases...))
			bank := testkit.Start(t, on(t, ctr))
			url, err := ctr.NetworkURL(bank)
			require.NoError(t, err)
			if aliases != nil {
				assert.Contains(t, url, "http://bank:8080/sandboxes/")
			}
			bank.Inject(testkit.Fault{Operation: testkit.GroupsList, Then: testkit.Status(500)})
			inspected, err := ctr.Inspect(t.Context())
			require.NoError(t, err)
			app, err := testcontainers.Run(t.Context(), inspected.Config.Image,
				testcontainers.WithCmd("check", "--base-url", url, "--only", "groups.list/200-first-page"),
				network.WithNetwork(nil, net), testcontainers.WithWaitStrategyAndDeadline(time.Minute, wait.ForExit()))
			testcontainers.CleanupContainer(t, app)
			require.NoError(t, err)
			bank.Verify(testkit.Expect{Operation: testkit.GroupsList, Status: 500}) // the app reached the bank
		})
	}
	ctr := run(t)
	_, err = ctr.NetworkURL(testkit.Start(t, on(t, ctr)))
	assert.ErrorContains(t, err, "run it with container.WithNetwork")
}

package container_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// silence is longer than the container's time without a request: -silence 130s waits for that of the shared container, too.
var silence = flag.Duration("silence", 1500*time.Millisecond, "how long TestSilence is silent")

// lineOf returns what follows a prefix, on the first line that has it.
func lineOf(t testing.TB, from io.Reader, prefix string) string {
	t.Helper()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return text
		}
	}
	require.Fail(t, "the child printed no line that begins with "+prefix)
	return ""
}

// answers reports whether anything answers at a URL.
func answers(url string) bool {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return true
}

// A container doesn't end under a test run that is silent for longer than the container's time without a request.
func TestSilence(t *testing.T) {
	engine(t)
	ctr := run(t, container.WithExitWhenIdle(time.Second))
	before := testkit.Start(t)
	time.Sleep(*silence) // nothing is waited for: nothing is to happen
	assert.Equal(t, 200, createGroup(t, testkit.Start(t, testkit.On(ctr)), "Night owls"))
	after := testkit.Start(t)
	assert.Equal(t, 200, createGroup(t, before, "Night owls"))
	assert.Equal(t, 200, createGroup(t, after, "Night owls"))
	host, _, _ := strings.Cut(before.ControlURL(), "/v1/")
	assert.Contains(t, after.ControlURL(), host, "it is the same container")
}

// A container that is reused by its name keeps its token, and doesn't end with one of its users.
func TestReuse(t *testing.T) {
	engine(t)
	name := "banksim-reuse-" + strings.ToLower(t.Name())
	reuse := testcontainers.WithReuseByName(name)
	first := run(t, reuse, container.WithExitWhenIdle(time.Minute))
	second, err := container.Run(t.Context(), "", reuse)
	require.NoError(t, err)
	assert.Equal(t, first.GetContainerID(), second.GetContainerID())
	assert.Equal(t, first.ControlToken(), second.ControlToken())
	assert.Equal(t, 200, createGroup(t, testkit.Start(t, testkit.On(second)), "Night owls"))
}

// By default a container is gone once it has stopped, and Start says so. One that the engine keeps can be started again.
func TestStopAndStart(t *testing.T) {
	engine(t)
	gone := run(t)
	require.NoError(t, gone.Stop(t.Context(), nil))
	assert.ErrorContains(t, gone.Start(t.Context()), "it was removed when it ended: Run another one, or let the engine keep it (AutoRemove = false)")

	kept := run(t, testcontainers.WithHostConfigModifier(keep))
	inspected, err := kept.Inspect(t.Context())
	require.NoError(t, err)
	assert.True(t, inspected.HostConfig.ReadonlyRootfs, "the option doesn't replace the others")
	require.NoError(t, kept.Stop(t.Context(), nil))
	require.NoError(t, kept.Start(t.Context()))
	assert.Equal(t, 200, createGroup(t, testkit.Start(t, testkit.On(kept)), "Night owls"))
}

// A shared container that was killed is replaced for the next bank.
func TestKilledContainer(t *testing.T) {
	docker := engine(t)
	bank := testkit.Start(&ending{TB: t}) // its end would fail
	control, err := url.Parse(bank.ControlURL())
	require.NoError(t, err)
	list, err := docker.ContainerList(t.Context(), client.ContainerListOptions{})
	require.NoError(t, err)
	for _, ctr := range list.Items {
		for _, port := range ctr.Ports {
			if fmt.Sprint(port.PublicPort) == control.Port() {
				_, err := docker.ContainerKill(t.Context(), ctr.ID, client.ContainerKillOptions{})
				require.NoError(t, err)
			}
		}
	}
	require.Eventually(t, func() bool { return !answers(bank.ControlURL()) }, 10*time.Second, 10*time.Millisecond)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		again, err := testkit.Started(t.Context())
		if assert.NoError(c, err) {
			assert.NotEqual(c, control.Host, strings.Split(again.ControlURL(), "/")[2])
			assert.NoError(c, again.Close())
		}
	}, time.Minute, 10*time.Millisecond)
}

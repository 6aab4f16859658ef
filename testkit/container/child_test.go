package container_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// childVariable is what this test binary has to do when it runs itself: a name and an argument.
const childVariable = "BANKSIM_TESTKIT_CHILD"

// children are what other tests run in another process of this test binary.
var children = map[string]func(t *testing.T, argument string){
	// ends runs a container and prints its image; its argument is a label for the container.
	"ends": func(t *testing.T, label string) {
		ctr, err := container.Run(t.Context(), "", testcontainers.WithLabels(map[string]string{label: "1"}))
		require.NoError(t, err)
		inspected, err := ctr.Inspect(t.Context())
		require.NoError(t, err)
		fmt.Printf("image %s\n", inspected.Config.Image)
		require.NoError(t, ctr.Terminate(t.Context()))
	},
	// waits runs a container with a label, and a bank in the shared one, and waits to be killed.
	"waits": func(t *testing.T, label string) {
		_, err := container.Run(t.Context(), "", testcontainers.WithLabels(map[string]string{label: "1"}))
		require.NoError(t, err)
		bank := testkit.Start(t)
		fmt.Printf("bank %s\n", bank.ControlURL())
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	// hung starts containers on an engine that doesn't answer.
	"hung": func(t *testing.T, _ string) {
		require.Equal(t, 15*time.Second, container.SetPingTimeout(time.Second), "the documentation says so")
		fails(t, func() error { _, err := container.Run(t.Context(), ""); return err })
		fails(t, func() error { _, err := testkit.Started(t.Context()); return err })
		testkit.Start(t)
	},
	// runsImage runs a container of an image that the engine has.
	"runsImage": func(t *testing.T, image string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fails(t, func() error { _, err := container.Run(ctx, image); return err })
	},
	// works runs a bank in the shared container, and one in a container of its own.
	"works": func(t *testing.T, _ string) {
		shared := testkit.Start(t)
		require.Equal(t, 200, createGroup(t, shared, "Night owls"))
		own := testkit.Start(t, testkit.On(run(t)))
		require.Equal(t, 200, createGroup(t, own, "Night owls"))
		fmt.Println("it works")
	},
}

// fails prints an error, and how long it took.
func fails(t *testing.T, call func() error) {
	t.Helper()
	began := time.Now()
	err := call()
	require.Error(t, err)
	fmt.Printf("error after %s: %v\n", time.Since(began).Round(time.Second), err)
}

// TestChild is not a test: other tests run it in another process.
func TestChild(t *testing.T) {
	what, argument, _ := strings.Cut(os.Getenv(childVariable), " ")
	if what != "" {
		children[what](t, argument)
	}
}

func child(t testing.TB, what string, environment ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.timeout=2m")
	cmd.Env = append(append(os.Environ(), childVariable+"="+what), environment...)
	return cmd
}

// Three test binaries at once share one image.
func TestBinariesShareTheImage(t *testing.T) {
	docker := engine(t)
	label := fmt.Sprintf("banksim-share-%d", os.Getpid()) // other runs may use the engine, too
	var all sync.WaitGroup
	images := make([]string, 3)
	for i := range images {
		all.Go(func() {
			out, err := child(t, "ends "+label).CombinedOutput()
			if assert.NoError(t, err, string(out)) {
				_, images[i], _ = strings.Cut(string(out), "image ")
				images[i], _, _ = strings.Cut(images[i], "\n")
			}
		})
	}
	all.Wait()
	assert.Regexp(t, `^banksim\.invalid/testkit:[0-9a-f]{16}$`, images[0])
	assert.Equal(t, []string{images[0], images[0], images[0]}, images)
	require.Eventually(t, func() bool { return len(containers(t, docker, label)) == 0 }, time.Minute, 50*time.Millisecond)
}

// The prefix of a mirror of the Docker Hub is for images that come from there.
func TestHubPrefix(t *testing.T) {
	engine(t)
	out, err := child(t, "works", "TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX=registry.invalid/mirror").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "it works")
}

// A killed test run leaves no container behind, whether it is the shared one or one of its own.
func TestKilledRunsLeaveNothing(t *testing.T) {
	docker := engine(t)
	label := fmt.Sprintf("banksim-killed-%d", os.Getpid())
	cmd := child(t, "waits "+label)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	control := lineOf(t, stdout, "bank ")
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	killed := time.Now()
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		return len(containers(t, docker, label)) == 0 && !answers(control)
	}, time.Minute, 50*time.Millisecond)
	assert.Less(t, time.Since(killed), 10*time.Second)
}

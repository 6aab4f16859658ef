package container_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	// image prints the image of a container of its own.
	"image": func(t *testing.T, _ string) {
		inspected, err := run(t).Inspect(t.Context())
		require.NoError(t, err)
		fmt.Printf("image %s\n", inspected.Config.Image)
	},
	// shared runs a bank in the shared container, and prints what testcontainers marks its containers with.
	"shared": func(t *testing.T, _ string) {
		bank := testkit.Start(t)
		createGroup(t, bank, bank.BaseURL(), "Night owls")
		fmt.Printf("session %s\n", testcontainers.SessionID())
	},
	// waits runs a container with a label, and a bank in the shared one, and waits to be killed.
	"waits": func(t *testing.T, label string) {
		_, err := container.Run(t.Context(), "", testcontainers.WithLabels(map[string]string{label: "1"}))
		require.NoError(t, err)
		fmt.Printf("bank %s\n", testkit.Start(t).ControlURL())
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	// hung starts containers on an engine that doesn't answer.
	"hung": func(t *testing.T, _ string) {
		require.Equal(t, 15*time.Second, container.SetPingTimeout(time.Second), "the documentation says so")
		_, err := container.Run(t.Context(), "")
		fmt.Println(err)
		testkit.Start(t)
	},
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

// lineOf returns what follows a prefix, on the first line that has it.
func lineOf(t testing.TB, from io.Reader, prefix string) string {
	t.Helper()
	var all strings.Builder
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return text
		}
		all.WriteString(lines.Text() + "\n")
	}
	assert.Fail(t, "the child printed no line that begins with "+prefix, all.String())
	return ""
}

// Three test binaries at once share one image. The prefix of a mirror of the Docker Hub is for images that come from there.
func TestBinariesShareTheImage(t *testing.T) {
	engine(t)
	var all sync.WaitGroup
	images := make([]string, 3)
	for i := range images {
		all.Go(func() {
			out, err := child(t, "image", "TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX=registry.invalid/mirror").CombinedOutput()
			if assert.NoError(t, err, string(out)) {
				images[i] = lineOf(t, strings.NewReader(string(out)), "image ")
			}
		})
	}
	all.Wait()
	assert.Regexp(t, `^banksim\.invalid/testkit:[0-9a-f]{16}$`, images[0])
	assert.Equal(t, []string{images[0], images[0], images[0]}, images)
}

// The shared container needs no reaper, and doesn't need to be told so.
func TestSharedWithoutReaper(t *testing.T) {
	docker := engine(t)
	out, err := child(t, "shared", "TESTCONTAINERS_RYUK_DISABLED=false").CombinedOutput()
	require.NoError(t, err, string(out))
	session := lineOf(t, strings.NewReader(string(out)), "session ")
	assert.Empty(t, containers(t, docker, "org.testcontainers.sessionId="+session))
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
	require.True(t, answers(control))
	require.Len(t, containers(t, docker, label), 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		return len(containers(t, docker, label)) == 0 && !answers(control)
	}, container.DefaultExitWhenIdle/2, 50*time.Millisecond)
}

// An engine that accepts calls and answers none doesn't hold a test: it is asked once, for a bounded time.
func TestHungEngine(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "banksim") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "docker.sock")
	listener, err := net.Listen("unix", socket) // nobody accepts
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	out, err := child(t, "hung", "DOCKER_HOST=unix://"+socket, "BANKSIM_TESTKIT=container", "BANKSIM_REQUIRE_DOCKER=1").CombinedOutput()
	require.Error(t, err, string(out))
	assert.Contains(t, string(out), "starting banksim in a container: no Docker engine answers: it doesn't answer within 1s")
	assert.Contains(t, string(out), "testkit: BANKSIM_REQUIRE_DOCKER is 1, but no Docker engine answers (it doesn't answer within 1s): start one")
}

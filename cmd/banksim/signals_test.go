//go:build unix

package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// padding is more than a pipe holds: when it is written, the program reads.
var padding = "#" + strings.Repeat("x", 128<<10) + "\n"

// large takes many seconds to load.
const large = `institutions: [{institutionId: "1", generate: {users: 1000000, accountsPerUser: 2}}]` + "\n"

// startBlocked starts the program with pipes as standard input and output. nohup and the shells of some remote hosts
// ignore SIGHUP: a process inherits what is ignored, but not what is handled (os/signal), so the test handles it.
func startBlocked(t *testing.T, args ...string) (
	cmd *exec.Cmd, in io.WriteCloser, out io.Reader, errs *strings.Builder,
) {
	t.Helper()
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	banksim, err := exec.LookPath("banksim") // this test binary, see TestMain
	require.NoError(t, err)
	errs = &strings.Builder{}
	cmd = exec.CommandContext(t.Context(), banksim, args...)
	cmd.Stderr = errs
	in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err = cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, in, out, errs
}

// assertInterrupted waits for the end of a program that was sent a signal. A program that is still there after its
// grace is killed, which is another exit code. The machine may be busy.
func assertInterrupted(t *testing.T, cmd *exec.Cmd, grace time.Duration) {
	t.Helper()
	defer time.AfterFunc(grace+10*time.Second, func() { _ = cmd.Process.Kill() }).Stop()
	_ = cmd.Wait()
	assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
}

// A signal ends every command within its grace: one that computes, one that reads or writes a pipe, and one that asks a
// server that never answers.
func TestSignalsEndEveryCommand(t *testing.T) {
	t.Parallel()
	const reads, loads, writes, asks, imports = "reads", "loads", "writes", "asks", "imports"
	const header = `{"banksim":"export","format":2,"fingerprintKey":"MDEyMzQ1Njc4OWFiY2RlZg=="}` + "\n"
	tests := []struct{ command, blocks string }{
		{"serve --listen=127.0.0.1:0 --control=127.0.0.1:0 --scenario -", reads},
		{"serve --listen=127.0.0.1:0 --control=127.0.0.1:0 --scenario -", loads},
		{"validate -", reads},
		{"scenarios users -", loads},
		{"infer -", reads},
		{"print schema", writes},
		{"check --base-url URL", asks},
		{"explore --control URL -- banksim", asks},
		{"explore --scenario - -- banksim", loads},
		{"why --control URL", asks},
		{"mcp --control URL", asks},
		{"mcp --scenario -", loads},
		{"coverage /dev/stdin", reads},
		{"healthcheck --control URL", asks},
		{"export --control URL", asks},
		{"import - DIR", imports},
	}
	covered := map[string]bool{}
	for _, test := range tests {
		name, _, _ := strings.Cut(test.command, " ")
		covered[name] = true
		t.Run(name+" "+test.blocks, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			names := strings.NewReplacer("URL", "http://"+listener.Addr().String(), "DIR", t.TempDir())
			command := names.Replace(test.command)
			cmd, in, out, _ := startBlocked(t, strings.Fields(command)...)
			switch test.blocks {
			case reads:
				_, err = io.WriteString(in, padding)
			case imports:
				_, err = io.WriteString(in, header+strings.Repeat(" ", len(padding)))
			case loads:
				_, err = io.WriteString(in, large+padding)
				_ = in.Close()
			case writes:
				_, err = io.ReadFull(out, make([]byte, 1))
			case asks:
				require.NoError(t, listener.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute)))
				var asked net.Conn
				if asked, err = listener.Accept(); err == nil {
					defer asked.Close()
				}
			}
			require.NoError(t, err)
			signals := map[string]os.Signal{
				reads: os.Interrupt, loads: os.Interrupt, imports: os.Interrupt,
				writes: syscall.SIGTERM, asks: syscall.SIGTERM,
			}
			require.NoError(t, cmd.Process.Signal(signals[test.blocks]))
			assertInterrupted(t, cmd, graceOf(name))
		})
	}
	for _, command := range kong.Must(new(commandLine), parserVars()).Model.Children {
		assert.True(t, covered[command.Name], command.Name)
	}
}

// A signal ends the wait for a file that is a pipe which nobody fills, whichever option names it.
func TestSignalsEndWaitsForFiles(t *testing.T) {
	t.Parallel()
	const serve, check = "serve --control=127.0.0.1:0 --listen=https://127.0.0.1:0 ", "check --base-url http://127.0.0.1:1 "
	commands := []string{
		serve + "--tls-cert PIPE --tls-key EMPTY", serve + "--tls-cert EMPTY --tls-key PIPE", serve + "--tls-ca DIR",
		check + "--credentials PIPE", check + "--ca PIPE", check + "--client-cert PIPE --client-key EMPTY",
		check + "--client-cert EMPTY --client-key PIPE",
		"why --control-ca PIPE", "coverage --control 127.0.0.1:1 --control-ca PIPE", "healthcheck --control-ca PIPE",
		"print ca --control-ca PIPE", "print ca --tls-ca DIR",
		"mcp --control 127.0.0.1:1 --control-ca PIPE", "explore --control 127.0.0.1:1 --control-ca PIPE -- true",
		"coverage PIPE", "infer PIPE", "import PIPE DIR",
		"serve --control=127.0.0.1:0 --listen=127.0.0.1:0 --import PIPE",
		"serve --control=127.0.0.1:0 --listen=127.0.0.1:0 --control-tokens PIPE",
	}
	for _, command := range commands {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe, empty := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "ca-key.pem")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			require.NoError(t, os.WriteFile(empty, nil, 0o600))
			args := strings.Fields(strings.NewReplacer("PIPE", pipe, "EMPTY", empty, "DIR", dir).Replace(command))
			cmd, _, _, errs := startBlocked(t, args...)
			opened := make(chan *os.File, 1)
			go func() {
				writer, _ := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the program opens it
				opened <- writer
			}()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case writer := <-opened:
				defer writer.Close()
				require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
				<-ended
			case <-ended:
				t.Error("the program didn't wait")
			}
			assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			assert.Equal(t, "banksim: interrupted\n", errs.String(), "or it was killed after its grace")
		})
	}
	_ = kong.Visit(kong.Must(new(commandLine), parserVars()).Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.PlaceHolder == "FILE" && flag.Name != "ready-file" {
			assert.Contains(t, strings.Join(commands, "\n"), "--"+flag.Name+" PIPE")
		}
		return next(nil)
	})
}

// A second signal ends an exploration at once, with the commands that it has started.
func TestSecondSignalEndsExploration(t *testing.T) {
	needPrograms(t, "sh")
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	cmd, _, _, errs := startBlocked(t, "explore", "--", "sh", "-c",
		`trap 'echo asked >`+pid+`.asked' TERM; echo $$ >`+pid+`; while :; do sleep 1; done`)
	awaitContent(t, pid)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	awaitContent(t, pid+".asked")
	again := time.NewTicker(sameSignal) // one that follows too soon is a copy of the first
	defer again.Stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		assertInterrupted(t, cmd, 0)
	}()
	for isRunning := true; isRunning; {
		_ = cmd.Process.Signal(os.Interrupt) // fails when the program has ended
		select {
		case <-again.C:
		case <-ended:
			isRunning = false
		}
	}
	assert.Empty(t, errs.String())
	assertEnded(t, pid)
}

// A terminal that closes ends an exploration in an orderly way, though it may send the signal more than once.
func TestHangupEndsExploration(t *testing.T) {
	needPrograms(t, "sh")
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	cmd, _, _, errs := startBlocked(t, "explore", "--", "sh", "-c", `echo $$ >`+pid+`; while :; do sleep 1; done`)
	awaitContent(t, pid)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	_ = cmd.Process.Signal(syscall.SIGHUP) // fails when the program has ended
	assertInterrupted(t, cmd, graceOf("explore"))
	assert.Equal(t, "banksim: interrupted\n", errs.String())
	assertEnded(t, pid)
}

// A terminal shows how far a command is. Ctrl-C ends the command, and removes that.
func TestTerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(file, []byte(large), 0o600))
	banksim, err := exec.LookPath("banksim")
	require.NoError(t, err)
	for _, args := range [][]string{
		{"scenarios", "users", file},
		{"serve", "--scenario", file, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"},
	} {
		cmd := exec.CommandContext(t.Context(), banksim, args...)
		begun := time.Now()
		terminal, err := pty.Start(cmd)
		require.NoError(t, err)
		screen := bufio.NewReader(terminal)
		line, err := screen.ReadString('K')
		require.NoError(t, err)
		assert.Regexp(t, `^\rmaking the rows: [0-9]+ of 3000000\x1b\[K$`, line, args[0])
		assert.GreaterOrEqual(t, time.Since(begun), progressAfter)
		_, err = io.WriteString(terminal, "\x03")
		require.NoError(t, err)
		rest, _ := io.ReadAll(screen) // fails when the program has ended
		assert.Regexp(t, `\r\x1b\[Kbanksim: interrupted\r\n$`, string(rest), args[0])
		assertInterrupted(t, cmd, graceOf(args[0]))
		require.NoError(t, terminal.Close())
	}
}

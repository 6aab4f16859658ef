package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:generate go test . -run TestTables|TestConsoleBlocks -update

var update = flag.Bool(
	"update",
	false,
	"write the tables and the output of commands into the documents instead of comparing them",
)

// unstable are the parts of an answer that differ from run to run: times of a running clock, how long answers took,
// ports, fingerprints, the names that a check draws for groups.
var unstable = regexp.MustCompile(
	`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z|127\.0\.0\.1:\d+|tok_[0-9a-f]{12}|"tookMicros":\d+|\btook ` +
		`\S+|\b(time|version)=\S+|Night owls [0-9a-f-]+`,
)

// document is a page of the documentation.
type document struct {
	name string // relative to the root of the repository, as in docs/faults.md
	file string // relative to this package
	text string
}

// documents returns the pages at the root, all pages of docs and those of the test kits.
func documents(t *testing.T) []document {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	kits, err := filepath.Glob("../../testkit/*/README.md")
	require.NoError(t, err)
	var all []document
	pages = append(append(pages, kits...), "../../README.md", "../../SECURITY.md", "../../CONTRIBUTING.md")
	for _, file := range pages {
		file = filepath.ToSlash(file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, document{name: strings.TrimPrefix(file, "../../"), file: file, text: string(text)})
	}
	return all
}

// The commands of a document's console blocks print what the document says. Each document has a simulator of its own.
func TestConsoleBlocks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	needPrograms(t, "sh", "sed", "curl")
	if !*update { // which writes to files that other tests write to
		t.Parallel()
	}
	for _, d := range documents(t) {
		if blocks := consoleBlocks(d.text); len(blocks) > 0 {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				runBlocks(t, d, blocks)
			})
		}
	}
}

// startSimulator starts a simulator on free ports, with more flags of serve, and returns its addresses. It ends with
// the test.
func startSimulator(t *testing.T, flags ...string) (service, control string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	ready, log := filepath.Join(t.TempDir(), "ready.json"), &bytes.Buffer{}
	args := append([]string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--ready-file", ready}, flags...)
	go func() { ended <- runWith(ctx, nil, io.Discard, log, args...) }()
	t.Cleanup(func() {
		stop()
		require.Equal(t, exitFine, <-ended, log)
	})
	return awaitAddresses(t, ready)
}

func runBlocks(t *testing.T, d document, blocks []block) {
	service, control := startSimulator(t, "--seed=7", "--clock-start=2026-01-15T09:00:00Z")

	// One shell runs all commands, so that they share its variables; a mark stands between their outputs.
	const mark = "\n--- end of output ---\n"
	var script strings.Builder
	script.WriteString("exec 2>&1\nexport BANKSIM_CLOCK_START=2026-01-15T09:00:00Z\n")
	addresses := strings.NewReplacer("http://127.0.0.1:8080", service, "http://127.0.0.1:8081", control)
	for _, block := range blocks {
		if block.file != "" {
			script.WriteString(
				"cat >" + block.file + " <<'--- end of file ---'\n" + block.content + "--- end of file ---\n",
			)
		}
		for _, command := range block.commands {
			if strings.HasPrefix(command, "banksim serve ") && strings.HasSuffix(command, "&") {
				script.WriteString(serveInBackground(command))
				addresses = strings.NewReplacer(
					"http://127.0.0.1:8080", "$SERVICE", "http://127.0.0.1:8081", "$CONTROL", "https://127.0.0.1:8443",
					"$HTTPS", "127.0.0.1:8443", "$AT_HTTPS",
				)
			} else {
				script.WriteString(
					calling(addresses.Replace(command), addresses.Replace("http://127.0.0.1:8081")) + "\n",
				)
			}
			script.WriteString("printf '%s' '" + mark + "'\n")
		}
	}
	script.WriteString("[ -z \"$SERVER\" ] || kill $SERVER; wait\n")
	shell := exec.CommandContext(t.Context(), "sh")
	if shell.Dir = t.TempDir(); d.name == "docs/architecture.md" {
		shell.Dir = root // its commands search the code
	}
	shell.Stdin = strings.NewReader(script.String())
	out, err := shell.Output()
	require.NoError(t, err, string(out))
	outputs := strings.Split(
		strings.NewReplacer(service, "http://127.0.0.1:8080", control, "http://127.0.0.1:8081").Replace(string(out)),
		mark,
	)

	for _, block := range blocks {
		if block.file != "" {
			continue
		}
		var got strings.Builder
		got.WriteString("```console\n")
		for _, command := range block.commands {
			got.WriteString("$ " + command + "\n")
			if output := strings.TrimSpace(outputs[0]); output != "" {
				got.WriteString(output + "\n")
			}
			outputs = outputs[1:]
		}
		got.WriteString("```\n")
		switch want, printed := unstable.ReplaceAllString(block.text, "*"),
			unstable.ReplaceAllString(got.String(), "*"); {
		case abridges(want, printed):
		case *update:
			d.text = strings.Replace(d.text, block.text, got.String(), 1)
		default:
			assert.Equal(t, want, printed)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(d.file, []byte(d.text), 0o644))
	}
}

var lineBreak = regexp.MustCompile(`\n *`)

// abridges reports whether a block shows an output: with "…" in place of any part of it, and line breaks where its
// lines are long.
func abridges(block, output string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(block), "…", "(?s:.*?)")
	return regexp.MustCompile("^" + lineBreak.ReplaceAllString(pattern, `\s*`) + "$").MatchString(output)
}

// serveInBackground returns the shell's commands for a "banksim serve … &": on free ports, whose addresses are in
// $SERVICE, $CONTROL and, if it speaks https, $HTTPS then. It prints what the program has logged by then, with the
// default addresses.
func serveInBackground(command string) string {
	command = strings.NewReplacer("127.0.0.1:8080", "127.0.0.1:0", "127.0.0.1:8443",
		"127.0.0.1:0").Replace(strings.TrimSuffix(command, "&"))
	if !strings.Contains(command, "--listen") {
		command += " --listen=127.0.0.1:0"
	}
	return "rm -f ready.json\n" + command + ` --control=127.0.0.1:0 --ready-file ready.json >server.log 2>&1 &
SERVER=$!
i=0; while [ ! -s ready.json ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done
SERVICE=$(sed 's/.*"service":"\([^"]*\)".*/\1/' ready.json) CONTROL=$(sed 's/.*"control":"\([^"]*\)".*/\1/' ready.json)
HTTPS=$(grep -o 'https://[^"]*' ready.json | head -n 1) AT_HTTPS=${HTTPS#https://}
grep msg=serving server.log | sed -e "s,$SERVICE,http://127.0.0.1:8080," -e "s,${HTTPS:-none},https://127.0.0.1:8443," \
	-e "s,$CONTROL,http://127.0.0.1:8081,"
`
}

// calling returns a command that finds the control API at a URL, if it calls that. Without one, it would look at the
// usual address.
func calling(command, control string) string {
	for _, asks := range []string{"banksim why", "banksim print ca", "banksim coverage"} {
		if strings.HasPrefix(command, asks) {
			return "BANKSIM_CONTROL=" + control + " " + command
		}
	}
	return command
}

// block is a fenced block of commands, each after "$ ", and what they print; or a file, by its title, that the commands
// behind it use.
type block struct {
	text     string
	commands []string
	file     string
	content  string
}

var fenced = regexp.MustCompile("(?ms)^```(?:console|(?:yaml|sh) title=\"([a-z.-]+)\")\n(.*?)^```\n")

func consoleBlocks(markdown string) []block {
	var blocks []block
	for _, match := range fenced.FindAllStringSubmatch(markdown, -1) {
		block := block{text: match[0], file: match[1], content: match[2]}
		for text := block.text; ; {
			_, after, found := strings.Cut(text, "\n$ ")
			if !found {
				break
			}
			command := firstCommand(after)
			block.commands, text = append(block.commands, command), after[len(command):]
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// firstCommand returns the command that a text begins with: its first line, and those after it as long as one ends with
// a backslash or within single quotes.
func firstCommand(text string) string {
	command := ""
	for line := range strings.Lines(text) {
		command += line
		if !strings.HasSuffix(line, "\\\n") && strings.Count(command, "'")%2 == 0 {
			break
		}
	}
	return strings.TrimSuffix(command, "\n")
}

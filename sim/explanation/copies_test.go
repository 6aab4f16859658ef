package explanation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The copies of a golden success of each operation in each dialect: the command gets the same answer, from a bank as it
// was before, and the fault makes the next request to the operation fail, and only that.
func TestCopies(t *testing.T) {
	needShell(t)
	t.Parallel()
	type spoken struct {
		operation string
		dialect   sim.Dialect
	}
	seen := map[spoken]bool{}
	for _, e := range golden(t) {
		op := contract.Document().Operation(e.Operation())
		in := spoken{e.Operation(), e.InDialect()}
		if op == nil || seen[in] || e.Answer.Status >= 300 || e.Request.Method == http.MethodHead {
			continue
		}
		seen[in] = true
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			b, _ := simtest.GoldenBank(t, e)
			fork := b.In(simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", "")).Name)
			t.Cleanup(func() { assert.NoError(t, fork.Sandboxes.Delete(t.Context(), fork.Sandbox)) })
			answer := b.SendGolden(e.Request)
			copies := explain(t, b, answer.Header.Get("Banksim-Exchange")).Copies

			command := strings.ReplaceAll(copies.Curl, b.BaseURL(), fork.BaseURL())
			status, out := run(t, "sh", withSecrets(command, e.Request))
			if strings.Contains(strings.Join(copies.Notes, " "), "The body is missing") {
				assert.Empty(t, status, "it needs a file")
			} else {
				assert.Equal(t, strconv.Itoa(e.Answer.Status), status, "%s\n%s", command, out)
				_, body, _ := strings.Cut(out, "\r\n\r\n")
				assert.Equal(
					t, strings.ReplaceAll(answer.Body, b.BaseURL(), fork.BaseURL()), strings.TrimSpace(body), command,
				)
			}
			require.NotNil(t, copies.Fault)
			body, err := json.Marshal(copies.Fault)
			require.NoError(t, err)
			b.ControlSandbox(201, "POST /faults", string(body))
			failed := b.SendGolden(e.Request).StatusCode
			assert.Equal(t, copies.Fault.Then.Status, failed)
			assert.True(t, failed >= 500 && op.Lists(failed), "the status is the operation's own")
			assert.Less(t, b.SendGolden(e.Request).StatusCode, 500, "the fault fires once")
		})
	}
	assert.GreaterOrEqual(t, len(seen), len(contract.Document().Operations))
}

var (
	member = regexp.MustCompile(`"(\w+)": ?"([^"]*)"`)
	first  = regexp.MustCompile(`^HTTP/1\.1 (\d{3})`)
)

// needShell skips a test where its commands, which are for a Unix shell, can't run.
func needShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the commands need " + program)
		}
	}
}

// run runs a command in a shell and returns the status of the answer, empty without one, and what is printed.
func run(t *testing.T, shell, command string) (status, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	printed, _ := cmd.CombinedOutput()
	out = string(printed)
	if at := strings.Index(out, "HTTP/1.1 "); at >= 0 {
		out = out[at:]
	}
	if m := first.FindStringSubmatch(out); m != nil {
		status = m[1]
	}
	return status, out
}

// withSecrets returns a command with the secrets of a request in place of their fingerprints.
func withSecrets(command string, r fixtures.Request) string {
	put := func(value string) { command = strings.ReplaceAll(command, redact.Fingerprint(value), value) }
	for name, value := range r.Headers {
		if _, credentials, ok := strings.Cut(value, " "); ok && strings.EqualFold(name, "Authorization") {
			put(credentials)
		}
	}
	for _, m := range member.FindAllStringSubmatch(r.Content(), -1) {
		put(m[2])
	}
	if form, err := url.ParseQuery(r.Content()); err == nil {
		for _, values := range form {
			put(values[0])
		}
	}
	return command
}

// oddTexts are texts that shells, Go, JSON and terminals read in their own ways.
var oddTexts = []string{
	`it's`,
	`"quoted"`,
	`$HOME ${HOME} $(id) ` + "`id`",
	`!! !x`,
	`back\slash \n \\`,
	"line\nbreak\r\nand\ttab",
	"é 日本 😀",
	"~^tilde.*",
	"~",
	"#no comment",
	"%41 &a=b;c",
	"\u009b31m\u202eevil\u0007\u001b[2J",
	"{a,b}[c]*?",
	" ",
	"-d @/etc/hosts",
	"tok_",
	"',\"\\'",
	"%s %d %!",
	"\u2028\ufeff\U000e0001",
	"`+panic(1)+`",
}

// Copies of requests with odd texts send the same texts, in every shell, and nothing of them controls a terminal. The
// texts are in JSON, in a form and in a query.
func TestOddTexts(t *testing.T) {
	needShell(t)
	t.Parallel()
	for _, text := range oddTexts {
		b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {nameLimit: 1000}}\n")
		body, err := json.Marshal(map[string]any{"groupName": "x" + text, "groupDescription": text})
		require.NoError(t, err)
		create(b, string(body))
		x := b.Last()
		require.Equal(t, 200, x.Response.Status, x.Response.Body)
		why := newest(t, b)
		for _, c := range why.Copies.Curl {
			assert.True(t, unicode.IsGraphic(c) || strings.ContainsRune("\n\r\t", c), "%q has %q", text, c)
		}
		for _, shell := range []string{"sh", "zsh"} {
			if _, err := exec.LookPath(shell); err != nil {
				continue
			}
			b.ControlSandbox(204, "POST /reset", "")
			status, out := run(t, shell, why.Copies.Curl)
			assert.Equal(t, "200", status, out)
			assert.JSONEq(t, x.Request.Body, b.Last().Request.Body, "%s: %s", shell, why.Copies.Curl)
		}

		form := url.Values{"grant_type": {"password"}, "username": {text}, "password": {"secret"}}.Encode()
		res := simtest.ExampleOf(contract.TokensIssue).WithQuery("x=" + url.QueryEscape(text)).WithForm(form).Send(b)
		x = b.ExchangeOf(res)
		command := strings.ReplaceAll(newest(t, b).Copies.Curl, redact.Fingerprint("secret"), "secret")
		status, out := run(t, "sh", command)
		assert.Equal(t, strconv.Itoa(x.Response.Status), status, out)
		assert.Equal(t, x.Request.Body, b.Last().Request.Body, command)
	}
}

// A command has the tokens and the clients of the scenario, and a variable for others.
func TestCredentialsOfCopies(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for sent, want := range map[string]string{
		"Bearer demo-token":                  `-H 'Authorization: Bearer demo-token'`,
		"Bearer nobody":                      `-H 'Authorization: Bearer '"$TOKEN"`,
		"Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=": `-H 'Authorization: Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ='`,
		"Basic bm9ib2R5OndpdGhvdXQ=":         `-H 'Authorization: Basic '"$TOKEN"`,
	} {
		simtest.UpdateUser.With("Authorization", sent).Send(b)
		copies := newest(t, b).Copies
		assert.Contains(t, copies.Curl, want)
		assert.Equal(t, strings.Contains(want, "$"), len(copies.Notes) > 0, "%v", copies.Notes)
	}
}

// A command has the headers that the bank reads, and no others.
func TestHeadersOfCopies(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for header, isThere := range map[string]bool{
		"Accept: application/json": true, "Accept: */*": false, "Transactionid: */*": true, "X-Other: 1": false,
		"Origin: https://app.example": true, "Access-Control-Request-Method: PUT": true,
		"Access-Control-Request-Headers: fiid": true, fault.Header + ": status=503": true,
		contract.SandboxHeader + ": " + b.Sandbox.Name(): true, contract.SandboxHeader + ": another": false,
	} {
		name, value, _ := strings.Cut(header, ": ")
		simtest.UpdateUser.With(name, value).Send(b)
		assert.Equal(t, isThere, strings.Contains(newest(t, b).Copies.Curl, "-H '"+name+": "), header)
	}
}

// A body that the journal has no more than a part of, or that is no text, is missing in the copies, and they say so.
func TestMissingBodies(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for note, body := range map[string]string{
		"it had 700":                            `{"groupName": "x", "note": 1, "groupDescription": "` + strings.Repeat("y", 70_000) + `"}`,
		"it had 1048":                           `{"groupName": "` + strings.Repeat("y", 1<<20) + `"}`,
		"it has characters that can't be shown": "\x00\xff\xfe\x89PNG",
	} {
		create(b, body)
		copies := newest(t, b).Copies
		assert.Contains(t, strings.Join(copies.Notes, "\n"), "The body is missing: "+note)
		assert.Contains(t, copies.Curl, "--data-binary '@body'")
	}
	create(b, "{\"groupName\": \"x\",\n \"token\": \"t\",\n}")
	copies := newest(t, b).Copies
	assert.Contains(
		t, copies.Notes, "What begins with tok_ is a fingerprint: put the secret that was sent in its place.",
	)
	assert.Contains(t, copies.Curl, "{\"groupName\": \"x\",\n \"token\": \"tok_")
}

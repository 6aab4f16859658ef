package explanation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The fault makes the next request to the operation fail, and only that.
func TestFaults(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, e := range golden(t) {
		if _, ok := contract.Find(e.Operation()); !ok || e.Answer.Status >= 300 || seen[e.Operation()] || e.Request.Method == http.MethodHead {
			continue
		}
		seen[e.Operation()] = true
		t.Run(e.Operation(), func(t *testing.T) {
			t.Parallel()
			p := play(t, e)
			rule := p.why(t, p.id).Copies.Fault
			require.NotNil(t, rule)
			body, err := json.Marshal(rule)
			require.NoError(t, err)
			p.ControlSandbox(201, "POST /faults", string(body))
			res := p.SendGolden(e.Request)
			assert.Equal(t, rule.Then.Status, res.StatusCode)
			assert.GreaterOrEqual(t, res.StatusCode, 500)
			op, _ := contract.Find(e.Operation())
			assert.True(t, op.Lists(res.StatusCode), "the status is the operation's own")
			assert.Less(t, p.SendGolden(e.Request).StatusCode, 500, "the fault fires once")
		})
	}
	assert.Len(t, seen, len(contract.Operations))
}

// The command for each golden exchange gets the same answer, from a bank as it was before.
func TestCurlCopies(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"sh", "zsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("there is no %s", shell)
			continue
		}
		for i, e := range simtest.Sample(golden(t)) {
			if shell != "sh" && i%5 != 0 {
				continue // sh has shown it
			}
			t.Run(shell+"/"+e.Name, func(t *testing.T) {
				t.Parallel()
				runCurl(t, e, shell)
			})
		}
	}
}

func runCurl(t *testing.T, e fixtures.Exchange, shell string) {
	before, _ := simtest.GoldenBank(t, e)
	fork := before.In(simtest.Decode[api.Sandbox](t, before.ControlSandbox(201, "POST /fork", "")).Name)
	t.Cleanup(func() { assert.NoError(t, fork.Sandboxes.Delete(fork.Sandbox.Name())) })
	res := before.SendGolden(e.Request)
	id := res.Header.Get("Banksim-Exchange")
	if id == "" {
		t.Skip("no journal has it")
	}
	why := played{Bank: before}.why(t, id)
	command := strings.ReplaceAll(why.Copies.Curl, before.BaseURL(), fork.BaseURL())
	status, out := run(t, shell, command, secretsOf(e.Request))
	notes := strings.Join(why.Copies.Notes, " ")
	switch {
	case strings.Contains(notes, "The body is missing"):
		assert.Empty(t, status, "it needs a file")
	case lacksPath(e, why):
		assert.Equal(t, "404", status, "it needs the id in the path")
	case strings.Contains(notes, "What was refused may be"):
		assert.Contains(t, []string{"400-too-deep", "400-wrong-type", "400-duplicate-member", "400-public-twice"}, path.Base(e.Name))
	default:
		assert.Equal(t, e.Answer.Status, statusOf(status), "%s\n%s", command, out)
		if _, body, _ := strings.Cut(out, "\r\n\r\n"); notes == "" && e.Request.Method != http.MethodHead {
			assert.Equal(t, strings.ReplaceAll(res.Body, before.BaseURL(), fork.BaseURL()), strings.TrimSpace(body), command)
		}
	}
	if variable.MatchString(command) && strings.HasPrefix(path.Base(e.Name), "2") {
		status, out = run(t, shell, command, nil)
		assert.Empty(t, status, "without its secrets it is not sent: %s", out)
		assert.Contains(t, out, "set it to")
	}
}

var (
	variable = regexp.MustCompile(`\$\{[A-Z0-9_]+:`)
	member   = regexp.MustCompile(`"(\w+)": ?"([^"]*)"`)
	first    = regexp.MustCompile(`^HTTP/1\.1 (\d{3})`)
)

// run runs a command in a shell and returns the status of the answer, empty without one, and what is printed.
func run(t *testing.T, shell, command string, environment []string) (status, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, environment...)
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

// lacksPath reports whether the copies lack an id in the path without which the answer is another.
func lacksPath(e fixtures.Exchange, why explanation.Explanation) bool {
	return e.Answer.Status < 300 && strings.Contains(strings.Join(why.Copies.Notes, " "), "Parts of the path are fingerprints")
}

func statusOf(text string) (status int) {
	_ = json.Unmarshal([]byte(text), &status)
	return status
}

// secretsOf returns the secrets of a request as variables of a shell.
func secretsOf(r fixtures.Request) []string {
	var variables []string
	add := func(name, value string) { variables = append(variables, name+"="+value) }
	for name, value := range r.Headers {
		if !strings.EqualFold(name, "Authorization") {
			continue
		}
		scheme, credentials, found := strings.Cut(value, " ")
		switch {
		case found && strings.EqualFold(scheme, "Basic"):
			add("CREDENTIALS", credentials)
		case found && strings.EqualFold(scheme, "Bearer"):
			add("TOKEN", credentials)
		default:
			add("TOKEN", value)
		}
	}
	for _, m := range member.FindAllStringSubmatch(r.Content(), -1) {
		add("BANK_"+strings.ToUpper(strings.ReplaceAll(m[1], "cardNumber", "card_number")), m[2])
	}
	if form, err := url.ParseQuery(r.Content()); err == nil {
		for name, values := range form {
			add("BANK_"+strings.ToUpper(name), url.QueryEscape(values[0]))
		}
	}
	return variables
}

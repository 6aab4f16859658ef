package explanation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The copies of a golden success of each operation in each dialect: the command gets the same answer, from a bank as it
// was before, and the fault makes the next request to the operation fail, and only that.
func TestCopies(t *testing.T) {
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
					t,
					strings.ReplaceAll(answer.Body, b.BaseURL(), fork.BaseURL()),
					strings.TrimSpace(body),
					command,
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

// run runs a command in a shell and returns the status of the answer, empty without one, and what is printed.
func run(t *testing.T, shell, command string) (status, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
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

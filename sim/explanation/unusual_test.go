package explanation_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

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

// Copies of requests with odd texts send the same texts, in every shell, and nothing of them controls a terminal.
func TestOddTexts(t *testing.T) {
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
	}
}

// So do those of forms and queries.
func TestOddParameters(t *testing.T) {
	t.Parallel()
	const credentials = "ZGVtby1hcHA6ZGVtby1zZWNyZXQ="
	for _, text := range oddTexts {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		form := url.Values{"grant_type": {"password"}, "username": {text}, "password": {"secret"}}.Encode()
		res := simtest.NewCall("POST", "/digitalbanking/oauth2/v1/token?x="+url.QueryEscape(text), form,
			"Content-Type: application/x-www-form-urlencoded", "Authorization: Basic "+credentials,
			"institutionId: 02688", "transactionId: t-1").Send(b)
		x := b.ExchangeOf(res)
		why := newest(t, b)
		secrets := strings.NewReplacer(
			redact.Fingerprint(credentials),
			credentials,
			redact.Fingerprint("secret"),
			"secret",
		)
		status, out := run(t, "sh", secrets.Replace(why.Copies.Curl))
		assert.Equal(t, fmt.Sprint(x.Response.Status), status, out)
		assert.Equal(t, x.Request.Body, b.Last().Request.Body, why.Copies.Curl)
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
		t,
		copies.Notes,
		"What begins with tok_ is a fingerprint: put the secret that was sent in its place.",
	)
	assert.Contains(t, copies.Curl, "{\"groupName\": \"x\",\n \"token\": \"tok_")
}

// Every refusal of the contract has a sentence.
func TestEveryRefusal(t *testing.T) {
	t.Parallel()
	policies := contract.NewPolicies(sim.DefaultBehavior())
	seen := 0
	for _, op := range contract.Document().Operations {
		for _, r := range append(op.Refusals(), op.Conditions()...) {
			entries := []string{r.Entry.ID, op.Family.ErrorCites[0].ID}
			if r.Rule == contract.Strictness {
				entries = append([]string{contract.EverywhereUnknownMembers.ID}, entries...)
			}
			why := explanation.New(journal.Exchange{
				Operation: op.Name,
				Request:   journal.Request{Method: op.Method, Path: op.Path},
				Response:  journal.Response{Status: r.Status},
				Decision: journal.Decision{Outcome: journal.Refused, Rule: string(r.Rule), Message: "this is wrong",
					Basis: string(r.Entry.Basis), Entries: entries},
			}, policies, explanation.Past{World: sim.NewWorld(1, policies), Journal: journal.New(0, journal.NewBudget(0))})
			assert.True(
				t,
				strings.HasPrefix(why.Sentence, fmt.Sprintf("Refused with %d %s: ", r.Status, r.Code)),
				why.Sentence,
			)
			assert.True(
				t,
				r.Rule == contract.Strictness ||
					strings.Contains(why.Sentence, "this is wrong (rule "+string(r.Rule)+")"),
				why.Sentence,
			)
			assert.NotRegexp(
				t,
				`  |%!|\.\.|[{}]|^\s|\s$`,
				strings.ReplaceAll(why.Sentence, "{status", ""),
				"%s",
				why.Sentence,
			)
			seen++
		}
	}
	assert.Greater(t, seen, 100)
}

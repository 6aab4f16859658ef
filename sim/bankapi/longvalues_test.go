package bankapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// maxRefusal is how many bytes a refusal has at most, whatever it quotes.
const maxRefusal = 4 << 10

// A refusal quotes the beginning of a long value alone: in the answer, and in the journal.
func TestRefusalsAreShort(t *testing.T) {
	t.Parallel()
	behavior := `behavior: {faultHeader: true, cors: {origins: ["https://app.example"]}}`
	b := simtest.NewBank(t, simtest.FrozenRetail+behavior)
	member := strings.Repeat("m", 900<<10) // in a body, whose bound is 1 MiB
	text := strings.Repeat("t", 20<<10)    // in a header or a path, whose bound is that of the listener, 32 KiB
	odd := strings.Repeat("%00", 6<<10)    // in a path, escaped
	half := member[:400<<10]
	calls := []simtest.Call{
		updateUser.WithToken("avery-token").At(simtest.UpdateUserPath + text),
		listGroups.At("/v3/" + text),
		listGroups.At("/v1/sandboxes/" + text),
		listGroups.WithMethod(strings.Repeat("M", 20<<10)),
		listGroups.WithQuery(text + "=1&sort=x"),
		listGroups.With("transactionId", text).Adding("transactionId", text),
		updateAccount.WithBody(`{"` + member + `":1}`),
		updateAccount.WithBody(`{"` + half + `":1,"` + half + `":1}`),
		updateAccount.With("Banksim-Fault", "status=500; "+text+"=1"),
		updateAccount.With("Banksim-Fault", "status="+text),
		preflight(listGroups, text),
		listGroups.With("Origin", text),
		listGroups.With(contract.SandboxHeader, text),
	}
	// Each header, variable of the path, parameter and member is long once, by day a part of them.
	var long []simtest.Call
	for _, op := range contract.AllOperations() {
		example := exampleCall(op)
		for name := range example.Header {
			long = append(long, example.With(name, text), example.With(name, example.Header.Get(name)+text))
		}
		path, _, _ := strings.Cut(example.Path, "?")
		for _, part := range regexp.MustCompile(`\{.*\}`).FindAllString(op.Path, -1) {
			at := strings.Index(op.Path, part)
			before, after := op.Path[:at], op.Path[at+len(part):]
			long = append(long, example.At(before+text+after+example.Path[len(path):]), example.At(before+odd+after))
		}
		for _, p := range op.Parameters {
			if p.In == "query" {
				long = append(long, example.At(path+"?"+p.Name+"="+text))
			}
		}
		for _, quoted := range regexp.MustCompile(`"[^"]*"|=\w+`).FindAllString(example.Body, -1) {
			body := strings.Replace(example.Body, quoted, quoted[:1]+member+quoted[1:], 1)
			long = append(long, example.WithBody(body))
		}
	}
	every := simtest.Times(5, 1)
	for i, call := range long {
		if i%every == 0 {
			calls = append(calls, call)
		}
	}
	for _, call := range calls {
		assertShort(t, b, call.Request(b))
	}
	for _, name := range []string{text, odd, text + ".x"} {
		url := b.Server.ServiceURL() + "/sandboxes/" + name + "/v3/groups"
		assertShort(t, b, b.Request("GET", url, ""))
		assertShort(t, b, b.Request("GET", url, "", contract.SandboxHeader+": default"))
	}
}

// assertShort sends a request whose answer must be short, as must be what the journal says about it.
func assertShort(t *testing.T, b *simtest.Bank, r *http.Request) {
	t.Helper()
	res := b.Do(r)
	isShort := len(res.Body) < maxRefusal || res.StatusCode < 300
	assert.True(t, isShort, "%.300s %d %.300s", r.URL, res.StatusCode, res.Body)
	if x, ok := b.Journal().Get(res.Header.Get("Banksim-Exchange")); ok {
		assert.Less(t, len(x.Decision.Message), maxRefusal)
		for _, l := range x.Lints {
			assert.Less(t, len(l.Message), maxRefusal)
		}
	}
}

package bankapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

var update = flag.Bool("update", false, "write the answers of the simulator into the golden exchanges")

// Each golden exchange is replayed in a sandbox of its own. With -update, its file gets the new answer: read the diff
// before you commit it. A test of the contract says which facts the exchanges have to show. Over HTTP/2 the answers are
// the same.
func TestGoldenExchanges(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "fixtures", "exchanges")
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	require.NotEmpty(t, exchanges)
	for i, e := range exchanges {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, e.About)
			got, decision, dialect := replay(t, e, 1)
			if *update {
				e.Answer, e.Entries, e.Rule, e.Dialect = got, decision.Entries, refusedBy(decision), dialect
				data, err := strictjson.EncodeIndented(e)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.FromSlash(e.Name)+".json"), data, 0o644))
				return
			}
			assert.Equal(t, e.Answer.Status, got.Status)
			assert.Equal(t, e.Answer.Headers, got.Headers)
			assert.Equal(t, e.Entries, decision.Entries, "what the answer rests on")
			assert.Equal(t, e.Rule, refusedBy(decision))
			assert.Equal(t, e.Dialect, dialect)
			assert.Equal(t, string(e.Answer.JSON), string(got.JSON), "members, their order and their values")
			assert.True(t, strings.HasPrefix(filepath.Base(e.Name), strconv.Itoa(got.Status)+"-"),
				"the file is named after the status")
			if i%5 == 0 { // framing is all that differs
				over2, _, _ := replay(t, e, 2)
				delete(got.Headers, "Connection") // which HTTP/2 doesn't have
				assert.Equal(t, got, over2)
			}
		})
	}
}

// replay returns the answer to a golden exchange's request over a version of HTTP, the decision that led to it, and the
// dialect that it is in. The dialect is empty for the interface's document, and for no operation.
func replay(t *testing.T, e fixtures.Exchange, protocol int) (fixtures.Answer, journal.Decision, sim.Dialect) {
	t.Helper()
	b, _ := simtest.GoldenBank(t, e)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(protocol == 1)
	transport.Protocols.SetUnencryptedHTTP2(protocol == 2)
	b.UseTransport(transport)
	res := b.SendGolden(e.Request)
	require.Equal(t, protocol, res.ProtoMajor)
	headers := map[string]string{}
	for name, values := range res.Header {
		if name != "Date" && name != "Content-Length" && name != "Banksim-Exchange" {
			headers[name] = strings.Join(values, ", ")
		}
	}
	require.NoError(t, simtest.CheckSaved(b.Sandbox.Known().Bank()), "saved as a scenario")
	got := fixtures.Answer{Status: res.StatusCode, Headers: headers}
	if res.Body != "" {
		var body bytes.Buffer
		require.NoError(t, json.Compact(&body, []byte(strings.ReplaceAll(res.Body, b.BaseURL(), "{base_url}"))))
		got.JSON = body.Bytes()
	}
	if res.Header.Get("Banksim-Exchange") == "" {
		return got, journal.Decision{}, "" // of a sandbox that does not exist
	}
	x := b.ExchangeOf(res)
	if x.Dialect != string(sim.DialectPublic) {
		x.Dialect = ""
	}
	return got, x.Decision, sim.Dialect(x.Dialect)
}

// refusedBy returns the rule by which a request is refused, or "" if it isn't refused.
func refusedBy(d journal.Decision) string {
	if d.Outcome != journal.Refused {
		return ""
	}
	return d.Rule
}

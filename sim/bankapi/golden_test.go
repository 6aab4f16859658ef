package bankapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

var update = flag.Bool("update", false, "write the answers of the simulator into the golden exchanges")

// Each golden exchange is replayed in a sandbox of its own. With -update, its file gets the new answer: read the diff
// before you commit it. A test of the contract says which facts the exchanges have to show.
func TestGoldenExchanges(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "fixtures", "exchanges")
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	require.NotEmpty(t, exchanges)
	for _, e := range exchanges {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, e.About)
			got, decision, dialect := replay(t, e)
			if *update {
				e.Answer, e.Entries, e.Rule, e.Dialect = got, decision.Entries, refusedBy(decision), dialect
				data, err := wire.EncodeIndented(e)
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
			assert.True(t, strings.HasPrefix(filepath.Base(e.Name), strconv.Itoa(got.Status)+"-"), "the file is named after the status")
		})
	}
}

// Over HTTP/2 everything is answered in the same way.
func TestGoldenExchangesOverHTTP2(t *testing.T) {
	t.Parallel()
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	for some := range slices.Chunk(exchanges, 5) { // framing is all that differs
		e := some[0]
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			b, _ := simtest.GoldenBank(t, e)
			transport := &http.Transport{Protocols: new(http.Protocols)}
			transport.Protocols.SetUnencryptedHTTP2(true)
			b.UseTransport(transport)
			res := b.SendGolden(e.Request)
			assert.Equal(t, 2, res.ProtoMajor)
			assert.Equal(t, e.Answer.Status, res.StatusCode)
			for name, value := range e.Answer.Headers {
				assert.Equal(t, value, strings.Join(res.Header[name], ", "), name)
			}
			if e.Answer.JSON != nil {
				assert.JSONEq(t, string(e.Answer.JSON), strings.ReplaceAll(res.Body, b.BaseURL(), "{base_url}"))
			}
		})
	}
}

// replay returns the answer to a golden exchange's request, the decision that led to it, and the dialect that it is in;
// empty: that of the interface's document, or none.
func replay(t *testing.T, e fixtures.Exchange) (fixtures.Answer, journal.Decision, sim.Dialect) {
	t.Helper()
	b, _ := simtest.GoldenBank(t, e)
	res := b.SendGolden(e.Request)
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

// refusedBy returns the rule by which a request is refused; empty: it isn't.
func refusedBy(d journal.Decision) string {
	if d.Outcome != journal.Refused {
		return ""
	}
	return d.Rule
}

package bankapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

var update = flag.Bool("update", false, "write the answers of the simulator into the golden exchanges")

// Every golden exchange is replayed in a sandbox of its own. With -update, its answer is written into the file of the
// exchange, to be read before it is committed.
func TestGoldenExchanges(t *testing.T) {
	t.Parallel()
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	require.NotEmpty(t, exchanges)
	for _, e := range exchanges {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, e.About)
			got, entries := replay(t, e)
			if *update {
				e.Answer, e.Entries = got, entries
				data, err := e.Encode()
				require.NoError(t, err)
				file := filepath.Join("..", "..", "fixtures", "exchanges", filepath.FromSlash(e.Name)+".json")
				require.NoError(t, os.WriteFile(file, data, 0o644))
				return
			}
			assert.Equal(t, e.Answer.Status, got.Status)
			assert.Equal(t, e.Answer.Headers, got.Headers)
			assert.Equal(t, e.Entries, entries, "what the answer rests on")
			assert.Equal(t, string(e.Answer.JSON), string(got.JSON), "members, their order and their values")
			assert.True(t, strings.HasPrefix(filepath.Base(e.Name), strconv.Itoa(got.Status)+"-"), "the file is named after the status")
		})
	}
}

// replay returns the answer to a golden exchange's request, and the entries of the ledger that it rests on.
func replay(t *testing.T, e fixtures.Exchange) (fixtures.Answer, []string) {
	t.Helper()
	yaml := simtest.FrozenRetail
	if e.Behavior != nil {
		yaml += "behavior: " + string(e.Behavior) + "\n" // JSON is YAML
	}
	if e.Institutions != nil {
		yaml += "institutions: " + string(e.Institutions) + "\n"
	}
	b := simtest.NewBank(t, yaml)
	for _, r := range e.Before {
		res := b.Do(newRequest(t, b, r))
		require.Less(t, res.StatusCode, 300, "a request that comes first: %s", res.Body)
	}
	if e.Advance != "" {
		d, err := time.ParseDuration(e.Advance)
		require.NoError(t, err)
		b.Advance(d)
	}
	res := b.Do(newRequest(t, b, e.Request))
	headers := map[string]string{}
	for name, values := range res.Header {
		if name != "Date" && name != "Content-Length" && name != "Banksim-Exchange" {
			headers[name] = strings.Join(values, ", ")
		}
	}
	got := fixtures.Answer{Status: res.StatusCode, Headers: headers}
	if res.Body != "" {
		var body bytes.Buffer
		require.NoError(t, json.Compact(&body, []byte(strings.ReplaceAll(res.Body, b.BaseURL(), "{base_url}"))))
		got.JSON = body.Bytes()
	}
	if res.Header.Get("Banksim-Exchange") == "" {
		return got, nil // of a sandbox that does not exist
	}
	return got, b.ExchangeOf(res).Decision.Entries
}

func newRequest(t *testing.T, b *simtest.Bank, r fixtures.Request) *http.Request {
	t.Helper()
	baseURL := b.BaseURL()
	if strings.HasPrefix(r.Path, "/sandboxes/") {
		baseURL = b.Server.ServiceURL()
	}
	request := b.Request(r.Method, baseURL+r.Path, r.Content())
	if r.Chunked {
		request.Body, request.ContentLength = io.NopCloser(strings.NewReader(r.Content())), -1
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return request
}

// named are the statuses, and the codes of refusals, that the interface document, the public API description or
// our own choices name for each operation. What only a fault or a large body brings about (413, 500) is shown by
// other tests.
var named = map[string]string{
	"estatements.getDisclosures": "200 UXESTMT_10001 UXESTMT_10002 UXESTMT_10003 UXESTMT_10004 UXESTMT_10007 UXESTMT_10008 UXESTMT_10012 UXESTMT_11010 UXESTMT_88888",
	"estatements.updateAccount": "200 204 UXESTMT_10001 UXESTMT_10002 UXESTMT_10003 UXESTMT_10004 UXESTMT_10007 UXESTMT_10008 UXESTMT_10012 UXESTMT_11010 " +
		"UXESTMT_11012 UXESTMT_11013 UXESTMT_11018 UXESTMT_11021 UXESTMT_88888 UXESTMT_88889 BANKSIM_UNSUPPORTED_MEDIA_TYPE",
	"estatements.updateUser": "204 UXESTMT_10001 UXESTMT_10002 UXESTMT_10003 UXESTMT_10004 UXESTMT_10007 UXESTMT_10008 UXESTMT_10012 UXESTMT_11010 " +
		"UXESTMT_11013 UXESTMT_11018 UXESTMT_11020 UXESTMT_11021 UXESTMT_88888 UXESTMT_88889 BANKSIM_UNSUPPORTED_MEDIA_TYPE",
	"tokens.issue":  "200 CMN_90004 CMN_90005 CMN_90006 CMN_90007 CMN_90008 CMN_90011 CMN_90013 CMN_90014 CMN_90015 CMN_90016 BANKSIM_UNSUPPORTED_MEDIA_TYPE",
	"tokens.revoke": "200 204 CMN_90004 CMN_90005 CMN_90008 CMN_90010 CMN_90011 CMN_90016",
	"groups.create": "200 201 2000 2003 2004 BANKSIM_UNSUPPORTED_MEDIA_TYPE BANKSIM_STRICT",
	"groups.list":   "200 2000 2001 2003 BANKSIM_STRICT",
	"alerts.createPreference": "200 201 CMN_90001 PRMVAL_10003 PRMVAL_10004 PRMVAL_10005 PRMVAL_10007 PRMVAL_10009 PRMVAL_10012 PRMSYS_10002 " +
		"BANKSIM_UNSUPPORTED_MEDIA_TYPE",
	"unknown": "BANKSIM_UNKNOWN_PATH BANKSIM_METHOD_NOT_ALLOWED BANKSIM_UNKNOWN_SANDBOX",
}

func TestGoldenExchangesShowAllThatIsNamed(t *testing.T) {
	t.Parallel()
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	shown := map[string][]string{}
	for _, e := range exchanges {
		status := strconv.Itoa(e.Answer.Status)
		if e.Answer.Status >= 300 {
			status = simtest.ErrorCode(t, simtest.Answer{Response: &http.Response{StatusCode: e.Answer.Status}, Body: string(e.Answer.JSON)})
		}
		shown[e.Operation()] = append(shown[e.Operation()], status)
	}
	for operation, all := range named {
		for _, one := range strings.Fields(all) {
			assert.Contains(t, shown[operation], one, operation)
		}
		for _, one := range shown[operation] {
			assert.Contains(t, strings.Fields(all), one, "%s answers what nobody names", operation)
		}
	}
	for operation := range shown {
		assert.Contains(t, named, operation)
	}
}

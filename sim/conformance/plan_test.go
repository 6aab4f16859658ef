package conformance_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// own are the values of a bank, none of which a plan shows.
var own = conformance.Credentials{
	"demo-app": "OUR-app", "demo-secret": "OUR-secret", "demo-token": "OUR-token", "02688": "OUR-bank", "1001": "OUR-user", "avery": "OUR-name", "demo": "OUR-password",
	"acc-1001-checking": "OUR-checking", "acc-1001-savings": "OUR-savings",
}

func TestADryRunSendsNothing(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s is sent", r.URL) }))
	defer service.Close()
	header := http.Header{"X-Key": {"OUR-key"}}
	cfg := conformance.Config{BaseURL: service.URL, Credentials: own, AllowWrites: true, Header: header, BaseURLs: map[string]string{"groups": "http://groups.example"}}
	plan, err := conformance.DryRun(cfg)
	require.NoError(t, err)
	var text, data bytes.Buffer
	require.NoError(t, plan.WriteText(&text))
	require.NoError(t, plan.WriteJSON(&data))
	assert.NotContains(t, text.String(), "OUR-")
	assert.NotContains(t, data.String(), "OUR-")
	assert.NotContains(t, text.String(), "Authorization")

	var again conformance.Plan
	require.NoError(t, json.Unmarshal(data.Bytes(), &again))
	requests := map[string][]conformance.PlannedRequest{}
	for _, x := range again.Exchanges {
		requests[x.Exchange] = x.Requests
	}
	const read = "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001"
	assert.Equal(t, []conformance.PlannedRequest{
		{For: "prepare", Method: "GET", Path: read},
		{For: "exchange", Method: "PUT", Path: "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId=1001",
			Changes: "may change the settings of acc-1001-checking", Undone: "read before and after, and put back where they differ"},
		{For: "undo", Method: "GET", Path: read},
		{For: "undo", Method: "PUT", Path: "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId=1001", Changes: "puts the setting back"},
	}, requests["estatements.updateAccount/401-no-token"], "also where the request is expected to be refused")
	assert.Equal(t, "http://groups.example", requests["groups.list/200-first-page"][0].BaseURL)
	assert.Equal(t, "/digitalbanking/groups/v3/groups/{groupId}", requests["groups.create/200-created"][1].Path)
	assert.Contains(t, text.String(), `may create a group named "Night owls"`)
}

// What a run sends is what the plan says, in this order, but for what undoes something.
func TestARunSendsWhatThePlanSays(t *testing.T) {
	simtest.Whole(t)
	b := startBank(t, retail)
	p := startProxy(t, b.url, nil, nil)
	cfg := conformance.Config{BaseURL: p.URL, AllowWrites: true}
	plan, err := conformance.DryRun(cfg)
	require.NoError(t, err)
	sent := 0
	all := p.requests
	for i, x := range plan.Exchanges {
		if x.Skipped != "" || i%7 != 0 { // some of each family
			continue
		}
		cfg.Only = []string{x.Exchange}
		skipped := run(t, cfg).Results[0].Skipped != "" // when what it read first shows that it couldn't be undone
		got := all()[sent:]
		sent = len(all())
		for _, want := range x.Requests {
			if want.For == "undo" {
				break
			}
			if skipped && (len(got) == 0 || want.For == "exchange") {
				break
			}
			require.NotEmpty(t, got, x.Exchange)
			path := got[0].path
			if got[0].query != "" {
				path += "?" + got[0].query
			}
			sent := regexp.QuoteMeta(want.Method + " " + want.Path)
			for _, id := range []string{"groupId", "jobId"} { // of which the plan has the name
				sent = strings.ReplaceAll(sent, regexp.QuoteMeta("{"+id+"}"), "[0-9a-f-]{36}")
			}
			sent = strings.ReplaceAll(sent, regexp.QuoteMeta("{alertPrefId}"), `\d+`)
			assert.Regexp(t, "^"+sent+"$", got[0].method+" "+path, x.Exchange)
			got = got[1:]
		}
	}
}

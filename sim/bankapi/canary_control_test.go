package bankapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// controlCalls puts canaries into the control API's own requests.
func (a *canaries) controlCalls() {
	cage := a.bank.ControlPath()
	c := func(what string) string { return a.canary("control, " + what) }
	for _, call := range []string{"POST /v1/sandboxes", "POST " + cage + "/fork", "POST " + cage + "/journal/verify", "PATCH " + cage + "/institutions/02688"} {
		method, path, _ := strings.Cut(call, " ")
		for _, one := range []string{fmt.Sprintf(`{"password":%q}`, c(call+" unknown member")), fmt.Sprintf(`{"password":%q`, c(call+" cut off"))} {
			res := a.order(method, path, one, "Authorization: Bearer "+c(call+" header"), "Cookie: x="+c(call+" cookie"))
			require.GreaterOrEqual(a.t, res.StatusCode, 400, "%s %s: %s", call, one, res.Body)
		}
	}
	sent := a.order(http.MethodPost, cage+"/requests", fmt.Sprintf(`{"method":"POST","path":"/digitalbanking/x?token=%s","headers":{"Authorization":"Bearer %s","Cookie":[%q]},"body":"{\"password\": %s"}`,
		c("query of a request"), c("token of a request"), c("cookie of a request"), c("body of a request")))
	require.Equal(a.t, 200, sent.StatusCode, sent.Body)
	require.Contains(a.t, sent.Body, `"exchange":`)
	minted := a.order(http.MethodPost, cage+"/institutions/02688/tokens", `{"client":"bird-app","hostUserId":"1001"}`)
	require.Equal(a.t, 201, minted.StatusCode, minted.Body)
	_, text, _ := strings.Cut(minted.Body, `"accessToken":"`)
	text, _, _ = strings.Cut(text, `"`)
	a.send(getDisclosures.WithToken(a.secret("minted token", text)))
	require.Equal(a.t, 201, a.order(http.MethodPost, cage+"/snapshots", `{"name":"taken"}`).StatusCode)
}

// entriesAndStream reads every exchange by its id, and why it was answered so, and all of them from the stream.
func (a *canaries) entriesAndStream() {
	cage := a.bank.ControlPath()
	page := a.bank.Journal().Page(journal.Query{})
	require.NotEmpty(a.t, page.Exchanges)
	for _, x := range page.Exchanges {
		a.read(cage + "/journal/" + x.ID)
		a.read(cage + "/journal/" + x.ID + "/why")
	}
	from := page.Exchanges[0].Number() - 1
	events := a.bank.Events(cage+"/journal/stream?after="+strconv.FormatUint(from, 10), len(page.Exchanges))
	a.surfaces["stream"] = strings.Join(events, "\n")
}

// nearMisses asks for exchanges that were never sent and reads the near misses. What it asks for may be a secret, too.
func (a *canaries) nearMisses() {
	for _, operation := range append(slices.Collect(maps.Keys(simtest.Calls)), "*") {
		for _, wanted := range []string{
			`"status":299`,
			`"header":{"authorization":"Bearer SECRET"}`, `"header":{"cookie":"SECRET"}`, `"query":{"access_token":"SECRET","page":"77"}`,
			`"body":{"password":"SECRET","refresh_token":"SECRET","groupName":"never"}`,
			`"body":{"alertPreferenceAccountDetails":{"cardNumber":"SECRET"}}`,
			`"header":{"authorization":"~SECRET("}`, // invalid
			`"header":{"authorization":"~SECRET"},"query":{"token":"~SECRET"},"body":{"password":"~SECRET"}`,
		} {
			secret := a.canary("verify " + operation + ", " + wanted)
			body := fmt.Sprintf(`{"operation":%q,%s}`, operation, strings.ReplaceAll(wanted, "SECRET", secret))
			a.surfaces["verify"] += a.order(http.MethodPost, a.bank.ControlPath()+"/journal/verify", body).Body
		}
	}
}

package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// canaries are secrets, one for each place of a request that may hold one, and the bank that they are sent to.
type canaries struct {
	*testing.T
	bank   *simtest.Bank
	places map[string]string
	drawn  int
}

// canaryMark is what all canaries begin with.
const canaryMark = "Cnry"

// canary returns a new secret for a place.
func (c *canaries) canary(place string, args ...any) string {
	text := fmt.Sprintf(canaryMark+"%05dz", len(c.places))
	c.places[text] = fmt.Sprintf(place, args...)
	return text
}

// read returns the answer to a call of the control API about the sandbox.
func (c *canaries) read(call, body string) string { return c.bank.ControlSandbox(200, call, body).Body }

// call makes a call of the interface.
func (c *canaries) call(call simtest.Call) {
	_, err := call.Try(c.bank)
	require.NoError(c, err)
}

// secretMembers returns the names of the members that the contract marks secret.
func secretMembers() (names []string) {
	for _, op := range contract.AllOperations() {
		if op.Request != nil {
			op.Request.Walk(func(m contract.Member) {
				if m.Secret && !slices.Contains(names, m.Name) {
					names = append(names, m.Name)
				}
			})
		}
	}
	return names
}

// sendAll sends canaries to an operation: as credentials and cookies, and as each secret member in every form of a
// query or a body, right and wrong. By day, it sends a part of the members in a part of the forms.
func (c *canaries) sendAll(operation string, call simtest.Call) {
	for _, form := range []string{"Bearer %s", "bearer %s", "%s", "Token %s", "Bearer %s x", "Bearer:%s",
		`Digest username="x", response="%s"`, "Basic %s"} {
		c.call(call.With("authorization", fmt.Sprintf(form, c.canary("%s: Authorization %s", operation, form))))
	}
	key := base64.StdEncoding.EncodeToString([]byte("demo-app:" + c.canary("%s: secret key", operation)))
	c.places[key] = operation + ": secret key, encoded"
	c.call(call.With("authorization", "Basic "+key))
	c.call(call.With("cookie", "session="+c.canary("%s: cookie", operation)))
	every := simtest.Times(7, 1) // no divisor of the number of forms, so that operations differ
	isSent := func() bool {
		c.drawn++
		return c.drawn%every == 0
	}
	for _, member := range secretMembers() {
		for _, form := range []string{"%s=%s", "page=1;%s=%s", "page=1&%s=%s", "page=%%zz&%s=%s"} {
			if !isSent() {
				continue
			}
			query := fmt.Sprintf(form, member, c.canary("%s: query %s as %s", operation, member, form))
			c.call(call.WithQuery(query))
			c.call(call.WithForm(fmt.Sprintf(form, url.QueryEscape(member),
				c.canary("%s: form %s as %s", operation, member, form))))
		}
		for _, form := range []string{
			`{%q:%q}`, `{"unknown":[{"deep":{%q:[%q]}}]}`, `{"groupName":{%q:{"x":%q}}}`,
			`{%q:%q,}`, `{"x":1,%q:%q`, `{%q:%q}{}`, "{\"x\":\"\xff\",%q:%q}",
		} {
			if !isSent() {
				continue
			}
			body := fmt.Sprintf(form, member, c.canary("%s: body %s as %s", operation, member, form))
			c.call(call.WithBody(body).With("content-type", "application/json"))
			c.call(call.WithBody(body).Without("content-type"))
		}
	}
}

// A secret of a request, or drawn by the bank, shows nowhere but in the answer to its owner.
func TestCanary(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	scenario := simtest.FrozenRetail + "behavior: {faultHeader: true}\n"
	c := &canaries{T: t, places: map[string]string{}, bank: simtest.Start(t,
		server.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Sandboxes: simtest.Registry(t, scenario)})}
	c.bank.Client = &http.Client{Timeout: simtest.Patience} // checks nothing
	defer c.bank.Client.CloseIdleConnections()
	for _, op := range contract.AllOperations() {
		c.sendAll(op.ID, exampleCall(op))
	}
	issue := func(body string) map[string]string {
		tokens := simtest.Decode[map[string]string](t, issueTokens.WithBody(body).Send(c.bank))
		c.places[tokens["access_token"]], c.places[tokens["refresh_token"]] = "access token", "refresh token"
		return tokens
	}
	issued := issue(issueTokens.Body)
	renewed := issue(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, issued["refresh_token"]))
	getDisclosures.WithToken(renewed["access_token"]).Send(c.bank)
	revokeTokens.WithBody(fmt.Sprintf(`{"token":%q}`, renewed["access_token"])).Send(c.bank)

	wanted := fmt.Sprintf(`{"header":{"authorization":"Bearer %s"},"query":{"token":%q},"body":{"password":%q}}`,
		c.canary("expected header"), c.canary("expected query"), c.canary("expected body"))
	surfaces := map[string]string{"log": log.String(), "verify": c.read("POST /journal/verify", wanted)}
	for _, path := range []string{"/journal?limit=1000", "/journal.har", "/state", "/diff?since=start"} {
		surfaces[path] = c.read("GET "+path, "")
	}
	for _, x := range c.bank.Exchanges(journal.Query{Limit: simtest.Times(100, 1000), Newest: true}) {
		surfaces["why"] += c.read("GET /journal/"+x.ID+"/why", "")
	}
	for surface, text := range surfaces {
		require.NotEmpty(t, text, surface)
		sings := strings.Contains(text, canaryMark) // else there is no need to look for each
		for secret, place := range c.places {
			if !sings && strings.HasPrefix(secret, canaryMark) {
				continue
			}
			if at := strings.Index(text, secret); at >= 0 {
				around := text[max(0, at-120):min(len(text), at+80)]
				assert.Fail(t, "a secret shows", "%s: %s\n…%s…", surface, place, around)
			}
		}
	}
}

package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"io"
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
	client *http.Client // checks nothing
	places map[string]string
}

// canaryMark is what all canaries begin with.
const canaryMark = "Cnry"

// canary returns a new secret for a place.
func (c *canaries) canary(place string, args ...any) string {
	text := fmt.Sprintf(canaryMark+"%05dz", len(c.places))
	c.places[text] = fmt.Sprintf(place, args...)
	return text
}

// basic returns credentials in which a canary is the secret key.
func (c *canaries) basic(operation string) string {
	text := base64.StdEncoding.EncodeToString([]byte("demo-app:" + c.canary("%s: secret key", operation)))
	c.places[text] = operation + ": secret key, encoded"
	return "Basic " + text
}

// send sends a request, and returns its answer.
func (c *canaries) send(method, at, body string, header http.Header) string {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, at, strings.NewReader(body))
	require.NoError(c, err)
	r.Header = header
	res, err := c.client.Do(r)
	require.NoError(c, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(c, err)
	return string(text)
}

// read reads what the control API shows of the sandbox.
func (c *canaries) read(path string) string {
	return c.send(http.MethodGet, c.bank.Server.ControlURL()+c.bank.ControlPath()+path, "", nil)
}

// call makes a call of the interface.
func (c *canaries) call(call simtest.Call) {
	c.send(call.Method, c.bank.BaseURL()+call.Path, call.Body, call.Header)
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
// query or a body, right and wrong.
func (c *canaries) sendAll(operation string, call simtest.Call) {
	for _, form := range []string{"Bearer %s", "bearer %s", "%s", "Token %s", "Bearer %s x", "Bearer:%s",
		`Digest username="x", response="%s"`, "Basic %s"} {
		c.call(call.With("authorization", fmt.Sprintf(form, c.canary("%s: Authorization %s", operation, form))))
	}
	c.call(call.With("authorization", c.basic(operation)))
	c.call(call.With("cookie", "session="+c.canary("%s: cookie", operation)))
	for _, member := range secretMembers() {
		for _, form := range []string{"%s=%s", "page=1;%s=%s", "page=1&%s=%s", "page=%%zz&%s=%s"} {
			query := fmt.Sprintf(form, member, c.canary("%s: query %s as %s", operation, member, form))
			c.call(call.WithQuery(query))
			c.call(call.WithForm(fmt.Sprintf(form, url.QueryEscape(member), c.canary("%s: form %s as %s", operation, member, form))))
		}
		for _, form := range []string{
			`{%q:%q}`, `{"unknown":[{"deep":{%q:[%q]}}]}`, `{"groupName":{%q:{"x":%q}}}`, `{%q:%q,}`, `{"x":1,%q:%q`, `{%q:%q}{}`,
			"{\"x\":\"\xff\",%q:%q}",
		} {
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
	c := &canaries{T: t, client: &http.Client{}, places: map[string]string{},
		bank: simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Sandboxes: simtest.Registry(t, scenario)})}
	defer c.client.CloseIdleConnections()
	for name, call := range simtest.Calls {
		c.sendAll(name, call)
		if op := contract.Public().Operation(name); op != nil {
			prefix := strings.TrimSuffix(documented(op).Path, op.Path)
			c.sendAll(name+", public", call.At(strings.TrimPrefix(call.Path, prefix)).With(op.Family.RequestID, aUUID))
		}
	}
	issued := simtest.Decode[map[string]string](t, issueTokens.Send(c.bank))
	c.places[issued["access_token"]], c.places[issued["refresh_token"]] = "issued access token", "issued refresh token"
	refresh := issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, issued["refresh_token"]))
	renewed := simtest.Decode[map[string]string](t, refresh.Send(c.bank))
	c.places[renewed["access_token"]], c.places[renewed["refresh_token"]] = "renewed access token", "renewed refresh token"
	getDisclosures.WithToken(renewed["access_token"]).Send(c.bank)
	revokeTokens.WithBody(fmt.Sprintf(`{"token":%q}`, renewed["access_token"])).Send(c.bank)

	surfaces := map[string]string{"log": log.String()}
	for _, path := range []string{"/journal?limit=1000", "/journal.har", "/state", "/diff?since=start"} {
		surfaces[path] = c.read(path)
	}
	exchanges := c.bank.Exchanges(journal.Query{})
	require.NotEmpty(t, exchanges)
	var why strings.Builder
	for _, x := range exchanges[max(0, len(exchanges)-1000):] {
		why.WriteString(c.read("/journal/" + x.ID + "/why"))
	}
	surfaces["why"] = why.String()
	wanted := fmt.Sprintf(`{"header":{"authorization":"Bearer %s"},"query":{"token":%q},"body":{"password":%q}}`,
		c.canary("expected header"), c.canary("expected query"), c.canary("expected body"))
	surfaces["verify"] = c.send(http.MethodPost, c.bank.Server.ControlURL()+c.bank.ControlPath()+"/journal/verify", wanted, nil)
	for surface, text := range surfaces {
		require.NotEmpty(t, text, surface)
		sings := strings.Contains(text, canaryMark) // else there is no need to look for each
		for secret, place := range c.places {
			if !sings && strings.HasPrefix(secret, canaryMark) {
				continue
			}
			if at := strings.Index(text, secret); at >= 0 {
				assert.Fail(t, "a secret shows", "%s: %s\n…%s…", surface, place, text[max(0, at-120):min(len(text), at+80)])
			}
		}
	}
	t.Logf("%d canaries, %d exchanges", len(c.places), len(exchanges))
}

package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// bankOf returns the page of a bank with parameters of the URL.
func bankOf(b *simtest.Bank, query string) string { return "/bank/" + b.Sandbox.Name() + query }

// Who edits a user sees the app's next answer change: the user, the disclosures, an account and the institution.
func TestEditUser(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	update := func(user string, status int) {
		t.Helper()
		res := simtest.UpdateUser.At(simtest.UpdateUserPath + user).Send(b)
		require.Equal(t, status, res.StatusCode, res.Body)
	}
	update("1003", 400)

	page := open(t, b, bankOf(b, ""))
	page.See("has not accepted the user-level disclosure")
	page.Click("1003")
	page.See("User 1003")
	assert.Contains(t, page.Address(), "user=1003", "a colleague can be sent the link")
	page.Choose("Status of the user-level disclosures", "ACCEPTED")
	page.See("disclosureStatus of user 1003 is ACCEPTED")
	update("1003", 204)
	page.Await("document.querySelector('tr.chosen').innerText.includes('everything accepted')", "what 1003 is good for now")

	page.Click("Active")
	page.See("active of user 1003 is false")
	update("1003", 400)
	assert.Equal(t, "user-not-active", b.Last().Decision.Rule)
	page.Click("Active")
	page.See("active of user 1003 is true")

	page.Click("updateFails of acc-1003-checking")
	page.See("updateFails of acc-1003-checking is true")
	page.Click("activateEstatement of acc-1003-checking")
	page.See("activateEstatement of acc-1003-checking is false")
	assert.Contains(t, b.State(), `"accountId":"acc-1003-checking","activateEstatement":false`)
	page.Click("updateFails of acc-1003-checking")
	page.See("updateFails of acc-1003-checking is false")

	page.Choose("Status of the disclosures of acc-1003-checking", "NOT_ACCEPTED")
	page.See("disclosureStatus of acc-1003-checking is NOT_ACCEPTED")
	res := simtest.UpdateAccount.At(simtest.UpdateAccountPath + "1003").WithBody(`{"activateEstatement":true,"accountId":"acc-1003-checking"}`).Send(b)
	assert.Equal(t, 400, res.StatusCode)

	page.Click("Multistatement")
	page.See("Multistatement is off for institution 02688")
	update("1003", 400)
	assert.Equal(t, "multistatement-not-configured", b.Last().Decision.Rule)
}

// A minted token is shown once, and works.
func TestMintToken(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	page := open(t, b, bankOf(b, "?view=tokens"))
	page.Fill("User (empty: any)", "1001")
	page.Fill("Valid for (empty: as issued)", "15m")
	page.Click("Mint")
	page.See("Copy it now")
	token := page.Text("[aria-label='the new token']")
	assert.Equal(t, 204, simtest.UpdateUser.WithToken(token).Send(b).StatusCode)
	assert.Equal(t, 403, simtest.UpdateUser.At(simtest.UpdateUserPath+"1002").WithToken(token).Send(b).StatusCode, "it is bound to 1001")
	page.Reload()
	page.See("Mint a token")
	page.See("2026-01-15 09:15:00")
	page.Gone(token)

	page.Fill("User (empty: any)", "nobody")
	page.Expect("400")
	page.Click("Mint")
	page.See("hostUserId is not one of the institution's users")
}

// A bank that was changed is saved as a scenario. A sandbox that starts from it has an equal bank.
func TestSaveAsScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Equal(t, 204, simtest.UpdateUser.Send(b).StatusCode)
	require.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	page := open(t, b, bankOf(b, "?view=save"))
	page.Click("Write the scenario")
	page.See("Night owls")
	name := b.Sandbox.Name() + "-saved"
	page.Fill("Name of the new sandbox", name)
	page.Click("Start it as a new sandbox")
	page.See("of sandbox " + name)
	t.Cleanup(func() { assert.NoError(t, b.Sandboxes.Delete(name)) })
	assert.Equal(t, b.State(), b.In(name).State())
	page.Click("What changed")
	page.See("Nothing: the bank is as it was at the start.")
}

// Rows that differ are shown before and after, since the start or a snapshot. A link to a row marks it.
func TestWhatChanged(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Equal(t, 204, simtest.UpdateUser.Send(b).StatusCode)
	b.ControlSandbox(201, "POST /snapshots", `{"name":"later"}`)
	b.ControlSandbox(200, "PATCH /institutions/02688/users/1002", `{"active":true}`)

	page := open(t, b, bankOf(b, "?view=changes"))
	page.See("accounts/02688/1001/acc-1001-savings")
	page.See("4 rows differ")
	page.Choose("Since", "later")
	page.See("1 row differs")
	page.Click("users/02688/1002")
	page.See("User 1002")
	assert.Equal(t, "1002", page.Text("tr.chosen a"))

	account := open(t, b, bankOf(b, "?row=accounts/02688/1001/acc-1001-savings"))
	assert.Contains(t, account.Text("aside tr.chosen"), "acc-1001-savings")
	for group := range b.World().Groups("02688") {
		linked := open(t, b, bankOf(b, "?row="+group.Row()))
		assert.Contains(t, linked.Text("tr.chosen"), group.Name)
		break
	}
	for grant := range b.World().Grants("02688") {
		linked := open(t, b, bankOf(b, "?row="+grant.Row()))
		assert.Contains(t, linked.Text("tr.chosen"), grant.SharedKey)
		break
	}
	open(t, b, bankOf(b, "?row=institutions/05523")).Await("document.querySelector('.marked')", "the institution to be marked")
	preference := open(t, b, bankOf(b, "?row=alertPreferences/02688/1001/1"))
	assert.Contains(t, preference.Text("aside tr.chosen"), "LOW_BALANCE")
}

// Of a large bank, a part is loaded and shown, and the filter looks through all of it.
func TestLargeBank(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: large\nextends: empty\nclock: {run: false}\ninstitutions:\n  - institutionId: '1'\n    generate: {users: 20000, accountsPerUser: 2}\n")
	page := open(t, b, bankOf(b, ""))
	page.See("20,000 users")
	page.See("200 of 20,000 users are shown")
	var last string
	for user := range b.World().Users("1") {
		last = user.HostUserID
	}
	page.Fill("Filter", last)
	page.Await("document.querySelectorAll('tbody tr').length === 1", "the filter to find one")
	page.Await("document.querySelector('tbody tr').innerText.includes('no token of the scenario reaches it')", "what the user is good for")
	page.Click(last)
	page.See("User " + last)
	open(t, b, bankOf(b, "?institution=1&user="+last)).Await("document.querySelector('aside')?.innerText.includes('no token of the scenario reaches it')", "what the user is good for, by a link")
	var size float64
	page.Eval(transferred, &size)
	assert.Less(t, size, 2_000_000.0, "not the whole state")
}

// Markup in what a scenario or a caller gives is shown as text.
func TestBankMarkup(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, hostile)
	res := simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":%q,"groupDescription":%q}`, "G"+markup, "D"+script)).Send(b)
	require.Equal(t, 200, res.StatusCode, res.Body)
	page := open(t, b, bankOf(b, "?user=U"+escaped(markup)))
	page.See("User U" + markup)
	page.See("A" + markup)
	page.See("T" + markup)
	page.See("X" + script)
	for view, texts := range map[string][]string{
		"users": {"U" + markup, "N" + script}, "groups": {"G" + markup, "D" + script}, "tokens": {"C" + markup, "U" + markup},
		"alerts": {"T" + markup, "X" + script}, "changes": {strings.ReplaceAll("G"+markup, `"`, `\"`)},
	} {
		page.Go(at(b, bankOf(b, "?view="+view)))
		for _, text := range texts {
			page.See(text)
		}
		noMarkup(page)
	}
	page.Go(at(b, bankOf(b, "?view=save")))
	page.Click("Write the scenario")
	page.See("G" + markup)
	noMarkup(page)
	page.Go(at(b, bankOf(b, "?row=users/1/U"+escaped(script)+"&institution="+escaped(markup)+"&view="+escaped(markup))))
	page.See("no institution “" + markup + "”")
	noMarkup(page)
}

// Markup that would run if it weren't text.
const (
	markup = `"><img src=x onerror=alert(1)>`
	script = `</script><script>alert(2)</script>`
)

// hostile is a scenario with markup wherever it takes a text.
const hostile = `name: 'H"><img src=x onerror=alert(1)>'
description: 'E</script><script>alert(2)</script>'
clock: {run: false}
institutions:
  - institutionId: "1"
    clients: [{sharedKey: 'C"><img src=x onerror=alert(1)>', secretKey: s}]
    tokens: [{accessToken: t, client: 'C"><img src=x onerror=alert(1)>', hostUserId: 'U"><img src=x onerror=alert(1)>'}]
    users:
      - hostUserId: 'U"><img src=x onerror=alert(1)>'
        username: 'N</script><script>alert(2)</script>'
        accounts: [{accountId: 'A"><img src=x onerror=alert(1)>'}]
        alertPreferences:
          - alertOpted: true
            alertPreferenceDetails: {alertTypeName: 'T"><img src=x onerror=alert(1)>', channelTypeName: EMAIL}
            additionalInfo: {'X</script><script>alert(2)</script>': x}
`

// escaped returns a text as it is in a query.
func escaped(text string) string {
	return strings.NewReplacer(`"`, "%22", ">", "%3E", "<", "%3C", " ", "%20", "=", "%3D", "/", "%2F").Replace(text)
}

// noMarkup fails if a text of the tests became an element.
func noMarkup(page *browser.Tab) {
	page.Await("document.querySelectorAll('main img, main script, img[onerror]').length === 0", "no element to come of a text")
}

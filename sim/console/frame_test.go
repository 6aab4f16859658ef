package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// With a control token, the console asks for it, and says where it is wrong. A link has it in the fragment, which the page
// takes out of the URL at once.
func TestToken(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{ControlToken: "let-me-in"})
	page := open(t, b, "/bank/default")
	page.Expect("401")
	page.See("needs its token")
	page.Fill("Control token", "wrong")
	page.Click("Enter")
	page.See("That is not the token")
	page.Fill("Control token", "let-me-in")
	page.Click("Enter")
	page.See("of sandbox default")
	page.Reload()
	page.See("of sandbox default")

	linked := open(t, b, "token=let-me-in")
	linked.See("2026-01-15")
	assert.False(t, strings.Contains(linked.Address(), "let-me-in"), "nobody sees the token over a shoulder: %s", linked.Address())

	other := open(t, b, "/bank/default")
	other.Expect("401")
	other.See("needs its token") // the token stays in its tab
}

package testkit

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Limits of the report of a failed test. The documentation has them.
const (
	reportedExchanges = 20
	reportedBody      = 400 // bytes of each body
)

// report logs the last exchanges of a failed test's bank, with the decisions behind them, and how many there were before.
func (b *Bank) report() {
	var page page
	if err := b.try(http.MethodGet, api.SandboxPath(b.name, fmt.Sprintf("/journal?limit=%d", reportedExchanges)), nil, &page); err != nil {
		b.t.Logf("testkit: reading the bank's journal: %v", err)
		return
	}
	var text strings.Builder
	switch {
	case len(page.Exchanges) == 0 && page.Cleared > 0:
		b.t.Logf("testkit: the bank had no request after ClearJournal, which removed %d", page.Cleared)
		return
	case len(page.Exchanges) == 0:
		b.t.Log("testkit: the bank had no request: does the app use its BaseURL?" + b.astray())
		return
	}
	text.WriteString("testkit: the bank's last exchanges, each with the decision behind its answer")
	if first, err := strconv.Atoi(page.Exchanges[0].ID); err == nil && first > 1 {
		fmt.Fprintf(&text, " (%d earlier ones are left out)", first-1)
	}
	text.WriteString(":")
	for _, x := range page.Exchanges {
		b.write(&text, x)
	}
	b.t.Log(text.String())
}

// astray returns a sentence if a request to the simulator named no bank, and "" otherwise: it may have been meant for this one.
// The journal of the default sandbox has such requests, whether it answers them or not.
func (b *Bank) astray() string {
	where, filter := "A request to the simulator named no bank", fmt.Sprintf("&status=%d", http.StatusMisdirectedRequest)
	if b.simulator.given {
		where, filter = "The default sandbox of the simulator had a request", ""
	}
	var page page
	err := b.try(http.MethodGet, api.SandboxPath("default", "/journal?limit=1"+filter), nil, &page)
	if err != nil || len(page.Exchanges) == 0 {
		return ""
	}
	last := page.Exchanges[0].Request
	return " " + where + ": " + last.Method + " " + last.URL + ": if it was meant for this bank, the app drops the path of BaseURL."
}

// write writes the lines of the report about an exchange.
func (b *Bank) write(text *strings.Builder, x Exchange) {
	at := strings.TrimPrefix(x.Request.URL, b.baseURL)
	fmt.Fprintf(text, "\n%s  %s %s -> %s\n\t%s", x.ID, x.Request.Method, at, status(x.Response), explained(x.Decision))
	if x.Fault != nil {
		fmt.Fprintf(text, "\n\tfaults: %s", wire.MustEncode(x.Fault))
	}
	for _, lint := range x.Lints {
		fmt.Fprintf(text, "\n\tlint: %s", lint.Message)
	}
	if x.Request.Body != "" {
		fmt.Fprintf(text, "\n\trequest:  %s", shortened(x.Request.Body, x.Request.BodyBytes))
	}
	if x.Response.Body != "" {
		fmt.Fprintf(text, "\n\tresponse: %s", shortened(x.Response.Body, x.Response.BodyBytes))
	}
}

func status(r Response) string {
	if r.Status == 0 {
		return "no answer"
	}
	return fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
}

// explained returns a decision in words. For a path that belongs to no operation, its message names the nearest.
func explained(d Decision) string {
	text := d.Outcome + " by " + d.Rule
	if d.Row != "" {
		text += " on " + d.Row
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text + " (basis: " + d.Basis + ")"
}

// shortened returns the beginning of a body of a size.
func shortened(body string, size int) string {
	if len(body) > reportedBody {
		return strings.ToValidUTF8(body[:reportedBody], "") + fmt.Sprintf("… (%d bytes)", size)
	}
	return body
}

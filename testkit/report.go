package testkit

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// What a report of a failed test shows at most.
const (
	reportedExchanges = 20
	reportedBody      = 400 // bytes of each body
)

// report logs the last exchanges of a failed test's bank, with the decisions behind them.
func (b *Bank) report() {
	var page journal.Page
	if err := b.try(http.MethodGet, fmt.Sprintf("/%s/journal?limit=%d", b.name, reportedExchanges), nil, &page); err != nil {
		b.t.Logf("testkit: what the bank was asked can't be told: %v", err)
		return
	}
	b.t.Log(reportOf(page.Exchanges))
}

// reportOf tells of exchanges.
func reportOf(exchanges []Exchange) string {
	if len(exchanges) == 0 {
		return "testkit: the bank was asked nothing: does the app use its BaseURL?"
	}
	var text strings.Builder
	text.WriteString("testkit: what the bank was asked, and why it answered so:")
	for _, x := range exchanges {
		fmt.Fprintf(&text, "\n%s  %s %s -> %s\n\t%s", x.ID, x.Request.Method, target(x), status(x), decision(x.Decision))
		if x.Fault != nil {
			fmt.Fprintf(&text, "\n\tfaults: %s", inJSON(x.Fault))
		}
		for _, lint := range x.Lints {
			fmt.Fprintf(&text, "\n\todd: %s", lint.Message)
		}
		if x.Request.Body != "" {
			fmt.Fprintf(&text, "\n\trequest:  %s", shortened(x.Request.Body))
		}
		if x.Response.Body != "" {
			fmt.Fprintf(&text, "\n\tresponse: %s", shortened(x.Response.Body))
		}
	}
	return text.String()
}

// target is a request's path and query.
func target(x Exchange) string {
	if i := strings.Index(x.Request.URL, x.Request.Path); i >= 0 && x.Request.Path != "" {
		return x.Request.URL[i:]
	}
	return x.Request.URL
}

func status(x Exchange) string {
	if x.Response.Status == 0 {
		return "no answer"
	}
	return fmt.Sprintf("%d %s", x.Response.Status, http.StatusText(x.Response.Status))
}

// decision tells why an answer is what it is. Of a path that is no operation's, its message names the nearest.
func decision(d journal.Decision) string {
	text := d.Outcome + " by " + d.Rule
	if d.Row != "" {
		text += " on " + d.Row
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text + " (basis: " + d.Basis + ")"
}

func shortened(body string) string {
	if len(body) > reportedBody {
		return strings.ToValidUTF8(body[:reportedBody], "") + fmt.Sprintf("… (%d bytes)", len(body))
	}
	return body
}

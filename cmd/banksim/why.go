package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

type whyCommand struct {
	ID      string `arg:"" optional:"" help:"Number of the exchange (Banksim-Exchange). Default: the newest."`
	Last    int    `default:"1" placeholder:"N" help:"Explain the last N exchanges instead, the newest last."`
	Refused bool   `help:"Only exchanges that the bank refused."`
	Full    bool   `help:"Also print the request, the answer and the ledger."`
	Search  string `placeholder:"WORDS" help:"Only exchanges like this: an X-Request-Id, status:4xx, user:1001 (see docs/control-api.md)."`
	Sandbox string `placeholder:"NAME" help:"Name of the sandbox. Default: default."`
	controlFlags
}

// Run asks a running simulator why it answered requests as it did, and prints the explanations.
func (c whyCommand) Run(ctx context.Context, s streams) error {
	if c.ID != "" && (c.Last != 1 || c.search() != "") {
		return wrongUse{errors.New("an exchange is named, so --last, --refused and --search have nothing to choose: " +
			"leave them out, or the number of the exchange")}
	}
	if c.Last < 1 || c.Last > maxLast {
		return wrongUse{fmt.Errorf("--last %d: give 1 to %d", c.Last, maxLast)}
	}
	client, err := c.client(ctx, c.Sandbox)
	if err != nil {
		return err
	}
	ids := []string{c.ID}
	if c.ID == "" {
		if ids, err = c.newest(ctx, client, s); err != nil {
			return err
		}
	}
	format := "text"
	if c.Full {
		format = "full"
	}
	for i, id := range ids {
		path := client.inSandbox("/journal/" + url.PathEscape(id) + "/why?format=" + format)
		text, err := client.Read(ctx, http.MethodGet, path, nil)
		if err != nil {
			return withSandboxRemedy(err)
		}
		text = bytes.ReplaceAll(text, []byte(explanation.Control+"/v1/"), []byte(client.URL+"/v1/"))
		if i > 0 {
			text = append([]byte("\n"), text...)
		}
		if _, err := s.out.Write(text); err != nil {
			return err
		}
	}
	return printVerdict(ctx, client, s)
}

// printVerdict prints what a test with the sandbox would have to fail with, if there is anything.
func printVerdict(ctx context.Context, client *controlClient, s streams) error {
	var v verdict.Verdict
	if err := client.Get(ctx, client.inSandbox("/verdict"), &v); err != nil {
		return err
	}
	for _, f := range v.Findings {
		if _, err := fmt.Fprintf(s.out, "verdict: %s\n", f.Text); err != nil {
			return err
		}
	}
	return nil
}

// maxLast bounds --last: the control API lists no more at once.
const maxLast = 1000

// newest returns the numbers of the exchanges that the flags choose, the oldest first. If no flag names the sandbox,
// newest says which other one has a newer exchange.
func (c whyCommand) newest(ctx context.Context, client *controlClient, s streams) (ids []string, err error) {
	query := "/journal?q=" + url.QueryEscape(c.search())
	var page journal.Page
	if err := client.Get(ctx, client.inSandbox(fmt.Sprintf("%s&limit=%d", query, c.Last)), &page); err != nil {
		return nil, withSandboxRemedy(err)
	}
	for _, x := range page.Exchanges {
		ids = append(ids, x.ID)
	}
	var newest time.Time
	if len(ids) > 0 {
		newest = page.Exchanges[len(ids)-1].RealAt
	}
	other := ""
	if c.Sandbox == "" {
		other = newerSandbox(ctx, client, query, newest)
	}
	switch {
	case len(ids) == 0 && other != "":
		return nil, fmt.Errorf("%s: the journal of the sandbox %s %s; sandbox %s has newer exchanges: --sandbox %s",
			client.URL, wording.Quote(client.sandbox), c.lacks(), wording.Quote(other), other)
	case len(ids) == 0:
		return nil, fmt.Errorf("%s: the journal of the sandbox %s %s: %s",
			client.URL, wording.Quote(client.sandbox), c.lacks(), whereElse(ctx, client))
	case other != "":
		_, _ = fmt.Fprintf(s.err, "sandbox %s has a newer exchange: --sandbox %s\n", other, other)
	}
	return ids, nil
}

// search returns the search that the flags stand for.
func (c whyCommand) search() string {
	if c.Refused {
		return strings.TrimSpace("outcome:" + journal.Refused + " " + c.Search)
	}
	return c.Search
}

// lacks says why the flags find nothing in a journal.
func (c whyCommand) lacks() string {
	if c.search() != "" {
		return "holds no such exchange"
	}
	return "is empty"
}

// newerSandbox returns the name of the other sandbox with the newest exchange of a query. It returns "" if no exchange
// is after the time.
func newerSandbox(ctx context.Context, client *controlClient, query string, newest time.Time) (name string) {
	for _, other := range otherSandboxes(ctx, client) {
		var page journal.Page
		_ = client.Get(ctx, api.SandboxPath(other, query+"&limit=1"), &page) // it may have been deleted
		if len(page.Exchanges) > 0 && page.Exchanges[0].RealAt.After(newest) {
			newest, name = page.Exchanges[0].RealAt, other
		}
	}
	return name
}

// whereElse says where the exchange may be that a sandbox doesn't have.
func whereElse(ctx context.Context, client *controlClient) string {
	names := otherSandboxes(ctx, client)
	if len(names) == 0 {
		return "send a request to the simulated interface first"
	}
	listed := wording.Names(names)
	if len(names) == maxOthers { // there may be more
		listed = wording.Names(names[:3]) + " and many others"
	}
	return "send it a request, or name another sandbox with --sandbox: " + listed
}

// maxOthers bounds the other sandboxes that are asked (choice).
const maxOthers = 100

// otherSandboxes returns the names of other sandboxes. Without them, the rest of a message is right, too.
func otherSandboxes(ctx context.Context, client *controlClient) (names []string) {
	var list api.Sandboxes
	_ = client.Get(ctx, fmt.Sprintf("/v1/sandboxes?limit=%d", maxOthers), &list)
	for _, other := range list.Sandboxes {
		if other.Name != client.sandbox {
			names = append(names, other.Name)
		}
	}
	return names
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

type whyCommand struct {
	ID      string `arg:"" optional:"" help:"Number of the exchange, as in the header Banksim-Exchange. Default: the newest exchange."`
	Last    int    `env:"-" default:"1" placeholder:"N" help:"Explain the last N exchanges instead, the newest last."`
	Refused bool   `env:"-" help:"Only exchanges that the bank refused."`
	Copy    string `env:"-" default:"" enum:",curl,fault" placeholder:"FORM" help:"Print a copy instead: a curl command, or a fault."`
	controlFlags
}

// Run asks a running simulator why it answered requests as it did, and prints that for people.
func (c whyCommand) Run(ctx context.Context, s streams) error {
	if c.ID != "" && (c.Last != 1 || c.Refused) {
		return wrongUse{errors.New("an exchange is named, so --last and --refused have nothing to choose: " +
			"leave them out, or the number of the exchange")}
	}
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	ids, err := c.ids(ctx, client)
	if err != nil {
		return err
	}
	for i, id := range ids {
		var why explanation.Explanation
		if err := client.Get(ctx, client.inSandbox("/journal/"+url.PathEscape(id)+"/why"), &why); err != nil {
			return err
		}
		text, err := c.shown(why)
		if err != nil {
			return err
		}
		if i > 0 {
			text = "\n" + text
		}
		if _, err := fmt.Fprint(s.out, text); err != nil {
			return err
		}
	}
	return nil
}

// ids returns the exchanges to explain, the oldest first.
func (c whyCommand) ids(ctx context.Context, client *controlClient) ([]string, error) {
	if c.ID != "" {
		return []string{c.ID}, nil
	}
	query := fmt.Sprintf("/journal?limit=%d", c.Last)
	if c.Refused {
		query += "&outcome=" + journal.Refused
	}
	var page struct{ Exchanges []struct{ ID string } }
	if err := client.Get(ctx, client.inSandbox(query), &page); err != nil {
		return nil, err
	}
	if len(page.Exchanges) == 0 {
		return nil, fmt.Errorf("%s: the journal of the sandbox %s holds no such exchange: send a request to the simulated interface first",
			client.URL, phrase.Quote(client.sandbox))
	}
	ids := make([]string, len(page.Exchanges))
	for i, x := range page.Exchanges {
		ids[i] = x.ID
	}
	return ids, nil
}

// shown returns what is printed for an explanation.
func (c whyCommand) shown(why explanation.Explanation) (string, error) {
	switch {
	case c.Copy == "curl":
		return why.Copies.Curl + "\n", nil
	case c.Copy == "fault" && why.Copies.Fault == nil:
		return "", errors.New("the request was no operation's, and a fault is injected into operations")
	case c.Copy == "fault":
		rule, err := json.Marshal(why.Copies.Fault)
		return string(rule) + "\n", err
	}
	return explained(why), nil
}

// explained returns an explanation as it is printed for people. Nothing that a caller sent controls the terminal.
func explained(why explanation.Explanation) string {
	x, page := why.Exchange, &strings.Builder{}
	fmt.Fprintf(page, "%s\n%s\nexchange %s of sandbox %s at %s, took %s\n", why.Cause, why.Title,
		x.ID, x.Sandbox, x.At.UTC().Format(time.RFC3339), time.Duration(x.TookMicros)*time.Microsecond)
	fmt.Fprintf(page, "\nWhy\n  %s\n", why.Sentence)
	fmt.Fprintf(page, "\nRequest\n  %s %s\n", x.Request.Method, x.Request.URL)
	writeMessage(page, x.Request.Headers, x.Request.Body, x.Request.BodyBytes, x.Request.BodyTruncated)
	status := "none was sent"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(strconv.Itoa(x.Response.Status) + " " + http.StatusText(x.Response.Status))
	}
	fmt.Fprintf(page, "\nAnswer\n  %s\n", status)
	writeMessage(page, x.Response.Headers, x.Response.Body, x.Response.BodyBytes, x.Response.BodyTruncated)
	for _, f := range why.Faults {
		fmt.Fprintf(page, "\nFault\n  %s: %s\n", f.Name, f.Effect)
	}
	for _, l := range why.Lints {
		fmt.Fprintf(page, "\nOdd about the request\n  %s: %s\n", l.Code, l.Message)
	}
	for _, e := range why.Entries {
		fmt.Fprintf(page, "\nLedger entry %s\n  %s\n  %s\n  (%s: %s)\n", e.ID, e.Question, e.Answer, e.Basis, e.Source)
	}
	return strings.ReplaceAll(explanation.Visible(page.String()), "\r", `\r`)
}

// writeMessage writes the headers and the body of a request or an answer, with JSON one member a line.
func writeMessage(page io.Writer, headers journal.Header, body string, size int, truncated bool) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			fmt.Fprintf(page, "  %s: %s\n", name, value)
		}
	}
	if size == 0 {
		return
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(body), "", "  ") == nil {
		body = indented.String()
	}
	fmt.Fprintf(page, "\n  %s\n", strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n  "))
	if truncated {
		fmt.Fprintf(page, "  … the journal keeps no more of its %d bytes\n", size)
	}
}

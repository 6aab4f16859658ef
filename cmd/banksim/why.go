package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

type whyCommand struct {
	ID      string `arg:"" optional:"" help:"Number of the exchange, as in the header Banksim-Exchange. Default: the newest exchange."`
	Last    int    `env:"-" default:"1" placeholder:"N" help:"Explain the last N exchanges instead, the newest last."`
	Refused bool   `env:"-" help:"Only exchanges that the bank refused."`
	Trace   string `env:"-" placeholder:"ID" help:"Only exchanges with this in them, as in traceparent or X-Request-Id."`
	Copy    string `env:"-" default:"" enum:",curl,fault" placeholder:"FORM" help:"Print a copy instead: a curl command, or a fault."`
	controlFlags
}

// Run asks a running simulator why it answered requests as it did, and prints that for people.
func (c whyCommand) Run(ctx context.Context, s streams) error {
	if c.ID != "" && (c.Last != 1 || c.Refused || c.Trace != "") {
		return wrongUse{errors.New("an exchange is named, so --last, --refused and --trace have nothing to choose: " +
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
		text, err := c.explained(ctx, client, client.inSandbox("/journal/"+url.PathEscape(id)+"/why"))
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
	query := fmt.Sprintf("/journal?limit=%d&text=%s", c.Last, url.QueryEscape(c.Trace))
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

// explained returns what is printed of the explanation at a path.
func (c whyCommand) explained(ctx context.Context, client *controlClient, path string) (string, error) {
	if c.Copy == "" {
		text, err := client.Read(ctx, http.MethodGet, path+"?format=text", nil)
		return string(text), err
	}
	var why explanation.Explanation
	if err := client.Get(ctx, path, &why); err != nil {
		return "", err
	}
	if c.Copy == "curl" {
		return why.Copies.Curl + "\n", nil
	}
	if why.Copies.Fault == nil {
		return "", errors.New("the request was no operation's, and a fault is injected into operations")
	}
	rule, err := json.Marshal(why.Copies.Fault)
	return string(rule) + "\n", err
}

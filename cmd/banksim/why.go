package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

type whyCommand struct {
	ID      string `arg:"" optional:"" help:"Number of the exchange (Banksim-Exchange). Default: the newest."`
	Last    int    `default:"1" placeholder:"N" help:"Explain the last N exchanges instead, the newest last."`
	Refused bool   `help:"Only exchanges that the bank refused."`
	Trace   string `placeholder:"ID" help:"Only exchanges with this in them, as in traceparent or X-Request-Id."`
	controlFlags
}

// Run asks a running simulator why it answered requests as it did, and prints the explanations.
func (c whyCommand) Run(ctx context.Context, s streams) error {
	if c.ID != "" && (c.Last != 1 || c.Refused || c.Trace != "") {
		return wrongUse{errors.New("an exchange is named, so --last, --refused and --trace have nothing to choose: " +
			"leave them out, or the number of the exchange")}
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	ids := []string{c.ID}
	if c.ID == "" {
		if ids, err = c.newest(ctx, client); err != nil {
			return err
		}
	}
	for i, id := range ids {
		path := client.inSandbox("/journal/" + url.PathEscape(id) + "/why?format=text")
		text, err := client.Read(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte("\n"), text...)
		}
		if _, err := s.out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the numbers of the exchanges that the flags choose, the oldest first.
func (c whyCommand) newest(ctx context.Context, client *controlClient) (ids []string, err error) {
	query := fmt.Sprintf("/journal?limit=%d&text=%s", c.Last, url.QueryEscape(c.Trace))
	if c.Refused {
		query += "&outcome=" + journal.Refused
	}
	var page struct{ Exchanges []struct{ ID string } }
	if err := client.Get(ctx, client.inSandbox(query), &page); err != nil {
		return nil, err
	}
	for _, x := range page.Exchanges {
		ids = append(ids, x.ID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: the journal of the sandbox %s holds no such exchange: %s",
			client.URL, phrase.Quote(client.sandbox), otherSandboxes(ctx, client))
	}
	return ids, nil
}

// otherSandboxes says where the exchange may be that a sandbox doesn't have.
func otherSandboxes(ctx context.Context, client *controlClient) string {
	var list api.Sandboxes
	_ = client.Get(ctx, "/v1/sandboxes", &list) // without them, the rest is right, too
	var names []string
	for _, other := range list.Sandboxes {
		if other.Name != client.sandbox {
			names = append(names, other.Name)
		}
	}
	if len(names) == 0 {
		return "send a request to the simulated interface first"
	}
	return "send it a request, or name another sandbox with --sandbox: " + phrase.Names(names)
}

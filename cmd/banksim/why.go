package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxExplained is how many exchanges are explained at once (choice).
const maxExplained = 100

// copyForms are the forms of a copy.
var copyForms = []string{"curl", "fault"}

type whyCommand struct {
	ID      string `arg:"" optional:"" placeholder:"ID" help:"Number of the exchange, as in the header Banksim-Exchange of its answer. Default: the newest exchange."`
	Last    *int   `env:"-" placeholder:"N" help:"Explain the last N exchanges instead, the newest last; at most 100."`
	Refused bool   `env:"-" help:"Only exchanges that were refused, or that a fault answered."`
	Copy    string `env:"-" placeholder:"FORM" help:"Print nothing but a copy: curl, a command that sends the request again, or fault, a rule for the control API."`
	JSON    bool   `name:"json" env:"-" help:"Print the control API's answers, one a line."`
	controlFlags
}

// Help says what the command is for.
func (whyCommand) Help() string {
	return "Asks a running simulator why it answered a request as it did, and prints it for people: request, answer, decision, the entries of the ledger, faults, and what is odd about the request."
}

// Run prints explanations.
func (c whyCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	ids, err := c.ids(ctx, client)
	if err != nil {
		return err
	}
	for i, id := range ids {
		var answer json.RawMessage
		if err := client.get(ctx, client.inSandbox("/journal/"+url.PathEscape(id)+"/why"), &answer); err != nil {
			return err
		}
		text, err := c.render(answer)
		if err != nil {
			return fmt.Errorf("%s: the explanation of exchange %s can't be read: %w", client.URL, id, err)
		}
		if i > 0 && !c.JSON {
			text = "\n" + text
		}
		if _, err := fmt.Fprint(s.out, text); err != nil {
			return err
		}
	}
	return nil
}

// check refuses flags that contradict one another.
func (c whyCommand) check() error {
	switch {
	case c.ID != "" && (c.Last != nil || c.Refused):
		return errors.New("an exchange is named, so --last and --refused have nothing to choose: leave them out, or the number of the exchange")
	case c.Last != nil && (*c.Last < 1 || *c.Last > maxExplained):
		return fmt.Errorf("--last %d is not a number from 1 to %d", *c.Last, maxExplained)
	case c.ID != "" && !isExchange(c.ID):
		return fmt.Errorf("%s is not the number of an exchange, such as 42: it is in the header Banksim-Exchange of an answer", phrase.Quote(c.ID))
	case c.Copy != "" && !slices.Contains(copyForms, c.Copy):
		return fmt.Errorf("--copy %s is none of the forms: they are %s", phrase.Quote(c.Copy), phrase.Names(copyForms))
	case c.Copy != "" && c.JSON:
		return errors.New("--copy and --json contradict each other: give one of them")
	}
	return nil
}

func isExchange(id string) bool {
	_, ok := journal.ParseID(id)
	return ok
}

// ids returns the exchanges to explain, the oldest first.
func (c whyCommand) ids(ctx context.Context, client *controlClient) ([]string, error) {
	if c.ID != "" {
		return []string{c.ID}, nil
	}
	count := 1
	if c.Last != nil {
		count = *c.Last
	}
	limit := count
	if c.Refused {
		limit = 1000 // of these, the last ones that were refused
	}
	var page struct {
		Exchanges []struct {
			ID       string
			Decision struct{ Outcome string }
			Fault    *struct{ AnsweredBy string }
		}
	}
	if err := client.get(ctx, client.inSandbox(fmt.Sprintf("/journal?limit=%d", limit)), &page); err != nil {
		return nil, err
	}
	var ids []string
	for _, x := range page.Exchanges {
		if !c.Refused || x.Decision.Outcome != journal.Accepted || x.Fault != nil && x.Fault.AnsweredBy != "" {
			ids = append(ids, x.ID)
		}
	}
	switch {
	case len(page.Exchanges) == 0:
		return nil, fmt.Errorf("%s: the journal of the sandbox %s holds no exchange yet: send a request to the simulated interface first", client.URL, phrase.Quote(client.sandbox))
	case len(ids) == 0:
		return nil, fmt.Errorf("%s: of the last %d exchanges of the sandbox %s, all were accepted", client.URL, len(page.Exchanges), phrase.Quote(client.sandbox))
	}
	return ids[max(0, len(ids)-count):], nil
}

// render returns what is printed for an explanation.
func (c whyCommand) render(answer json.RawMessage) (string, error) {
	if c.JSON {
		var line bytes.Buffer
		err := json.Compact(&line, answer)
		return wire.Visible(line.String()) + "\n", err
	}
	var why explanation.Explanation
	if err := json.Unmarshal(answer, &why); err != nil {
		return "", err
	}
	if c.Copy != "" {
		text, err := copyOf(why.Copies, c.Copy)
		return strings.TrimSuffix(text, "\n") + "\n", err
	}
	return explained(why), nil
}

// copyOf returns a copy in one of its forms.
func copyOf(copies explanation.Copies, form string) (string, error) {
	switch form {
	case "curl":
		return copies.Curl, nil
	}
	if copies.Fault == nil {
		return "", errors.New("the request was no operation's, and a fault is injected into operations")
	}
	rule, err := json.Marshal(copies.Fault)
	return string(rule), err
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type usersCommand struct {
	Scenario string `arg:"" optional:"" default:"retail" help:"A scenario: a built-in one, or a file. Default: retail."`
	JSON     bool   `name:"json" env:"-" help:"Print JSON, as the control API answers it."`
}

// widestPurpose is how many columns the last column of the table takes: what users are good for.
const widestPurpose = 64

// Run prints the users of a scenario and what each is good for.
func (c usersCommand) Run(ctx context.Context, s streams) error {
	sc, err := usableScenario(ctx, c.Scenario)
	if err != nil {
		return err
	}
	list := controlapi.NewUserList(sc.Bank())
	if c.JSON {
		encoded, err := wire.EncodeIndented(list)
		if err != nil {
			return err
		}
		_, err = s.out.Write(encoded)
		return err
	}
	for n, institution := range sc.Bank().Institutions() {
		if n > 0 {
			_, _ = fmt.Fprintln(s.out)
		}
		if err := printUsers(s, institution.InstitutionID, list); err != nil {
			return err
		}
	}
	if hidden := list.Total - len(list.Users); hidden > 0 {
		_, _ = fmt.Fprintf(s.out, "\nand %d more users\n", hidden)
	}
	if line := firstLine(sc, list); line != "" {
		_, _ = fmt.Fprintf(s.out, "\nTry one, with banksim serve --scenario %s:\n%s\n", shellQuoted(c.Scenario), line)
	}
	return nil
}

// printUsers prints the users of an institution as a table.
func printUsers(s streams, institutionID string, list api.Users) error {
	var clients []string
	for _, client := range list.Clients {
		if client.InstitutionID == institutionID {
			clients = append(clients, fmt.Sprintf("%s (secret key %s)", client.SharedKey, client.SecretKey))
		}
	}
	_, _ = fmt.Fprintf(s.out, "institution %s", institutionID)
	if len(clients) > 0 {
		_, _ = fmt.Fprintf(s.out, ", client %s", strings.Join(clients, ", "))
	}
	_, _ = fmt.Fprintln(s.out)
	users := slices.DeleteFunc(slices.Clone(list.Users), func(u api.UserSummary) bool { return u.InstitutionID != institutionID })
	if len(users) == 0 {
		_, err := fmt.Fprintln(s.out, "  no users")
		return err
	}
	var rows bytes.Buffer
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  user\tlogin\taccounts\ttokens\tgood for")
	for _, u := range users {
		login, tokens, purpose := "-", slices.Clone(u.Tokens), wrapped(u.Summary, widestPurpose)
		switch {
		case u.Username != "" && u.Password != "":
			login = u.Username + " / " + u.Password
		case u.Username != "":
			login = u.Username
		}
		if len(tokens) == 0 {
			tokens = []string{"-"}
		}
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%d\t%s\t%s\n", u.HostUserID, login, u.Accounts, tokens[0], purpose[0])
		for n := 1; n < max(len(tokens), len(purpose)); n++ {
			_, _ = fmt.Fprintf(table, "  \t\t\t%s\t%s\n", at(tokens, n), at(purpose, n))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for row := range strings.Lines(rows.String()) {
		if _, err := fmt.Fprintln(s.out, strings.TrimRight(row, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// at returns an element of a list, or nothing.
func at(list []string, n int) string {
	if n < len(list) {
		return list[n]
	}
	return ""
}

// wrapped returns the lines of a text, broken at spaces.
func wrapped(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

// firstLine returns a command that asks for the disclosures of an account of the first user that has one, and a token.
func firstLine(sc *scenario.Scenario, list api.Users) string {
	for _, u := range list.Users {
		if len(u.Tokens) == 0 {
			continue
		}
		for a := range sc.World.Accounts(u.InstitutionID, u.HostUserID) {
			return disclosuresCommand(a, u.Tokens[0])
		}
	}
	return ""
}

func disclosuresCommand(a *sim.Account, token string) string {
	op := contract.EstatementsGetDisclosures
	path := strings.NewReplacer("{accountId}", url.PathEscape(a.AccountID)).Replace(op.Path)
	return fmt.Sprintf("curl -s %s -H %s -H 'correlationid: c-1'",
		shellQuoted(defaultService+path+"?hostUserId="+url.QueryEscape(a.HostUserID)), shellQuoted("Authorization: Bearer "+token))
}

// shellQuoted returns a text as one word of a shell's command line.
func shellQuoted(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:", r)
	}) && text != "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

type usersCommand struct {
	Scenario string `arg:"" optional:"" default:"retail" help:"A scenario: a built-in one, or a file. Default: retail."`
}

// Run prints the users of a scenario and what each is good for, as a table for each institution.
func (c usersCommand) Run(ctx context.Context, s streams) error {
	sc, err := usableScenario(ctx, c.Scenario)
	if err != nil {
		return err
	}
	list := controlapi.NewUserList(sc.Bank())
	for _, institution := range sc.Bank().Institutions() {
		table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintf(table, "institution %s\n", institution.InstitutionID)
		for _, client := range list.Clients {
			if client.InstitutionID == institution.InstitutionID {
				_, _ = fmt.Fprintf(table, "client %s (secret key %s)\n", client.SharedKey, client.SecretKey)
			}
		}
		_, _ = fmt.Fprint(table, "\nuser\tlogin\taccounts\ttokens\tgood for\n")
		for _, u := range list.Users {
			if u.InstitutionID == institution.InstitutionID {
				login := strings.Trim(u.Username+" / "+u.Password, " /")
				_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", u.HostUserID, cmp.Or(login, "-"), u.Accounts,
					cmp.Or(strings.Join(u.Tokens, ", "), "-"), u.Summary)
			}
		}
		_, _ = fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if hidden := list.Total - len(list.Users); hidden > 0 {
		_, err = fmt.Fprintf(s.out, "and %d more users\n", hidden)
	}
	return err
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

type scenariosCommand struct {
	List  listCommand  `cmd:"" default:"1" help:"List the built-in scenarios."`
	Show  showCommand  `cmd:"" help:"Print the YAML of a scenario."`
	New   newCommand   `cmd:"" help:"Create a scenario to start from: valid, and with comments."`
	Users usersCommand `cmd:"" help:"Print the users of a scenario, and what each is good for."`
}

type listCommand struct{}

// Run prints a line for each built-in scenario.
func (listCommand) Run(s streams) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, name := range scenario.Names() {
		sc, err := scenario.Load(name, scenario.WithoutWorld())
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\n", sc.Name, sc.Description)
	}
	return table.Flush()
}

type showCommand struct {
	Scenario string `arg:"" help:"A built-in scenario, or a file."`
	Resolved bool   `help:"With all that it extends merged in, and the origin of each line."`
}

// Run prints the scenario.
func (c showCommand) Run(ctx context.Context, s streams) error {
	sc, err := s.usableScenario(ctx, c.Scenario, scenario.WithoutWorld())
	if err != nil {
		return err
	}
	source := sc.Source
	if c.Resolved {
		if source, err = sc.Resolved(); err != nil {
			return wrongUse{err}
		}
	}
	if line, rest, _ := bytes.Cut(source, []byte("\n")); bytes.HasPrefix(line, []byte("# yaml-language-server:")) {
		source = bytes.TrimPrefix(rest, []byte("#\n")) // the schema may not be beside the output
	}
	_, err = s.document.Write(source)
	return err
}

type newCommand struct {
	Name    string `arg:"" help:"Name of the scenario or of its file."`
	Extends string `placeholder:"NAME|FILE" help:"A built-in scenario or a file that it builds on."`
}

// schemaFile is the file that the first line of a scenario names to editors, in the same folder.
const schemaFile = "scenario.schema.json"

// Run writes the scenario and, unless there is one, the schema.
func (c newCommand) Run(s streams) error {
	name := c.Name
	if !isYAML(name) {
		name += ".yaml"
	}
	source, err := scenario.Starter(name, c.Extends)
	if err != nil {
		return wrongUse{err}
	}
	switch err := create(s, name, source); {
	case errors.Is(err, fs.ErrExist):
		return wrongUse{fmt.Errorf("%s exists, and is left as it is: choose another name, or remove it",
			wording.Shorten(name))}
	case err != nil:
		return wrongUse{err}
	}
	err = create(s, filepath.Join(filepath.Dir(name), schemaFile), scenario.Schema())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// create writes a file and says so, or returns fs.ErrExist.
func create(s streams, name string, data []byte) error {
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	if err := writeFile(name, data, plainMode); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "wrote %s\n", name)
	return err
}

func isYAML(name string) bool { return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) }

type usersCommand struct {
	Scenario string `arg:"" optional:"" default:"retail" help:"A built-in scenario, or a file. Default: retail."`
}

// Run prints the users of a scenario and what each is good for, as a table for each institution.
func (c usersCommand) Run(ctx context.Context, s streams) error {
	sc, err := s.usableScenario(ctx, c.Scenario, s.loading())
	if err != nil {
		return err
	}
	list := controlapi.NewUserList(sc.Bank(), s.line.start("listing the users"))
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
			if u.InstitutionID != institution.InstitutionID {
				continue
			}
			login := strings.Trim(u.Username+" / "+u.Password, " /")
			_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", u.HostUserID, cmp.Or(login, "-"), u.Accounts,
				cmp.Or(strings.Join(u.Tokens, ", "), "-"), u.Summary)
		}
		_, _ = fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if hidden := list.Total - len(list.Users); hidden > 0 {
		_, err = fmt.Fprintf(s.out, "and %s\n", wording.Count(hidden, "more user"))
	}
	return err
}

// The name of standard input as an argument, and in messages.
const (
	stdin       = "-"
	nameOfStdin = "<stdin>"
)

// usableScenario loads the scenario that an argument names. Its error ends the command, and so does the end of ctx.
func (s streams) usableScenario(
	ctx context.Context, name string, options ...scenario.Option,
) (*scenario.Scenario, error) {
	sc, err := await(ctx, func() (*scenario.Scenario, error) {
		sc, _, err := s.loadScenario(name, options...)
		return sc, err
	})
	if err != nil {
		err = wrongUse{err}
	}
	return sc, err
}

// loadScenario loads a built-in scenario, a file or, by the name -, standard input. It returns the files that it read.
func (s streams) loadScenario(
	name string, options ...scenario.Option,
) (*scenario.Scenario, scenario.Files, error) {
	if name != stdin {
		return scenario.LoadFile(name, options...)
	}
	text, err := io.ReadAll(io.LimitReader(s.in, 2*scenario.MaxBytes))
	if err != nil {
		return nil, nil, err
	}
	sc, err := scenario.LoadFrom(nameOfStdin, text, options...)
	return sc, nil, err
}

// loading returns the option of a load that shows the progress.
func (s streams) loading() scenario.Option {
	return scenario.WithProgress(s.line.start("making the rows"))
}

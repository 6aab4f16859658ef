package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type scenariosCommand struct {
	List listScenariosCommand `cmd:"" default:"1" help:"List the built-in scenarios."`
	Show showScenarioCommand  `cmd:"" help:"Print the YAML of a scenario."`
	New  newScenarioCommand   `cmd:"" help:"Create a scenario to start from: valid, and with comments."`
}

type listScenariosCommand struct{}

// Run prints a line for each scenario.
func (listScenariosCommand) Run(s streams) error {
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

type showScenarioCommand struct {
	Name     string `arg:"" help:"A scenario: a built-in one, or a file with --resolved."`
	Resolved bool   `env:"-" help:"With all that it extends merged in, and where each line is from."`
}

// Run prints the scenario.
func (c showScenarioCommand) Run(ctx context.Context, s streams) error {
	source, err := scenario.Source(c.Name)
	if c.Resolved {
		var sc *scenario.Scenario
		if sc, err = usableScenario(ctx, c.Name, scenario.WithoutWorld()); err != nil {
			return err
		}
		source, err = sc.Resolved()
	}
	if err != nil {
		return wrongUse{err}
	}
	if line, rest, _ := bytes.Cut(source, []byte("\n")); bytes.HasPrefix(line, []byte("# yaml-language-server:")) {
		source = bytes.TrimPrefix(rest, []byte("#\n")) // the schema may not be beside the output
	}
	_, err = s.out.Write(source)
	return err
}

type newScenarioCommand struct {
	Name    string `arg:"" help:"Name of the scenario or of its file. Without an extension, .yaml is added."`
	Extends string `placeholder:"NAME|FILE" help:"A built-in scenario, or a file beside the new one, that it builds on."`
}

// schemaFile is the file that the first line of a scenario names to editors, in the same folder.
const schemaFile = "scenario.schema.json"

// Run writes the scenario, and the schema unless there is one. It writes over no file.
func (c newScenarioCommand) Run(s streams) error {
	name := c.Name
	if !isYAML(name) {
		name += ".yaml"
	}
	source, err := scenario.Starter(name, c.Extends)
	if err != nil {
		return wrongUse{err}
	}
	if err := create(s, name, source); errors.Is(err, fs.ErrExist) {
		return wrongUse{fmt.Errorf("%s exists, and is left as it is: choose another name, or remove it",
			phrase.Shorten(name))}
	} else if err != nil {
		return wrongUse{err}
	}
	if err := create(s, filepath.Join(filepath.Dir(name), schemaFile), scenario.Schema()); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// create writes a file that doesn't exist yet, and says so.
func create(s streams, name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, plainMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "wrote %s\n", name)
	return err
}

// nameOfStdin is the name of standard input in messages.
const nameOfStdin = "<stdin>"

// source is where an argument says that a scenario is.
type source struct {
	name    string // in messages
	file    string // "" for a built-in scenario
	content []byte // of the file, as far as it was read
	err     error  // why it can't be read
}

// readSource reads a scenario that an argument names: a file or a pipe, or - for standard input. It doesn't read a
// built-in one.
func readSource(ctx context.Context, name string) source {
	s := source{name: nameOfStdin, file: nameOfStdin}
	if name != stdin {
		s.name = name
		if s.file, s.err = scenario.FileOf(name); s.err != nil || s.file == "" {
			return s
		}
		name = s.file
	}
	s.content, s.err = readFile(ctx, name, scenario.MaxBytes)
	return s
}

// load loads the scenario.
func (s source) load(options ...scenario.Option) (*scenario.Scenario, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case s.file == "":
		return scenario.Load(s.name, options...)
	}
	return scenario.LoadFrom(s.file, s.content, options...)
}

// loadScenario loads a scenario that an argument names. It returns when the context ends.
func loadScenario(ctx context.Context, name string, options ...scenario.Option) (*scenario.Scenario, error) {
	s := readSource(ctx, name)
	return await(ctx, func() (*scenario.Scenario, error) { return s.load(options...) })
}

// usableScenario loads a scenario that a command needs. Its error ends the command.
func usableScenario(ctx context.Context, name string, options ...scenario.Option) (*scenario.Scenario, error) {
	sc, err := loadScenario(ctx, name, options...)
	if err != nil {
		err = wrongUse{err}
	}
	return sc, err
}

// loading returns the option of a load that shows the progress.
func (s streams) loading() scenario.Option {
	return scenario.WithProgress(s.line.start("making the rows"))
}

func isYAML(name string) bool { return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) }

// firstRequest returns a request that the bank accepts whatever the scenario's switches say.
func firstRequest(u api.UserSummary) string {
	list := contract.Public().Operation(contract.DisclosuresListUser.Name)
	const request = "curl \"$BANK%s?hostUserId=%s\" \\\n" +
		"  -H 'Authorization: Bearer %s' \\\n  -H '%s: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11'\n"
	token := strings.ReplaceAll(u.Tokens[0], "'", `'\''`)
	return fmt.Sprintf(request, list.Path, url.QueryEscape(u.HostUserID), token, list.Family.RequestID)
}

type usersCommand struct {
	Scenario string `arg:"" optional:"" default:"retail" help:"A scenario: a built-in one, or a file. Default: retail."`
}

// Run prints the users of a scenario and what each is good for, as a table for each institution.
func (c usersCommand) Run(ctx context.Context, s streams) error {
	sc, err := usableScenario(ctx, c.Scenario, s.loading())
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
		request := "" // of the first user that has a token
		for _, u := range list.Users {
			if u.InstitutionID != institution.InstitutionID {
				continue
			}
			login := strings.Trim(u.Username+" / "+u.Password, " /")
			_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", u.HostUserID, cmp.Or(login, "-"), u.Accounts,
				cmp.Or(strings.Join(u.Tokens, ", "), "-"), u.Summary)
			if len(u.Tokens) > 0 && request == "" {
				request = firstRequest(u) + "\n"
			}
		}
		_, _ = fmt.Fprint(table, "\n"+request)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if hidden := list.Total - len(list.Users); hidden > 0 {
		_, err = fmt.Fprintf(s.out, "and %d more users\n", hidden)
	}
	return err
}

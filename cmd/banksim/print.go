package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	controlopenapi "github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

type printCommand struct {
	Schema  schemaCommand  `cmd:"" help:"Print the JSON Schema of scenario files, for editors."`
	OpenAPI openapiCommand `cmd:"" name:"openapi" help:"Print the OpenAPI document of the bank."`
	Ledger  ledgerCommand  `cmd:"" help:"Print the ledger: the basis of each answer of the simulator."`
	CA      caCommand      `cmd:"" help:"Print the certificate that clients of https must trust."`
	Token   tokenCommand   `cmd:"" help:"Print a line for --control-tokens, and its new token on standard error."`
}

type tokenCommand struct {
	Name      string   `arg:"" help:"Whose token it is, such as team-a. Logs and resets name it."`
	Sandboxes []string `required:"" placeholder:"PATTERN" help:"Sandboxes that it may use: team-a-*, or * for all."`
	ReadOnly  bool     `help:"It may read, and change nothing."`
}

// Run draws a token, and prints the line for it. The line can't be turned back into the token.
func (c tokenCommand) Run(s streams) error {
	access, token := "write", rand.Text()
	if c.ReadOnly {
		access = "read"
	}
	line, err := controlapi.TokenLine(c.Name, token, access, strings.Join(c.Sandboxes, ","))
	if err != nil {
		return wrongUse{err}
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "the token of %s: %s\n", c.Name, token)
	return err
}

type schemaCommand struct{}

// Run prints the JSON Schema of scenario files.
func (schemaCommand) Run(s streams) error {
	_, err := s.out.Write(scenario.Schema())
	return err
}

type openapiCommand struct {
	ControlAPI bool   `help:"Print the document of the control API instead."`
	Dialect    string `enum:",document,public" default:"" placeholder:"NAME" help:"Only document or public."`
}

// Run prints an OpenAPI document. Its server is the one that serve starts by default.
func (c openapiCommand) Run(s streams) error {
	if c.ControlAPI && c.Dialect != "" {
		return wrongUse{errors.New("--control-api and --dialect contradict each other: leave one out")}
	}
	if c.ControlAPI {
		_, err := s.out.Write(controlopenapi.Document("http://127.0.0.1:8081"))
		return err
	}
	var dialects []sim.Dialect
	if c.Dialect != "" {
		dialects = append(dialects, sim.Dialect(c.Dialect))
	}
	_, err := s.out.Write(openapi.Document("http://127.0.0.1:8080", dialects...))
	return err
}

type ledgerCommand struct {
	Operation string `placeholder:"NAME" help:"Only entries about this operation, by its name."`
	Basis     string `default:"" enum:",document,published,convention,choice" help:"Only entries with this basis."`
}

// Run prints the entries of the ledger.
func (c ledgerCommand) Run(s streams) error {
	if c.Operation != "" && contract.Document().Operation(c.Operation) == nil {
		return wrongUse{fmt.Errorf("there is no operation %s%s", wording.Quote(c.Operation),
			wording.DidYouMean(c.Operation, contract.Names(), "the operations are"))}
	}
	standard := contract.NewPolicies(sim.DefaultBehavior()).Document
	for _, e := range contract.Select(c.Operation, contract.Basis(c.Basis)) {
		answer := e.Answer(sim.DialectDocument)
		text := fmt.Sprintf("%s (%s: %s)\n  %s\n  %s\n",
			e.ID, e.Basis, e.SourceIn(sim.DialectDocument), e.Question, answer)
		if p := e.Public; p != nil {
			text += fmt.Sprintf("  public dialect (%s: %s): %s\n",
				p.Basis, e.SourceIn(sim.DialectPublic), e.Answer(sim.DialectPublic))
		}
		if s := e.Setting(standard); s != nil {
			for _, a := range s.Alternatives {
				text += fmt.Sprintf("  behavior.%s: %s (%s): %s\n", s.Key, a.Value, a.Basis, a.Answer)
			}
		}
		if _, err := fmt.Fprintln(s.out, text); err != nil {
			return err
		}
	}
	return nil
}

type caCommand struct {
	controlFlags
	TLSCA string `name:"tls-ca" placeholder:"DIR" help:"Read the CA in this directory of serve --tls-ca instead."`
}

// Validate refuses flags that exclude each other.
func (c caCommand) Validate(kctx *kong.Context) error {
	if c.TLSCA == "" {
		return nil
	}
	return refuseUseless(kctx, "with --tls-ca", controlFlagNames...)
}

// Run prints the certificate of the CA. The log of the simulator has its fingerprint.
func (c caCommand) Run(ctx context.Context, s streams) error {
	if c.TLSCA != "" {
		_, err := os.Stat(filepath.Join(c.TLSCA, "ca-key.pem"))
		if errors.Is(err, fs.ErrNotExist) { // else Open says more, or makes the certificate anew
			return wrongUse{fmt.Errorf("--tls-ca: the directory %s has no CA: name another, or make one with "+
				"'banksim serve --listen https://127.0.0.1:8443 --tls-ca DIR'", wording.Quote(c.TLSCA))}
		}
		read := func(name string) ([]byte, error) { return readFile(ctx, name) }
		certificates, err := tlsca.Open(tlsca.Config{Dir: c.TLSCA, Read: read})
		if err != nil {
			return wrongUse{fmt.Errorf("--tls-ca: %w", err)}
		}
		_, err = s.out.Write(certificates.CA())
		return err
	}
	client, err := c.client(ctx, "")
	if err != nil {
		return err
	}
	certificate, err := client.Read(ctx, http.MethodGet, "/ca.pem", nil)
	if err != nil {
		return err
	}
	_, err = s.out.Write(certificate)
	return err
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/memlimit"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// journalPage is how many exchanges are asked for at once (choice).
const journalPage = 500

// exploredBanks makes the banks of an exploration: forks of one sandbox, by the control API of a simulator that runs in this
// process or that it was given.
type exploredBanks struct {
	client   *controlClient
	srv      *server.Server // nil: the simulator runs elsewhere
	base     string         // the name of the sandbox that they are forked from
	behavior *sim.Behavior
	number   atomic.Int64 // of the fork that was made last
	ends     []func()     // of what close ends, the last first
}

// exploredBank is the bank of one run.
type exploredBank struct {
	banks   *exploredBanks
	name    string
	baseURL string
	unserve func() // ends its listener, and what goes on there; nil: it has none of its own
}

// startBanks starts a simulator in this process.
func startBanks(ctx context.Context, sc *scenario.Scenario, token string, log *slog.Logger) (b *exploredBanks, err error) {
	memory := memlimit.Apply(os.DirFS("/"), os.Getenv)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc, Budget: journal.NewBudget(memory.Journals), Freed: new(memlimit.Releaser).Freed})
	b = &exploredBanks{ends: []func(){sandboxes.Close}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if token == "" {
		token = rand.Text()
	}
	b.srv, err = server.Start(context.WithoutCancel(ctx), server.Config{ // it is needed until the commands have ended
		Service: "127.0.0.1:0", Control: "127.0.0.1:0", ControlToken: token, Sandboxes: sandboxes,
		NoDefault: true, Memory: memory, Version: version(), Log: log,
	})
	if err != nil {
		return b, err
	}
	b.ends = append(b.ends, b.srv.Close)
	flags := controlFlags{Control: b.srv.ControlURL(), ControlToken: token, Sandbox: sandbox.Default}
	b.behavior = sc.World.Behavior()
	return b, b.makeBase(ctx, flags, "")
}

// useBanks uses a running simulator. A nil scenario is that of the simulator.
func useBanks(ctx context.Context, flags controlFlags, sc *scenario.Scenario) (b *exploredBanks, err error) {
	b = &exploredBanks{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	var source string
	if sc != nil {
		resolved, err := sc.Resolve() // what it extends may be files, which the simulator doesn't read
		if err != nil {
			return b, err
		}
		source = resolved.YAML
	}
	if err := b.makeBase(ctx, flags, source); err != nil {
		return b, err
	}
	if sc == nil {
		var of struct{ YAML string }
		if err := b.client.get(ctx, sandboxPath(b.base, "/scenario?resolved=true"), &of); err != nil {
			return b, err
		}
		if sc, err = scenario.Parse("scenario.yaml", []byte(of.YAML)); err != nil {
			return b, fmt.Errorf("the scenario of the simulator, whose version may be another than %s: %w", version(), err)
		}
	}
	b.behavior = sc.World.Behavior()
	return b, nil
}

// makeBase creates the sandbox that all banks are forked from. An empty scenario is that of the simulator.
func (b *exploredBanks) makeBase(ctx context.Context, flags controlFlags, source string) (err error) {
	if b.client, err = flags.client(ctx); err != nil {
		return err
	}
	plan := struct {
		Name         string `json:"name"`
		ScenarioYAML string `json:"scenarioYaml,omitzero"`
	}{"explore-" + strings.ToLower(rand.Text()[:8]), source}
	if err := b.client.call(ctx, http.MethodPost, "/v1/sandboxes", plan, nil); err != nil {
		return err
	}
	b.base = plan.Name
	b.ends = append(b.ends, func() { _ = b.delete(ctx, plan.Name) })
	return nil
}

// close ends what the banks needed.
func (b *exploredBanks) close() {
	for i := len(b.ends) - 1; i >= 0; i-- {
		b.ends[i]()
	}
}

// coverage sums up what the banks were asked and answered. Nil: the simulator runs elsewhere, where others ask it, too.
func (b *exploredBanks) coverage(ctx context.Context) (*coverage.Summary, error) {
	if b.srv == nil {
		return nil, nil
	}
	var met coverage.File
	if err := b.client.get(context.WithoutCancel(ctx), "/v1/coverage", &met); err != nil {
		return nil, err
	}
	summary := coverage.Summarize(met, false)
	return &summary, nil
}

// failed delivers the error of a simulator in this process that has failed.
func (b *exploredBanks) failed() <-chan error {
	if b.srv == nil {
		return nil
	}
	return b.srv.Failed()
}

// open makes a bank in which faults are injected.
func (b *exploredBanks) open(ctx context.Context, rules []fault.Rule) (*exploredBank, error) {
	bank := &exploredBank{banks: b, name: fmt.Sprintf("%s-%d", b.base, b.number.Add(1))}
	var made struct{ BaseURL string }
	if err := b.client.call(ctx, http.MethodPost, sandboxPath(b.base, "/fork"), map[string]string{"name": bank.name}, &made); err != nil {
		return nil, err
	}
	bank.baseURL = made.BaseURL
	err := func() (err error) {
		if b.srv != nil {
			if bank.baseURL, bank.unserve, err = b.srv.ServeSandbox(bank.name); err != nil {
				return err
			}
		}
		if len(rules) > 0 {
			return b.client.call(ctx, http.MethodPost, sandboxPath(bank.name, "/faults"), map[string][]fault.Rule{"faults": rules}, nil)
		}
		return nil
	}()
	if err != nil {
		return nil, errors.Join(err, bank.close(ctx))
	}
	return bank, nil
}

// env returns the variables by which a command finds the bank.
func (b *exploredBank) env(failure string) []string {
	client := b.banks.client
	return []string{
		"BANKSIM_BASE_URL=" + b.baseURL,
		"BANKSIM_CONTROL_URL=" + client.URL + sandboxPath(b.name, ""),
		"BANKSIM_TOKEN=" + client.Token,
		"BANKSIM_CONTROL_TOKEN=" + client.Token,
		"BANKSIM_FAILURE=" + failure,
	}
}

// observe returns what the bank has seen, and what it has become. Before, it ends what goes on at a listener of its own.
func (b *exploredBank) observe(ctx context.Context) (o explore.Observation, err error) {
	b.endServing()
	for after := "0"; after != ""; {
		var page journal.Page
		path := fmt.Sprintf("/journal?limit=%d&after=%s", journalPage, url.QueryEscape(after))
		if err := b.banks.client.get(ctx, sandboxPath(b.name, path), &page); err != nil {
			return o, err
		}
		o.Exchanges, o.Evicted = append(o.Exchanges, page.Exchanges...), page.Evicted
		after = page.Next
	}
	var diff struct{ Changes []explore.Change }
	err = b.banks.client.get(ctx, sandboxPath(b.name, "/diff"), &diff)
	o.Changes = diff.Changes
	return o, err
}

// wasReset reports whether the command has reset its bank: then neither the failure nor the journal is left.
func (b *exploredBank) wasReset(ctx context.Context) (bool, error) {
	var now struct{ LastReset *struct{} }
	err := b.banks.client.get(ctx, sandboxPath(b.name, ""), &now)
	return now.LastReset != nil, err
}

// close removes the bank.
func (b *exploredBank) close(ctx context.Context) error {
	b.endServing()
	return b.banks.delete(ctx, b.name)
}

func (b *exploredBank) endServing() {
	if b.unserve != nil {
		b.unserve()
	}
}

// delete deletes a sandbox, even after the context is over: it would stay for ever in a simulator that runs elsewhere.
func (b *exploredBanks) delete(ctx context.Context, name string) error {
	return b.client.call(context.WithoutCancel(ctx), http.MethodDelete, sandboxPath(name, ""), nil, nil)
}

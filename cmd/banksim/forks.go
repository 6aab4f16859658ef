package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// journalPage is how many exchanges are asked for at once (choice).
const journalPage = 500

// forks makes the banks of an exploration: forks of one sandbox of a simulator that runs in this process, or elsewhere.
type forks struct {
	client   *controlClient
	base     string         // the name of the sandbox that they are forked from
	srv      *server.Server // nil: the simulator runs elsewhere
	behavior *sim.Behavior
	count    atomic.Int64
}

// fork is the bank of one run.
type fork struct {
	client  *controlClient
	name    string
	baseURL string
	unserve func() // ends its own listener
}

// startForks starts a simulator, or uses one that runs, and creates the sandbox. A nil scenario is that of the simulator.
func startForks(ctx context.Context, flags controlFlags, sc *scenario.Scenario, log *slog.Logger) (f *forks, err error) {
	f = &forks{}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if flags.Control == "" {
		flags.ControlToken = cmp.Or(flags.ControlToken, rand.Text())
		f.srv, err = server.Start(context.WithoutCancel(ctx), server.Config{ // it is needed until the commands have ended
			Service: "127.0.0.1:0", Control: "127.0.0.1:0", ControlToken: flags.ControlToken, NoDefault: true,
			Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Version: version(), Log: log,
		})
		if err != nil {
			return f, err
		}
		flags.Control, sc = f.srv.ControlURL(), nil
	}
	if f.client, err = flags.client(ctx); err != nil {
		return f, err
	}
	base := api.NewSandbox{Name: "explore-" + strings.ToLower(rand.Text()[:8])}
	if sc != nil {
		resolved, err := sc.Resolve() // what it extends may be files, which the simulator doesn't read
		if err != nil {
			return f, err
		}
		base.ScenarioYAML = &resolved.YAML
	}
	if err := f.client.Call(ctx, http.MethodPost, "/v1/sandboxes", base, nil); err != nil {
		return f, err
	}
	f.base = base.Name
	var source struct{ YAML string }
	if err := f.client.Get(ctx, api.SandboxPath(f.base, "/scenario?resolved=true"), &source); err != nil {
		return f, err
	}
	if sc, err = scenario.Parse("scenario.yaml", []byte(source.YAML)); err != nil {
		return f, fmt.Errorf("the scenario of the simulator, whose version may be another than %s: %w", version(), err)
	}
	f.behavior = sc.World.Behavior()
	return f, nil
}

// close removes the sandbox, which would stay for ever in a simulator that runs elsewhere.
func (f *forks) close() {
	if f.base != "" {
		_ = f.client.Call(context.Background(), http.MethodDelete, api.SandboxPath(f.base, ""), nil, nil)
	}
	if f.srv != nil {
		f.srv.Close()
	}
}

// fork makes a bank in which faults are injected.
func (f *forks) fork(ctx context.Context, rules []fault.Rule) (*fork, error) {
	b := &fork{client: f.client, name: fmt.Sprintf("%s-%d", f.base, f.count.Add(1)), unserve: func() {}}
	var made api.Sandbox
	err := f.client.Call(ctx, http.MethodPost, api.SandboxPath(f.base, "/fork"), api.NewFork{Name: b.name}, &made)
	if err != nil {
		return nil, err
	}
	b.baseURL = made.BaseURL
	if f.srv != nil {
		var end func()
		if b.baseURL, end, err = f.srv.ServeSandbox(b.name); err == nil {
			b.unserve = end
		}
	}
	if err == nil && len(rules) > 0 {
		err = f.client.Call(ctx, http.MethodPost, api.SandboxPath(b.name, "/faults"), map[string][]fault.Rule{"faults": rules}, nil)
	}
	if err != nil {
		return nil, errors.Join(err, b.close(ctx))
	}
	return b, nil
}

// env returns the variables by which a command finds the bank.
func (b *fork) env(failure string) []string {
	return []string{
		"BANKSIM_BASE_URL=" + b.baseURL,
		"BANKSIM_CONTROL_URL=" + b.client.URL + api.SandboxPath(b.name, ""),
		"BANKSIM_TOKEN=" + b.client.Token,
		"BANKSIM_CONTROL_TOKEN=" + b.client.Token,
		"BANKSIM_FAILURE=" + failure,
	}
}

// observe returns what the bank has seen, and what it has become. Before, it ends what goes on at its own listener.
func (b *fork) observe(ctx context.Context) (o explore.Observation, err error) {
	b.unserve()
	for after := "0"; after != ""; {
		var page api.Page
		path := fmt.Sprintf("/journal?limit=%d&after=%s", journalPage, url.QueryEscape(after))
		if err := b.client.Get(ctx, api.SandboxPath(b.name, path), &page); err != nil {
			return o, err
		}
		o.Exchanges, o.Evicted, after = append(o.Exchanges, page.Exchanges...), page.Evicted, page.Next
	}
	var diff struct{ Changes []explore.Change }
	err = b.client.Get(ctx, api.SandboxPath(b.name, "/diff"), &diff)
	o.Changes = diff.Changes
	return o, err
}

// close removes the bank.
func (b *fork) close(ctx context.Context) error {
	b.unserve()
	return b.client.Call(ctx, http.MethodDelete, api.SandboxPath(b.name, ""), nil, nil)
}

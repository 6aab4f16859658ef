package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

// bankForks forks the banks of an exploration from one sandbox of a simulator. The simulator is in this process, or
// runs elsewhere.
type bankForks struct {
	client   *controlClient
	origin   string         // the name of the sandbox
	srv      *server.Server // of this process, or nil
	behavior *sim.Behavior
	forked   atomic.Int64
}

// sandboxTTL is the time to live of all sandboxes (choice). They expire if the exploration is killed. No run takes as
// long, because --run-time is less than fault.MaxHang.
var sandboxTTL = "1h"

// startForks creates the sandbox. Without --control it starts a simulator, too. A nil scenario stands for the
// simulator's own.
func startForks(
	ctx context.Context, flags controlFlags, sc *scenario.Scenario, log *slog.Logger,
) (b *bankForks, err error) {
	b = &bankForks{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if flags.Control == "" {
		flags.ControlToken = cmp.Or(flags.ControlToken, rand.Text())
		b.srv, err = server.Start(context.WithoutCancel(ctx), server.Config{ // it has to outlive the commands
			Listen: []string{"127.0.0.1:0"}, Control: "127.0.0.1:0", ControlToken: flags.ControlToken, NoDefault: true,
			Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Version: version(), Log: log,
		})
		if err != nil {
			return b, err
		}
		flags.Control, sc = b.srv.ControlURL(), nil
	}
	if b.client, err = flags.client(ctx, ""); err != nil {
		return b, err
	}
	origin := api.NewSandbox{Name: "explore-" + strings.ToLower(rand.Text()[:8]), TTL: &sandboxTTL}
	if sc != nil {
		resolved, err := sc.Resolved() // the simulator can't read the files that it extends
		if err != nil {
			return b, err
		}
		source := string(resolved)
		origin.ScenarioYAML = &source
	}
	if err := b.client.Call(ctx, http.MethodPost, "/v1/sandboxes", origin, nil); err != nil {
		return b, err
	}
	b.origin = origin.Name
	source, err := b.client.Read(ctx, http.MethodGet, api.SandboxPath(b.origin, "/scenario?resolved=true"), nil)
	if err != nil {
		return b, err
	}
	if sc, err = scenario.Parse("scenario.yaml", source); err != nil {
		return b, fmt.Errorf("the scenario of the simulator, whose version may be another than %s: %w", version(), err)
	}
	b.behavior = sc.World.Behavior()
	return b, nil
}

// close deletes the sandbox and ends the simulator of this process.
func (b *bankForks) close() {
	if b.origin != "" {
		_ = b.client.Call(context.Background(), http.MethodDelete, api.SandboxPath(b.origin, ""), nil, nil)
	}
	if b.srv != nil {
		b.srv.Close()
	}
}

// forkedBank is the bank of one run.
type forkedBank struct {
	client  *controlClient
	name    string
	baseURL string
	unserve func() // ends the bank's own listener
}

// fork returns a new bank with these fault rules. It lets the sandbox live for another hour.
func (b *bankForks) fork(ctx context.Context, rules []fault.Rule) (*forkedBank, error) {
	renewal := api.SandboxPatch{TTL: sandboxTTL}
	if err := b.client.Call(ctx, http.MethodPatch, api.SandboxPath(b.origin, ""), renewal, nil); err != nil {
		return nil, err
	}
	fork := &forkedBank{client: b.client, name: fmt.Sprintf("%s-%d", b.origin, b.forked.Add(1)), unserve: func() {}}
	var created api.Sandbox
	wanted := api.NewFork{Name: fork.name, TTL: &sandboxTTL}
	err := b.client.Call(ctx, http.MethodPost, api.SandboxPath(b.origin, "/fork"), wanted, &created)
	if err != nil {
		return nil, err
	}
	fork.baseURL = created.BaseURL
	if b.srv != nil {
		var end func()
		if fork.baseURL, end, err = b.srv.ServeSandbox(fork.name, false); err == nil {
			fork.unserve = end
		}
	}
	if err == nil && len(rules) > 0 {
		faults := map[string][]fault.Rule{"faults": rules}
		err = b.client.Call(ctx, http.MethodPost, api.SandboxPath(fork.name, "/faults"), faults, nil)
	}
	if err != nil {
		return nil, errors.Join(err, fork.close(ctx))
	}
	return fork, nil
}

// env returns the variables that lead a command to the bank.
func (b *forkedBank) env(failure string) []string {
	return []string{
		"BANKSIM_BASE_URL=" + b.baseURL,
		"BANKSIM_CONTROL_URL=" + b.client.URL + api.SandboxPath(b.name, ""),
		"BANKSIM_TOKEN=" + b.client.Token,
		"BANKSIM_CONTROL_TOKEN=" + b.client.Token,
		"BANKSIM_FAILURE=" + failure,
		"BANKSIM_EXPLORE=1", // for the kits: the command's banks are this one
	}
}

// observe returns the requests that the bank had and the rows that it changed. It ends open requests before.
func (b *forkedBank) observe(ctx context.Context) (o explore.Observation, err error) {
	b.unserve()
	whole, err := b.client.Journal(ctx, b.name, "0")
	if err != nil {
		return o, err
	}
	o.Exchanges, o.Evicted = whole.Exchanges, whole.Evicted
	var diff api.Diff
	err = b.client.Get(ctx, api.SandboxPath(b.name, "/diff"), &diff)
	o.Changes = diff.Changes
	return o, err
}

// close deletes the bank.
func (b *forkedBank) close(ctx context.Context) error {
	b.unserve()
	return b.client.Call(ctx, http.MethodDelete, api.SandboxPath(b.name, ""), nil, nil)
}

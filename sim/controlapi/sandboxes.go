package controlapi

import (
	"math"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

func (a control) newSandboxInfo(sb *sandbox.Sandbox) api.Sandbox {
	sc, seed := sb.Start()
	info := api.Sandbox{
		Name:      sb.Name(),
		BaseURL:   a.baseURL(sb.Name()),
		HTTPSURL:  a.httpsURL(sb.Name()),
		Scenario:  sc.Name,
		Seed:      seed,
		CreatedAt: sb.CreatedAt().UTC(),
	}
	if a.HostURLs != nil {
		info.HostURLs = a.HostURLs(sb.Name())
	}
	if at := sb.ExpiresAt(); !at.IsZero() {
		at = at.UTC()
		info.ExpiresAt = &at
	}
	if last, ok := sb.LastReset(); ok {
		info.LastReset = &api.Reset{At: last.At.UTC(), By: last.By}
	}
	if fork := sb.ForkOf(); fork.Of != "" {
		info.ForkedFrom = &api.ForkOrigin{Sandbox: fork.Of, Before: fork.Before, After: fork.After}
	}
	return info
}

// baseURL returns the URL to which clients of a sandbox append the interface's paths.
func (a control) baseURL(name string) string { return a.below(a.ServiceURL, name) }

// httpsURL is baseURL for https; empty: there is none.
func (a control) httpsURL(name string) string {
	if a.HTTPSURL == "" {
		return ""
	}
	return a.below(a.HTTPSURL, name)
}

// below returns the base URL of a sandbox below the URL of a listener.
func (a control) below(listener, name string) string {
	if name == sandbox.Default && !a.NoDefault {
		return listener
	}
	return listener + "/sandboxes/" + name
}

func (a control) listSandboxes(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	limit := number(values, "limit", math.MaxInt32)
	text := strings.ToLower(values.Get("text"))
	body := api.Sandboxes{Sandboxes: []api.Sandbox{}}
	if err := a.Sandboxes.Refresh(); err != nil {
		return err
	}
	for _, sb := range a.Sandboxes.All() {
		if !strings.Contains(sb.Name(), text) && !strings.Contains(strings.ToLower(sb.Scenario().Name), text) {
			continue
		}
		body.Total++
		if len(body.Sandboxes) < limit {
			_ = sb.Refresh() // else it is shown as it was
			body.Sandboxes = append(body.Sandboxes, a.newSandboxInfo(sb))
		}
	}
	return reply(w, body)
}

func (a control) getSandbox(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, a.newSandboxInfo(sb))
}

func (a control) createSandbox(w http.ResponseWriter, r *http.Request) error {
	var body api.NewSandbox
	if err := decode(r, &body); err != nil {
		return err
	}
	plan := sandbox.Plan{Name: body.Name, Seed: body.Seed}
	var err error
	if body.TTL != nil {
		if plan.TTL, err = duration("ttl", *body.TTL); err != nil {
			return err
		}
	}
	switch {
	case body.Scenario != nil && body.ScenarioYAML != nil:
		return refuse(http.StatusBadRequest, "give scenario or scenarioYaml, not both")
	case body.Scenario != nil:
		plan.Scenario, err = a.builtIn.load(*body.Scenario)
	case body.ScenarioYAML != nil:
		plan.Scenario, err = parseScenario([]byte(*body.ScenarioYAML))
	}
	if err != nil {
		return err
	}
	sb, err := a.Sandboxes.Create(plan)
	return a.replyCreated(w, sb, err)
}

func (a control) fork(w http.ResponseWriter, _ *http.Request, of *sandbox.Sandbox, body api.NewFork) error {
	var sb *sandbox.Sandbox
	var err error
	switch {
	case body.Before != nil && body.After != nil:
		return refuse(http.StatusBadRequest, "give before or after, not both")
	case body.Before != nil:
		sb, err = a.Sandboxes.ForkAt(of, body.Name, *body.Before, sandbox.Before)
	case body.After != nil:
		sb, err = a.Sandboxes.ForkAt(of, body.Name, *body.After, sandbox.After)
	default:
		sb, err = a.Sandboxes.Fork(of, body.Name)
	}
	return a.replyCreated(w, sb, err)
}

func (a control) replyCreated(w http.ResponseWriter, sb *sandbox.Sandbox, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/sandboxes/"+sb.Name())
	return created(w, a.newSandboxInfo(sb))
}

func (a control) deleteSandbox(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return done(w, a.Sandboxes.Delete(sb.Name()))
}

func (a control) reset(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return done(w, sb.Reset(clientOf(r)))
}

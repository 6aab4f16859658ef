package controlapi

import (
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

func (a control) newSandboxInfo(of sandbox.Info) api.Sandbox {
	info := api.Sandbox{
		Name:      of.Name,
		BaseURL:   a.baseURL(of.Name),
		HTTPSURL:  a.httpsURL(of.Name),
		Scenario:  of.Scenario,
		Seed:      of.Seed,
		CreatedAt: of.Created.UTC(),
	}
	if a.HostURLs != nil {
		info.HostURLs = a.HostURLs(of.Name)
	}
	if !of.Expires.IsZero() {
		at := of.Expires.UTC()
		info.ExpiresAt = &at
	}
	if last := of.LastReset; !last.At.IsZero() {
		info.LastReset = &api.Reset{At: last.At.UTC(), By: last.By}
	}
	if fork := of.Fork; fork.Of != "" {
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
	all, err := a.Sandboxes.List(r.Context())
	if err != nil {
		return err
	}
	for _, info := range all {
		if !strings.Contains(info.Name, text) && !strings.Contains(strings.ToLower(info.Scenario), text) {
			continue
		}
		body.Total++
		if len(body.Sandboxes) < limit {
			body.Sandboxes = append(body.Sandboxes, a.newSandboxInfo(info))
		}
	}
	return reply(w, body)
}

func (a control) getSandbox(w http.ResponseWriter, _ *http.Request, sb bank) error {
	return reply(w, a.newSandboxInfo(sb.InfoAt(sb.now)))
}

func (a control) createSandbox(w http.ResponseWriter, r *http.Request) error {
	var body api.NewSandbox
	if err := decode(r, &body); err != nil {
		return err
	}
	ttl, err := optionalTTL(body.TTL)
	if err != nil {
		return err
	}
	plan := sandbox.Plan{Name: body.Name, Seed: body.Seed, TTL: ttl}
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
	sb, err := a.Sandboxes.Create(r.Context(), plan)
	return a.replyCreated(w, sb, err)
}

func (a control) fork(w http.ResponseWriter, r *http.Request, of bank, body api.NewFork) error {
	ttl, err := optionalTTL(body.TTL)
	if err != nil {
		return err
	}
	var sb *sandbox.Sandbox
	switch {
	case body.Before != nil && body.After != nil:
		return refuse(http.StatusBadRequest, "give before or after, not both")
	case body.Before != nil:
		sb, err = a.Sandboxes.ForkAt(r.Context(), of.Sandbox, body.Name, ttl, *body.Before, sandbox.Before)
	case body.After != nil:
		sb, err = a.Sandboxes.ForkAt(r.Context(), of.Sandbox, body.Name, ttl, *body.After, sandbox.After)
	default:
		sb, err = a.Sandboxes.Fork(r.Context(), of.Sandbox, body.Name, ttl)
	}
	return a.replyCreated(w, sb, err)
}

func (a control) replyCreated(w http.ResponseWriter, sb *sandbox.Sandbox, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/sandboxes/"+sb.Name())
	return created(w, a.newSandboxInfo(sb.Info()))
}

// optionalTTL returns a time to live, or 0 if none is given.
func optionalTTL(text *string) (time.Duration, error) {
	if text == nil {
		return 0, nil
	}
	return duration("ttl", *text)
}

func (a control) patchSandbox(w http.ResponseWriter, r *http.Request, sb bank) error {
	var patch api.SandboxPatch
	if err := decodePatch(r, &patch); err != nil {
		return err
	}
	ttl, err := duration("ttl", patch.TTL)
	if err != nil {
		return err
	}
	if err := sb.Renew(r.Context(), ttl); err != nil {
		return err
	}
	return reply(w, a.newSandboxInfo(sb.Info()))
}

func (a control) deleteSandbox(w http.ResponseWriter, r *http.Request, sb bank) error {
	return done(w, a.Sandboxes.Delete(r.Context(), sb.Sandbox))
}

func (a control) reset(w http.ResponseWriter, r *http.Request, sb bank) error {
	return done(w, sb.Reset(r.Context(), clientOf(r)))
}

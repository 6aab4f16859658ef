package controlapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"math"
	"net"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// sandboxCalls returns the calls about sandboxes as a whole.
func (c control) sandboxCalls() []Call {
	return []Call{
		newCall("GET", "/v1/sandboxes", "listSandboxes", "All sandboxes, sorted by name.",
			c.listSandboxes).
			large(reflect.TypeFor[api.Sandboxes]()),
		newCall("POST", "/v1/sandboxes", "createSandbox", "Create a sandbox.", c.createSandbox).created().
			example(`{"name": "mine", "scenario": "retail", "ttl": "1h"}`),
		inSandbox(c, "GET", "", "getSandbox", "A sandbox.", c.getSandbox),
		inSandbox(c, "PATCH", "", "patchSandbox",
			"Let a sandbox live for another time. It ends after ttl. The default one can't expire.", c.patchSandbox).
			takes(mergeMedia, jsonMedia).example(`{"ttl": "1h"}`),
		inSandbox(c, "DELETE", "", "deleteSandbox", "Delete a sandbox. All that it holds is gone, "+
			"and so are the forks of it without a ttl of their own. The default one can't be deleted.",
			c.deleteSandbox).orVerdict(),
		inSandbox(c, "POST", "/fork", "forkSandbox",
			"Create a sandbox that starts as this one is now, or was around an exchange.", c.fork).created().
			example(`{"name": "copy", "ttl": "1h"}`),
		inSandbox(c, "POST", "/reset", "resetSandbox",
			"Return to the start. World, faults, journal and clock start again, snapshots stay. "+
				"Without an explicit seed, a new one is drawn.", c.reset).orVerdict(),
		inSandbox(c, "PUT", "/resets", "setResets",
			"Reset a sandbox by itself, each day at a time. "+
				"A time that nothing was running at is made up for at the start.",
			c.setResets).example(`{"daily": "04:00", "zone": "Europe/Berlin"}`),
		inSandbox(c, "DELETE", "/resets", "stopResets", "Never reset a sandbox by itself, whatever its scenario says.",
			c.stopResets),
		newCall("POST", "/v1/reset", "resetAll", "Reset all sandboxes that the caller may use.", c.resetAll),
	}
}

// SandboxPath is the input of a call about a sandbox.
type SandboxPath struct {
	Sandbox string `path:"sandbox" doc:"The name of the sandbox."`
}

func (p SandboxPath) sandboxName() string { return p.Sandbox }

// Caller is the input of a call that records who made it: the name of the caller's token, or else its address.
type Caller struct{ caller string }

func (c *Caller) setCaller(caller string) { c.caller = caller }

// addressOf returns the address of a caller, or of the proxy before the caller, without the port.
func addressOf(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}

// bank is a sandbox, and its state when the call came.
type bank struct {
	*sandbox.Sandbox
	now sandbox.View
}

// find returns a sandbox by its name. It refuses (404) a name that no sandbox has that the caller may use.
func (c control) find(ctx context.Context, name string) (found bank, err error) {
	if !rightsIn(ctx).covers(name) {
		return found, c.noSandbox(ctx, name)
	}
	err = c.Sandboxes.Use(ctx, name, func(sb *sandbox.Sandbox) error {
		found.Sandbox = sb
		found.now, err = sb.Latest(ctx)
		return err
	})
	if !errors.Is(err, sandbox.ErrNoSandbox) {
		return found, err
	}
	return found, c.noSandbox(ctx, name)
}

func (c control) noSandbox(ctx context.Context, name string) *refusal {
	remedy := "POST /v1/sandboxes creates one"
	if near, ok := wording.Nearest(name, c.names(ctx)); ok {
		remedy = "did you mean " + wording.Quote(near) + "?"
	}
	r := refuse(http.StatusNotFound, "there is no sandbox %s: %s", wording.Quote(name), remedy)
	r.Code = api.NoSandbox
	return r
}

// names returns the names of the sandboxes that this process knows and the caller may use.
func (c control) names(ctx context.Context) (names []string) {
	may := rightsIn(ctx)
	for _, sb := range c.Sandboxes.All() {
		if may.covers(sb.Name()) && may.isKnown {
			names = append(names, sb.Name())
		}
	}
	return names
}

// newName returns the name of a new sandbox, or "" if one is to be assigned. To a caller who may only use some names,
// one that fits a pattern with * at its end is assigned here. newName refuses (403) a name that the caller may not use.
func newName(ctx context.Context, wanted string) (string, error) {
	may := rightsIn(ctx)
	if may.hasAll() || wanted != "" && may.covers(wanted) {
		return wanted, nil
	}
	for _, pattern := range may.sandboxes {
		beginning, isOpen := strings.CutSuffix(pattern, "*")
		name := beginning + strings.ToLower(rand.Text()[:8])
		if wanted == "" && isOpen && !strings.Contains(beginning, "*") && sandbox.IsName(name) {
			return name, nil
		}
	}
	return "", refuse(http.StatusForbidden, "the token %s may use the sandboxes %s: give the new sandbox such a name",
		may.name, strings.Join(may.sandboxes, ", "))
}

// describeSandbox returns what the API says of a sandbox.
func (c control) describeSandbox(of sandbox.Info) api.Sandbox {
	info := api.Sandbox{
		Name:      of.Name,
		BaseURL:   c.baseURL(of.Name),
		HTTPSURL:  c.httpsURL(of.Name),
		Scenario:  of.Scenario,
		Follows:   of.Follows,
		Seed:      of.Seed,
		CreatedAt: of.Created.UTC(),
	}
	if c.HostURLs != nil {
		info.HostURLs = c.HostURLs(of.Name)
	}
	if !of.Expires.IsZero() {
		at := of.Expires.UTC()
		info.ExpiresAt = &at
	}
	if last := of.LastReset; !last.At.IsZero() {
		info.LastReset = &api.Reset{At: last.At.UTC(), By: last.By}
	}
	if resets := of.Resets(); resets != (sim.ResetTime{}) {
		info.Resets = &api.Resets{ResetTime: resets, Next: resets.Next(time.Now()).UTC()}
	}
	if fork := of.Fork; fork.Of != "" {
		info.ForkedFrom = &api.ForkOrigin{Sandbox: fork.Of, Before: fork.Before, After: fork.After}
	}
	return info
}

// baseURL returns the base URL of a sandbox. Clients append the interface's paths.
func (c control) baseURL(name string) string { return c.below(c.ServiceURL, name) }

// httpsURL is baseURL for https. It is empty if the simulator doesn't speak https.
func (c control) httpsURL(name string) string {
	if c.HTTPSURL == "" {
		return ""
	}
	return c.below(c.HTTPSURL, name)
}

// below returns the base URL of a sandbox below the URL of a listener.
func (c control) below(listener, name string) string {
	if name == sandbox.Default && !c.NoDefault {
		return listener
	}
	return listener + "/sandboxes/" + name
}

type sandboxesQuery struct {
	Text  string `query:"text" doc:"Only sandboxes with this text in their name or in their scenario's name."`
	Limit *int   `query:"limit" minimum:"0" maximum:"2147483647" doc:"The maximum number of sandboxes. Default: all."`
}

func (c control) listSandboxes(ctx context.Context, in *sandboxesQuery) (stream, error) {
	most, text := orElse(in.Limit, math.MaxInt), strings.ToLower(in.Text)
	list := api.Sandboxes{Sandboxes: []api.Sandbox{}}
	all, err := c.Sandboxes.List(ctx)
	if err != nil {
		return nil, err
	}
	may := rightsIn(ctx)
	for _, info := range all {
		isFound := strings.Contains(info.Name, text) || strings.Contains(strings.ToLower(info.Scenario), text)
		if !isFound || !may.covers(info.Name) {
			continue
		}
		list.Total++
		if len(list.Sandboxes) < most {
			list.Sandboxes = append(list.Sandboxes, c.describeSandbox(info))
		}
	}
	return largeValue(list), nil
}

func (c control) getSandbox(ctx context.Context, b bank, in *SandboxPath) (api.Sandbox, error) {
	return c.describeSandbox(b.InfoAt(b.now)), nil
}

// createdSandbox is the answer of a call that creates a sandbox.
type createdSandbox struct{ api.Sandbox }

func (s createdSandbox) header() (name, value string) { return "Location", "/v1/sandboxes/" + s.Name }

func (s createdSandbox) content() any { return s.Sandbox }

func (c control) replyCreated(ctx context.Context, sb *sandbox.Sandbox, err error) (createdSandbox, error) {
	if errors.Is(err, sandbox.ErrTaken) {
		return createdSandbox{}, refuse(http.StatusConflict,
			"%v%s", err, wording.DidYouMean("", c.names(ctx), "there are"))
	}
	if err != nil {
		return createdSandbox{}, err
	}
	return createdSandbox{c.describeSandbox(sb.Info())}, nil
}

func (c control) createSandbox(ctx context.Context, in *struct{ Body body[api.NewSandbox] }) (createdSandbox, error) {
	wanted, err := in.Body.decode()
	if err != nil {
		return createdSandbox{}, err
	}
	if wanted.Name, err = newName(ctx, wanted.Name); err != nil {
		return createdSandbox{}, err
	}
	ttl, err := optionalTTL(wanted.TTL)
	if err != nil {
		return createdSandbox{}, err
	}
	if err := checkResets(wanted.Resets); err != nil {
		return createdSandbox{}, err
	}
	var created *sandbox.Sandbox
	err = c.withScenario(ctx, wanted.Beginning, func(sc *scenario.Scenario) (err error) {
		plan := sandbox.Plan{Name: wanted.Name, Seed: wanted.Seed, TTL: ttl, Resets: wanted.Resets, Scenario: sc}
		created, err = c.Sandboxes.Create(ctx, plan)
		return err
	})
	return c.replyCreated(ctx, created, err)
}

// withScenario calls a function with the scenario that a bank is to start from. That is nil for the sandbox's own.
func (c control) withScenario(ctx context.Context, of api.Beginning, fn func(*scenario.Scenario) error) error {
	switch {
	case of.Scenario != nil && of.ScenarioYAML != nil:
		return refuse(http.StatusBadRequest, "give scenario or scenarioYaml, not both")
	case of.CORS != nil && of.ScenarioYAML != nil:
		return refuse(http.StatusBadRequest,
			"give cors or scenarioYaml, not both: the YAML says it by behavior.cors.origins")
	}
	var chosen *scenario.Scenario
	if of.Scenario != nil {
		var err error
		if chosen, err = c.builtIn.load(*of.Scenario); err != nil {
			return err
		}
	}
	if of.CORS == nil && of.ScenarioYAML == nil {
		return fn(chosen)
	}
	return c.alone(ctx, func() (err error) {
		var source []byte
		switch {
		case of.ScenarioYAML != nil:
			source = []byte(*of.ScenarioYAML)
		case chosen != nil:
			source, err = chosen.WithOrigins(of.CORS)
		default:
			source, err = c.Sandboxes.Origin().Scenario.WithOrigins(of.CORS)
		}
		if err != nil {
			return err
		}
		sc, err := parseScenario(source)
		if err != nil {
			return err
		}
		return fn(sc)
	})
}

type forkInput struct {
	SandboxPath
	Body body[api.NewFork]
}

func (c control) fork(ctx context.Context, of bank, in *forkInput) (createdSandbox, error) {
	wanted, err := in.Body.decode()
	if err != nil {
		return createdSandbox{}, err
	}
	if wanted.Name, err = newName(ctx, wanted.Name); err != nil {
		return createdSandbox{}, err
	}
	ttl, err := optionalTTL(wanted.TTL)
	if err != nil {
		return createdSandbox{}, err
	}
	var fork *sandbox.Sandbox
	switch {
	case wanted.Before != nil && wanted.After != nil:
		return createdSandbox{}, refuse(http.StatusBadRequest, "give before or after, not both")
	case wanted.Before != nil:
		fork, err = c.Sandboxes.ForkAt(ctx, of.Sandbox, wanted.Name, ttl, *wanted.Before, sandbox.Before)
	case wanted.After != nil:
		fork, err = c.Sandboxes.ForkAt(ctx, of.Sandbox, wanted.Name, ttl, *wanted.After, sandbox.After)
	default:
		fork, err = c.Sandboxes.Fork(ctx, of.Sandbox, wanted.Name, ttl)
	}
	return c.replyCreated(ctx, fork, err)
}

// optionalTTL returns a time to live, or 0 for nil.
func optionalTTL(text *string) (time.Duration, error) {
	if text == nil {
		return 0, nil
	}
	return duration("ttl", *text)
}

type patchSandboxInput struct {
	SandboxPath
	Body body[api.SandboxPatch]
}

func (c control) patchSandbox(ctx context.Context, b bank, in *patchSandboxInput) (api.Sandbox, error) {
	patch, err := in.Body.decodePatch()
	if err != nil {
		return api.Sandbox{}, err
	}
	ttl, err := duration("ttl", patch.TTL)
	if err != nil {
		return api.Sandbox{}, err
	}
	if err := b.Renew(ctx, ttl); err != nil {
		return api.Sandbox{}, err
	}
	return c.describeSandbox(b.Info()), nil
}

type deleteInput struct {
	SandboxPath
	VerdictOnEnd
}

func (c control) deleteSandbox(ctx context.Context, b bank, in *deleteInput) (stream, error) {
	return c.endWithVerdict(ctx, b, in.VerdictOnEnd, func() error { return c.Sandboxes.Delete(ctx, b.Sandbox) })
}

type resetInput struct {
	SandboxPath
	VerdictOnEnd
	Caller
}

func (c control) reset(ctx context.Context, b bank, in *resetInput) (stream, error) {
	return c.endWithVerdict(ctx, b, in.VerdictOnEnd, func() error {
		if err := b.Reset(ctx, in.caller); err != nil || !in.Verdict {
			return err
		}
		return b.Change(ctx, func(tx *sandbox.Tx) error {
			tx.Faults = tx.Faults.ForgetFindings()
			return nil
		})
	})
}

type setResetsInput struct {
	SandboxPath
	Body body[sim.ResetTime]
}

func (c control) setResets(ctx context.Context, b bank, in *setResetsInput) (api.Sandbox, error) {
	resets, err := in.Body.decode()
	if err == nil {
		err = checkResets(&resets)
	}
	if err == nil {
		err = b.SetResets(ctx, resets)
	}
	return c.describeSandbox(b.Info()), err
}

func (c control) stopResets(ctx context.Context, b bank, _ *SandboxPath) (nothing, error) {
	return done(b.SetResets(ctx, sim.ResetTime{}))
}

// checkResets refuses (400) a wrong time or zone.
func checkResets(r *sim.ResetTime) error {
	if r == nil || r.Check() == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, "resets: %v", r.Check())
}

type resetAllInput struct{ Caller }

// resetAll resets one sandbox after the other. If some can't be reset, the refusal names them: the others are.
func (c control) resetAll(ctx context.Context, in *resetAllInput) (all api.ManyReset, err error) {
	infos, err := c.Sandboxes.List(ctx)
	if err != nil {
		return all, err
	}
	may := rightsIn(ctx)
	var failed []string
	var first error
	all.Reset = []string{}
	for _, info := range infos {
		if !may.covers(info.Name) {
			continue
		}
		err := c.Sandboxes.Use(ctx, info.Name, func(sb *sandbox.Sandbox) error { return sb.Reset(ctx, in.caller) })
		if errors.Is(err, sandbox.ErrNoSandbox) { // it was deleted meanwhile
			continue
		}
		if err != nil {
			failed, first = append(failed, info.Name), cmp.Or(first, err)
			continue
		}
		all.Reset = append(all.Reset, info.Name)
	}
	if first != nil {
		refused := refuse(http.StatusServiceUnavailable, "%s of %d could not be reset: %s: %v",
			wording.Count(len(failed), "sandbox"), len(failed)+len(all.Reset), wording.Names(failed), first)
		refused.mayHaveHappened = true
		return all, refused
	}
	return all, nil
}

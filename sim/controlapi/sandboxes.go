package controlapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// SandboxInfo describes a sandbox.
type SandboxInfo struct {
	Name      string     `json:"name"`
	BaseURL   string     `json:"baseUrl"` // every path of the interface is appended to it
	Scenario  string     `json:"scenario"`
	Seed      uint64     `json:"seed"`
	CreatedAt time.Time  `json:"createdAt"` // real time
	ExpiresAt *time.Time `json:"expiresAt"` // real time; null: never
}

func (a api) describe(sb *sandbox.Sandbox) SandboxInfo {
	sc, seed := sb.Start()
	info := SandboxInfo{
		Name:      sb.Name(),
		BaseURL:   a.ServiceURL,
		Scenario:  sc.Name,
		Seed:      seed,
		CreatedAt: sb.CreatedAt().UTC(),
	}
	if sb.Name() != sandbox.Default {
		info.BaseURL += "/sandboxes/" + sb.Name()
	}
	if at := sb.ExpiresAt(); !at.IsZero() {
		at = at.UTC()
		info.ExpiresAt = &at
	}
	return info
}

// listSandboxes answers {sandboxes: [...]}, by name.
func (a api) listSandboxes(w http.ResponseWriter, _ *http.Request) error {
	list := struct {
		Sandboxes []SandboxInfo `json:"sandboxes"`
	}{}
	a.Sandboxes.Each(func(sb *sandbox.Sandbox) {
		list.Sandboxes = append(list.Sandboxes, a.describe(sb))
	})
	return reply(w, list)
}

func (a api) getSandbox(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, a.describe(sb))
}

// createSandbox takes {name?, scenario?, scenarioYaml?, seed?, ttl?}: a name (assigned without it), the name of an
// embedded scenario or a scenario's YAML (without either, the scenario that the server runs), a seed instead of the
// scenario's, a duration of real time after which the sandbox goes by itself. It refuses a bad name or ttl (400), a
// name that is taken (409), a bad scenario (422) and one sandbox more than there may be (429).
func (a api) createSandbox(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name         string  `json:"name"`
		Scenario     *string `json:"scenario"`
		ScenarioYAML *string `json:"scenarioYaml"`
		Seed         *uint64 `json:"seed"`
		TTL          *string `json:"ttl"`
	}
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
		plan.Scenario, err = a.embedded.load(*body.Scenario)
	case body.ScenarioYAML != nil:
		plan.Scenario, err = parseScenario([]byte(*body.ScenarioYAML))
	}
	if err != nil {
		return err
	}
	sb, err := a.Sandboxes.Create(plan)
	return a.added(w, sb, err)
}

// fork takes {name?} and answers with a new sandbox that starts as this one is now. It refuses as createSandbox does.
func (a api) fork(w http.ResponseWriter, r *http.Request, of *sandbox.Sandbox) error {
	var body struct {
		Name string `json:"name"`
	}
	if err := decode(r, &body); err != nil {
		return err
	}
	sb, err := a.Sandboxes.Fork(of, body.Name)
	return a.added(w, sb, err)
}

// added answers with a sandbox that the registry made, or refuses as it did.
func (a api) added(w http.ResponseWriter, sb *sandbox.Sandbox, err error) error {
	switch {
	case errors.Is(err, sandbox.ErrBadName):
		return refuse(http.StatusBadRequest, "%v", err)
	case errors.Is(err, sandbox.ErrTaken):
		return refuse(http.StatusConflict, "%v", err)
	case errors.Is(err, sandbox.ErrTooMany):
		return refuse(http.StatusTooManyRequests, "%v", err)
	case err != nil:
		return err
	}
	return created(w, "/v1/sandboxes/"+sb.Name(), a.describe(sb))
}

// deleteSandbox ends a sandbox and all that it held; 409 for the default one.
func (a api) deleteSandbox(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	switch err := a.Sandboxes.Delete(sb.Name()); {
	case errors.Is(err, sandbox.ErrKept):
		return refuse(http.StatusConflict, "%v", err)
	case errors.Is(err, sandbox.ErrNoSandbox):
		return refuse(http.StatusNotFound, "%v", err)
	case err != nil:
		return err
	}
	return done(w)
}

// reset puts the world, the faults, the journal, the clock and the random source back to the start. Snapshots stay.
func (a api) reset(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	sb.Reset()
	return done(w)
}

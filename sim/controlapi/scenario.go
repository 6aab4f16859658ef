package controlapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// scenarioCalls returns the calls about scenarios.
func (c control) scenarioCalls() []Call {
	return []Call{
		newCall("GET", "/v1/scenarios", "listScenarios",
			"All built-in scenarios, sorted by name.", c.listScenarios).
			large(reflect.TypeFor[scenarioList]()),
		newCall("GET", "/v1/scenarios/schema", "getScenarioSchema",
			"The JSON Schema of scenarios, for editors.", c.getScenarioSchema).
			large(reflect.TypeFor[map[string]any]()),
		newCall("POST", "/v1/scenarios/validate", "validateScenario",
			"Whether a scenario is valid. Lists all its problems. Changes nothing.", c.validateScenario).reads().
			large(reflect.TypeFor[scenarioVerdict]()).
			takes(yamlMedia, "text/plain").example(oneScenario),
		inSandbox(c, "GET", "/scenario", "getScenario",
			"The scenario's YAML. By default as it was written, without what it extends. "+
				"A stored bank has it with all that it extends.", c.getScenario).
			large(nil).answers(yamlMedia, AboutScenario),
		inSandbox(c, "PUT", "/scenario", "putScenario",
			"Start from another scenario. Later resets start from it, too.", c.putScenario).takes(yamlMedia).
			example(oneScenario),
		inSandbox(c, "DELETE", "/scenario", "deleteScenario",
			"Give up a scenario of its own: start from the simulator's again, and follow its files.", c.deleteScenario),
	}
}

const oneScenario = `{"extends": "retail"}` // JSON is YAML

// scenarioFile is the file name of a scenario from a request in messages. A scenario without a name is named after it.
const scenarioFile = "scenario.yaml"

// library loads each built-in scenario once, so that the sandboxes that start from it share its rows.
type library map[string]func() (*scenario.Scenario, error)

func newLibrary() library {
	l := library{}
	for _, name := range scenario.Names() {
		l[name] = sync.OnceValues(func() (*scenario.Scenario, error) { return scenario.Load(name) })
	}
	return l
}

// load returns a built-in scenario. It refuses (422) any other name, also of a file: callers of the control API must
// not read files of the server's machine.
func (l library) load(name string) (*scenario.Scenario, error) {
	if load, ok := l[name]; ok {
		return load()
	}
	refused := refuse(http.StatusUnprocessableEntity,
		"scenario must name a built-in scenario, never a file: send a scenario of your own as scenarioYaml")
	if _, err := scenario.Source(name); err != nil {
		refused.Problems = []api.Defect{{Message: err.Error()}}
	}
	return nil, refused
}

// parseScenario loads a scenario from its YAML. It refuses (422) a bad one with all errors.
func parseScenario(source []byte) (*scenario.Scenario, error) {
	sc, err := scenario.Parse(scenarioFile, source)
	if err != nil {
		return nil, refuseInput("the scenario has", err)
	}
	return sc, nil
}

// alone calls a function that reads or writes a whole scenario, one at a time: that takes many times the memory of its
// text.
func (c control) alone(ctx context.Context, fn func() error) error {
	select {
	case c.scenarios <- struct{}{}:
		defer func() { <-c.scenarios }()
		return fn()
	case <-ctx.Done():
		return refuse(http.StatusServiceUnavailable, "other scenarios were read all the time: ask again later")
	}
}

// refuseInput returns the refusal (422) of an input with all its problems. It returns another error unchanged.
func refuseInput(has string, err error) error {
	var wrong scenario.Problems
	if !errors.As(err, &wrong) {
		return err
	}
	refused := refuse(http.StatusUnprocessableEntity, "%s %d problems, and nothing was changed", has, len(wrong))
	if len(wrong) == 1 {
		refused.Detail = has + " a problem, and nothing was changed"
	}
	refused.Problems = defects(wrong)
	return refused
}

func defects(wrong scenario.Problems) []api.Defect {
	return list(slices.Values(wrong), func(p scenario.Problem) api.Defect { return api.Defect(p) })
}

type scenarioQuery struct {
	SandboxPath
	Resolved bool `query:"resolved" doc:"Whether the scenarios that it extends are merged in."`
	Origins  bool `query:"origins" default:"true" doc:"Whether comments say where each line of a merged scenario was written."`
}

// getScenario answers for a fork with the scenario of the sandbox that it was forked from.
func (c control) getScenario(ctx context.Context, b bank, in *scenarioQuery) (stream, error) {
	source, err := b.now.Scenario.Source, error(nil)
	switch {
	case in.Resolved && in.Origins, !in.Resolved && c.Sandboxes.IsStored(): // a store has nothing else
		source, err = b.now.Scenario.Resolved()
	case in.Resolved:
		source, err = b.now.Scenario.Merged()
	}
	if err != nil {
		return nil, err
	}
	return largeText(yamlMedia, source), nil
}

type putScenarioInput struct {
	SandboxPath
	Caller
	Body yamlBody
}

// putScenario keeps a seed that the sandbox was created with. Otherwise the seed of the new scenario applies.
func (c control) putScenario(ctx context.Context, b bank, in *putScenarioInput) (api.Sandbox, error) {
	err := c.alone(ctx, func() error {
		sc, err := parseScenario(in.Body.data)
		if err != nil {
			return err
		}
		return b.Restart(ctx, in.caller, sc)
	})
	return c.describeSandbox(b.Info()), err
}

type deleteScenarioInput struct {
	SandboxPath
	Caller
}

func (c control) deleteScenario(ctx context.Context, b bank, in *deleteScenarioInput) (api.Sandbox, error) {
	err := c.alone(ctx, func() error { return b.FollowRegistry(ctx, in.caller) })
	return c.describeSandbox(b.Info()), err
}

// scenarioList lists scenarios.
type scenarioList struct {
	Scenarios []scenarioInfo `json:"scenarios"`
}

// scenarioInfo describes a scenario.
type scenarioInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	YAML        string `json:"yaml"`
}

func (c control) listScenarios(context.Context, *nothing) (stream, error) {
	return largeValue(scenarioList{list(slices.Values(scenario.BuiltIn()), func(s scenario.Summary) scenarioInfo {
		source, _ := scenario.Source(s.Name) // a built-in scenario has one
		return scenarioInfo{s.Name, s.Description, string(source)}
	})}), nil
}

func (c control) getScenarioSchema(context.Context, *nothing) (stream, error) {
	return largeValue(json.RawMessage(scenario.Schema())), nil
}

// scenarioVerdict says whether a scenario is valid.
type scenarioVerdict struct {
	Valid    bool              `json:"valid"`
	Problems []api.Defect      `json:"problems"`
	Warnings []api.Defect      `json:"warnings" doc:"The parts that are valid, but probably a mistake."`
	Summary  *scenario.Summary `json:"summary" doc:"What the scenario contains, or null if it is not valid."`
}

// validateScenario checks a scenario without making its rows. The scenario can extend built-in ones only, since callers
// must not read files of the server's machine.
func (c control) validateScenario(ctx context.Context, in *struct {
	Body yamlBody
}) (stream, error) {
	var sc *scenario.Scenario
	err := c.alone(ctx, func() (err error) {
		sc, err = scenario.Parse(scenarioFile, in.Body.data, scenario.WithoutWorld())
		return err
	})
	var wrong scenario.Problems
	switch {
	case errors.As(err, &wrong):
		return largeValue(scenarioVerdict{Problems: defects(wrong), Warnings: []api.Defect{}}), nil
	case err != nil:
		return nil, err
	}
	return largeValue(scenarioVerdict{
		Valid: true, Problems: []api.Defect{}, Warnings: defects(sc.Warnings), Summary: &sc.Summary,
	}), nil
}

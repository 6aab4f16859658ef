package controlapi

import (
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// scenarioFile is the file name of a scenario from a request in messages. A scenario without a name is named after it.
const scenarioFile = "scenario.yaml"

// library loads each built-in scenario once, so that the sandboxes that start from one share its rows.
type library map[string]func() (*scenario.Scenario, error)

func newLibrary() library {
	l := library{}
	for _, name := range scenario.Names() {
		l[name] = sync.OnceValues(func() (*scenario.Scenario, error) { return scenario.Load(name) })
	}
	return l
}

// load returns a built-in scenario. It refuses any other name (422), including that of a file: callers of the control API
// must not read files of the server's machine.
func (l library) load(name string) (*scenario.Scenario, error) {
	if load, ok := l[name]; ok {
		return load()
	}
	problem := refuse(http.StatusUnprocessableEntity,
		"scenario must name a built-in scenario, never a file: send a scenario of your own as scenarioYaml")
	if _, err := scenario.Source(name); err != nil {
		problem.Problems = []api.Defect{{Message: err.Error()}}
	}
	return nil, problem
}

// parseScenario loads a scenario from its YAML. It refuses a bad one (422) with all errors.
func parseScenario(source []byte) (*scenario.Scenario, error) {
	sc, err := scenario.Parse(scenarioFile, source)
	if err != nil {
		return nil, badInput("the scenario has", err)
	}
	return sc, nil
}

// badInput returns the problem (422) with all errors of an input. It returns another error as it is.
func badInput(has string, err error) error {
	var wrong scenario.Problems
	if !errors.As(err, &wrong) {
		return err
	}
	problem := refuse(http.StatusUnprocessableEntity, "%s %d problems, and nothing was changed", has, len(wrong))
	if len(wrong) == 1 {
		problem.Detail = has + " a problem, and nothing was changed"
	}
	problem.Problems = defects(wrong)
	return problem
}

func defects(wrong scenario.Problems) []api.Defect {
	return list(slices.Values(wrong), func(p scenario.Problem) api.Defect { return api.Defect(p) })
}

// getScenario answers for a fork with the scenario of the sandbox that it was forked from.
func (a control) getScenario(w http.ResponseWriter, r *http.Request, sb bank) error {
	sc := sb.now.Scenario
	if r.URL.Query().Get("resolved") != "true" {
		return writeBody(w, http.StatusOK, yamlMedia, sc.Source)
	}
	source, err := sc.Resolved()
	if err != nil {
		return err
	}
	return writeBody(w, http.StatusOK, yamlMedia, source)
}

// putScenario keeps a seed that the sandbox was created with; otherwise that of the new scenario applies.
func (a control) putScenario(w http.ResponseWriter, r *http.Request, sb bank) error {
	source, err := readBody(r)
	if err != nil {
		return err
	}
	sc, err := parseScenario(source)
	if err != nil {
		return err
	}
	if err := sb.Restart(r.Context(), clientOf(r), sc); err != nil {
		return err
	}
	return reply(w, a.newSandboxInfo(sb.Info()))
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

// scenarioVerdict says whether a scenario is valid.
type scenarioVerdict struct {
	Valid    bool              `json:"valid"`
	Problems []api.Defect      `json:"problems"`
	Warnings []api.Defect      `json:"warnings" doc:"What is valid and probably a mistake."`
	Summary  *scenario.Summary `json:"summary" doc:"null: it is not valid."`
}

func (a control) listScenarios(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, scenarioList{list(slices.Values(scenario.BuiltIn()), func(s scenario.Summary) scenarioInfo {
		source, _ := scenario.Source(s.Name) // a built-in one has one
		return scenarioInfo{s.Name, s.Description, string(source)}
	})})
}

// validateScenario checks a scenario without making its rows. The scenario can extend built-in ones only, since callers
// must not read files of the server's machine.
func (a control) validateScenario(w http.ResponseWriter, r *http.Request) error {
	source, err := readBody(r)
	if err != nil {
		return err
	}
	sc, err := scenario.Parse(scenarioFile, source, scenario.WithoutWorld())
	var wrong scenario.Problems
	switch {
	case errors.As(err, &wrong):
		return reply(w, scenarioVerdict{Problems: defects(wrong), Warnings: []api.Defect{}})
	case err != nil:
		return err
	}
	return reply(w, scenarioVerdict{
		Valid: true, Problems: []api.Defect{}, Warnings: defects(sc.Warnings), Summary: &sc.Summary,
	})
}

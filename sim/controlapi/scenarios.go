package controlapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// scenarioList lists scenarios.
type scenarioList struct {
	Scenarios []scenarioInfo `json:"scenarios"`
}

// scenarioInfo describes a scenario.
type scenarioInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	BuiltIn     bool   `json:"builtIn"`
}

// scenarioVerdict says whether a scenario is valid.
type scenarioVerdict struct {
	Valid    bool              `json:"valid"`
	Problems []api.Defect      `json:"problems"`
	Summary  *scenario.Summary `json:"summary" about:"null: it is not valid."`
	Resolved *resolvedScenario `json:"resolved,omitzero" about:"If it was asked for and the scenario is valid."`
}

// listScenarios answers {scenarios: [...]}, sorted by name.
func (a control) listScenarios(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, scenarioList{list(slices.Values(scenario.BuiltIn()), func(s scenario.Summary) scenarioInfo {
		return scenarioInfo{s.Name, s.Description, true}
	})})
}

// showScenario answers with the YAML of a built-in scenario; 404 for any other name, including that of a file.
func (a control) showScenario(w http.ResponseWriter, r *http.Request) error {
	source, err := scenario.Source(pathVar(r, "scenario"))
	if err != nil {
		return refuse(http.StatusNotFound, "%v", err)
	}
	return writeYAML(w, source)
}

// validateScenario takes the YAML of a scenario and answers with all that is wrong with it. The scenario can extend built-in
// ones only: callers must not read files of the server's machine.
func (a control) validateScenario(w http.ResponseWriter, r *http.Request) error {
	resolves, err := boolean(r.URL.Query(), "resolved")
	if err != nil {
		return err
	}
	source, err := readBody(r)
	if err != nil {
		return err
	}
	if err := a.large.take(r.Context()); err != nil {
		return err
	}
	defer a.large.leave()
	verdict, err := examine(source, resolves)
	if err != nil {
		return err
	}
	return reply(w, verdict)
}

func examine(source []byte, resolves bool) (scenarioVerdict, error) {
	examined, err := scenario.Examine(scenarioFile, source)
	var wrong scenario.Problems
	if errors.As(err, &wrong) {
		return scenarioVerdict{Problems: defects(wrong)}, nil
	}
	if err != nil {
		return scenarioVerdict{}, err
	}
	verdict := scenarioVerdict{Valid: true, Problems: []api.Defect{}, Summary: &examined.Summary}
	if resolves {
		resolved, err := examined.Resolve()
		if err != nil {
			return scenarioVerdict{}, err
		}
		shown := newResolvedScenario(resolved)
		verdict.Resolved = &shown
	}
	return verdict, nil
}

package controlapi

import (
	"errors"
	"net/http"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// scenarioFile is what messages call a scenario that came over the wire. One without a name gets its name from it.
const scenarioFile = "scenario.yaml"

// library loads the embedded scenarios, each once: the sandboxes that start from one share its rows.
type library map[string]func() (*scenario.Scenario, error)

func newLibrary() library {
	l := library{}
	for _, name := range scenario.Names() {
		l[name] = sync.OnceValues(func() (*scenario.Scenario, error) { return scenario.Load(name) })
	}
	return l
}

// load returns an embedded scenario. It refuses any other name (422), a file's too: a caller of the control API
// does not get to read files of the machine that the server runs on.
func (l library) load(name string) (*scenario.Scenario, error) {
	if load, ok := l[name]; ok {
		return load()
	}
	p := newProblem(http.StatusUnprocessableEntity,
		"scenario must name a built-in scenario, never a file: send a scenario of your own as scenarioYaml")
	if _, err := scenario.Source(name); err != nil {
		p.Problems = []Defect{{Message: err.Error()}}
	}
	return nil, p
}

// parseScenario loads a scenario from its YAML. It refuses a bad one (422) with all that is wrong with it.
func parseScenario(source []byte) (*scenario.Scenario, error) {
	sc, err := scenario.Parse(scenarioFile, source)
	if err != nil {
		return nil, badInput("the scenario has", err)
	}
	return sc, nil
}

// badInput refuses what a caller has written (422) with all that is wrong with it. Another error stays what it is.
func badInput(has string, err error) error {
	var wrong scenario.Problems
	if !errors.As(err, &wrong) {
		return err
	}
	p := newProblem(http.StatusUnprocessableEntity, "%s %d problems, and nothing was changed", has, len(wrong))
	if len(wrong) == 1 {
		p.Detail = has + " a problem, and nothing was changed"
	}
	p.Problems = defects(wrong)
	return p
}

func defects(wrong scenario.Problems) []Defect {
	list := make([]Defect, len(wrong))
	for i, w := range wrong {
		list[i] = Defect{File: w.File, Line: w.Line, Column: w.Column, Message: w.Message}
	}
	return list
}

// getScenario answers with the YAML that the sandbox, or the one that it was forked from, starts from: as it was
// given, without what it extends.
func (a api) getScenario(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	w.Header().Set("Content-Type", "application/yaml") // RFC 9512
	_, _ = w.Write(sb.Scenario().Source)
	return nil
}

// putScenario takes a scenario's YAML and makes the sandbox start from it, now and at every reset to come. A seed that
// the sandbox was created with stays; else the new scenario's own counts. A bad scenario is refused (422), and leaves
// everything as it was.
func (a api) putScenario(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	source, err := readBody(r, yamlMedia)
	if err != nil {
		return err
	}
	sc, err := parseScenario(source)
	if err != nil {
		return err
	}
	if err := sb.Restart(sc); err != nil {
		return refuse(http.StatusNotFound, "%v", err)
	}
	return reply(w, a.describe(sb))
}

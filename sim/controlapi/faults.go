package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// faultsFile is the file name of fault rules from a request in messages.
const faultsFile = "faults"

// listFaults answers {faults: [...]}, in the order in which they apply.
func (a control) listFaults(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, api.Faults{Faults: fault.Shown(sb.Faults().Counts())})
}

// addFaults takes a rule, a list of rules or {faults: [...]}, as JSON or YAML, and appends them to those of the sandbox,
// until its next reset. It answers with the new rules. If one is refused, none is added: it refuses bad rules (422) with
// all errors, a name that is taken (409) and too many rules (429).
func (a control) addFaults(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	source, err := readBody(r)
	if err != nil {
		return err
	}
	rules, err := scenario.ParseFaults(faultsFile, source)
	if err != nil {
		return badInput("the faults have", err)
	}
	added, err := sb.Faults().Add(rules...)
	if err != nil {
		return err
	}
	return created(w, api.Faults{Faults: fault.Shown(added)})
}

// clearFaults removes all rules, including those of the scenario, until the next reset of the sandbox.
func (a control) clearFaults(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	sb.Faults().Clear()
	return done(w)
}

// removeFault removes a rule by its name; 404 if there is none.
func (a control) removeFault(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	name := pathVar(r, "fault")
	if !sb.Faults().Remove(name) {
		return refuse(http.StatusNotFound, "there is no fault %s: GET …/faults lists them", phrase.Quote(name))
	}
	return done(w)
}

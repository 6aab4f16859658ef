package controlapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// faultsFile is what messages call fault rules that came over the wire.
const faultsFile = "faults"

// FaultList answers with rules: as they were given, with how many requests matched each and for how many it fired.
type FaultList struct {
	Faults []fault.Counted `json:"faults"`
}

// listFaults answers {faults: [...]}, in the order in which they are looked at.
func (a api) listFaults(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	return reply(w, FaultList{sb.Faults().Counts()})
}

// addFaults takes a rule, a list of rules or {faults: [...]}, as JSON or YAML, puts them behind those that the sandbox
// has, until its next reset, and answers with them. Either all are added or none: it refuses bad ones (422) with all
// that is wrong with them, a name that is taken (409) and more rules than there may be (429).
func (a api) addFaults(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	source, err := readBody(r, slices.Concat(jsonMedia, yamlMedia))
	if err != nil {
		return err
	}
	rules, err := scenario.ParseFaults(faultsFile, source)
	if err != nil {
		return badInput("the faults have", err)
	}
	added, err := sb.Faults().Add(rules...)
	switch {
	case errors.Is(err, fault.ErrNameTaken):
		return refuse(http.StatusConflict, "%v", err)
	case errors.Is(err, fault.ErrTooMany):
		return refuse(http.StatusTooManyRequests, "%v", err)
	case err != nil:
		return err
	}
	return created(w, "", FaultList{added})
}

// clearFaults removes all rules, the scenario's too, until the sandbox's next reset.
func (a api) clearFaults(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	sb.Faults().Clear()
	return done(w)
}

// removeFault removes a rule by its name; 404 where there is none.
func (a api) removeFault(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	name := pathVar(r, "fault")
	if !sb.Faults().Remove(name) {
		return refuse(http.StatusNotFound, "there is no fault %s: GET …/faults lists them", shown(name))
	}
	return done(w)
}

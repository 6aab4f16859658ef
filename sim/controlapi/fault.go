package controlapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// addFaultCalls adds the calls about fault rules.
func (c control) addFaultCalls(a huma.API) {
	addLarge[api.Faults](c, a, inSandbox("GET", "/faults", "listFaults",
		"All fault rules, in their order."), withSandbox(c, c.listFaults))
	add(c, a, inSandbox("POST", "/faults", "addFaults", "Add fault rules, until the next reset.").
		created().takesAlso(yamlMedia), withSandbox(c, c.addFaults))
	add(c, a, inSandbox("PUT", "/faults", "replaceFaults",
		"Replace all fault rules. Those that stay keep their counts.").
		takesAlso(yamlMedia), withSandbox(c, c.replaceFaults))
	add(c, a, inSandbox("DELETE", "/faults", "clearFaults",
		"Remove all fault rules, or some. A reset brings back the rules of the scenario.").orVerdict(a),
		withSandbox(c, c.clearFaults))
}

func (c control) listFaults(ctx context.Context, b bank, in *SandboxPath) (*huma.StreamResponse, error) {
	return largeValue(api.Faults{Faults: b.now.Faults.Counts()}), nil
}

// faultsBody is one fault rule, a list, or a list in an object, in JSON or YAML.
type faultsBody struct{ raw }

// Schema implements huma.SchemaProvider.
func (faultsBody) Schema(huma.Registry) *huma.Schema {
	rule := faultRule{}.Schema(nil)
	rules := &huma.Schema{Type: huma.TypeArray, Items: rule}
	return &huma.Schema{AnyOf: []*huma.Schema{rule, rules, {
		Type: huma.TypeObject, Required: []string{"faults"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{"faults": rules},
	}}}
}

type faultsInput struct {
	SandboxPath
	Body faultsBody
}

func (c control) addFaults(ctx context.Context, b bank, in *faultsInput) (*answer[api.Faults], error) {
	return putFaults(ctx, b, in.Body.data, addSome)
}

func addSome(s *fault.Set, rules ...fault.Rule) (next *fault.Set, added []fault.Counted, err error) {
	if len(rules) == 0 {
		return nil, nil, refuse(http.StatusUnprocessableEntity, "there is no fault to add: give one, or a list")
	}
	return s.Add(rules...)
}

func (c control) replaceFaults(ctx context.Context, b bank, in *faultsInput) (*answer[api.Faults], error) {
	return putFaults(ctx, b, in.Body.data, (*fault.Set).Replace)
}

// putFaults puts rules into the set of the sandbox. If one is refused, nothing is changed.
func putFaults(ctx context.Context, b bank, source []byte,
	put func(*fault.Set, ...fault.Rule) (*fault.Set, []fault.Counted, error),
) (*answer[api.Faults], error) {
	rules, err := scenario.ParseFaults("faults", source)
	if err != nil {
		return nil, refuseInput("the faults have", err)
	}
	if err := checkReferences(b.now.World, rules); err != nil {
		return nil, err
	}
	var shown []fault.Counted
	err = b.Change(ctx, func(tx *sandbox.Tx) error {
		next, added, err := put(tx.Faults, rules...)
		if err != nil {
			return err
		}
		tx.Faults, shown = next, added
		return nil
	})
	return reply(api.Faults{Faults: shown}, err)
}

// checkReferences refuses (422) a rule for the requests of an institution or a user that the world doesn't have, or
// about an alert type that is a slip of one that it has.
func checkReferences(w *sim.World, rules []fault.Rule) error {
	isExpression := func(text string) bool { return strings.HasPrefix(text, "~") }
	for n, rule := range rules {
		for _, mistake := range rule.Mistakes(valuesIn(w)) {
			return refuse(http.StatusUnprocessableEntity, "fault %d: %s", n+1, mistake.Text)
		}
		r := rule.When.Request
		if r == nil || r.InstitutionID+r.HostUserID == "" || isExpression(r.InstitutionID) {
			continue
		}
		hasInstitution, hasUser := false, false
		for i := range w.Institutions() {
			if r.InstitutionID == "" || r.InstitutionID == i.InstitutionID {
				_, found := w.User(i.InstitutionID, r.HostUserID)
				hasInstitution, hasUser = true, hasUser || found
			}
		}
		switch {
		case !hasInstitution:
			return refuse(http.StatusUnprocessableEntity, "fault %d: the bank has no institution %s",
				n+1, wording.Quote(r.InstitutionID))
		case r.HostUserID != "" && !isExpression(r.HostUserID) && !hasUser:
			return refuse(http.StatusUnprocessableEntity, "fault %d: the bank has no user %s: add the user first",
				n+1, wording.Quote(r.HostUserID))
		}
	}
	return nil
}

func noFault(name string) error {
	return refuse(http.StatusNotFound, "there is no fault %s: GET …/faults lists them", wording.Quote(name))
}

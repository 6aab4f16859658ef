package controlapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// faultCalls returns the calls about fault rules.
func (c control) faultCalls() []Call {
	return []Call{
		inSandbox(c, "GET", "/faults", "listFaults", "All fault rules, in their order.",
			c.listFaults).
			large(reflect.TypeFor[api.Faults]()),
		inSandbox(c, "POST", "/faults", "addFaults", "Add fault rules, until the next reset.", c.addFaults).
			created().takes(jsonMedia, yamlMedia).example(oneFault),
		inSandbox(c, "PUT", "/faults", "replaceFaults",
			"Replace all fault rules. Those that stay keep their counts.", c.replaceFaults).takes(jsonMedia, yamlMedia).
			example(`[` + oneFault + `]`),
		inSandbox(c, "DELETE", "/faults", "clearFaults",
			"Remove all fault rules, or some. A reset brings back the rules of the scenario.", c.clearFaults).
			orVerdict(),
	}
}

var oneFault = `{"operation": "` + contract.GroupsList.Name + `", "when": {"first": 2}, "then": {"status": 503}}`

func (c control) listFaults(ctx context.Context, b bank, in *SandboxPath) (stream, error) {
	return largeValue(api.Faults{Faults: b.now.Faults.Counts()}), nil
}

// faultsBody is one fault rule, a list, or a list in an object, in JSON or YAML.
type faultsBody struct{ raw }

// Holds implements [BodyType].
func (faultsBody) Holds() (of reflect.Type, about string) { return reflect.TypeFor[FaultList](), "" }

// FaultList stands for the three forms that a body with fault rules can have.
type FaultList struct{}

type faultsInput struct {
	SandboxPath
	Body faultsBody
}

func (c control) addFaults(ctx context.Context, b bank, in *faultsInput) (api.Faults, error) {
	return putFaults(ctx, b, in.Body.data, addSome)
}

func addSome(s *fault.Set, rules ...fault.Rule) (next *fault.Set, added []fault.Counted, err error) {
	if len(rules) == 0 {
		return nil, nil, refuse(http.StatusUnprocessableEntity, "there is no fault to add: give one, or a list")
	}
	return s.Add(rules...)
}

func (c control) replaceFaults(ctx context.Context, b bank, in *faultsInput) (api.Faults, error) {
	return putFaults(ctx, b, in.Body.data, (*fault.Set).Replace)
}

// putFaults puts rules into the set of the sandbox. If one is refused, nothing is changed.
func putFaults(ctx context.Context, b bank, source []byte,
	put func(*fault.Set, ...fault.Rule) (*fault.Set, []fault.Counted, error),
) (api.Faults, error) {
	rules, err := scenario.ParseFaults("faults", source)
	if err != nil {
		return api.Faults{}, refuseInput("the faults have", err)
	}
	if err := checkReferences(b.now.World, rules); err != nil {
		return api.Faults{}, err
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
	return api.Faults{Faults: shown}, err
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

type clearFaultsInput struct {
	SandboxPath
	VerdictOnEnd
	Name string `query:"name" minLength:"1" doc:"Only the faults with these names, joined by commas."`
}

// clearFaults removes faults. It refuses (404) a name that no fault has, unless the verdict is asked for: that has the
// finding that the fault has left.
func (c control) clearFaults(ctx context.Context, b bank, in *clearFaultsInput) (stream, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var names []string
	if in.Name != "" {
		names = strings.Split(in.Name, ",")
	}
	var before *fault.Set
	err := b.Change(ctx, func(tx *sandbox.Tx) (err error) {
		isGone := func(name string) bool { return !tx.Faults.Has(name) }
		if i := slices.IndexFunc(names, isGone); i >= 0 && !in.Verdict {
			return noFault(names[i])
		}
		before = tx.Faults
		if names != nil {
			tx.Faults = tx.Faults.Remove(names...)
		} else if tx.Faults, _, err = tx.Faults.Replace(); err != nil { // replaced by no rule
			return err
		}
		if in.Verdict {
			tx.Faults = tx.Faults.ForgetFindings(names...)
		}
		return nil
	})
	var v verdict.Verdict
	if err == nil && in.Verdict {
		v, err = c.verdictOf(ctx, b, before, before.Findings(names...), in.VerdictQuery)
	}
	return in.reply(v, err)
}

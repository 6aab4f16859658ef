package explore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Call is a request of an app to an operation.
type Call struct {
	Operation string `json:"operation"`
	Dialect   string `json:"dialect"`
	Number    int    `json:"number"` // counts the calls of the operation in its run, from 1
	// Request identifies what the call asks for, without what differs from call to call, such as the id of the request.
	Request string `json:"request"`
}

// Name returns the operation and the number, such as groups.create#1.
func (c Call) Name() string { return fmt.Sprintf("%s#%d", c.Operation, c.Number) }

// FailingCall is a call with its failure.
type FailingCall struct {
	Call    Call    `json:"call"`
	Failure Failure `json:"failure"`
}

// Name returns the names of the call and the failure, such as groups.create#1/500_2001.
func (f FailingCall) Name() string { return f.Call.Name() + "/" + f.Failure.Name }

// when returns the requests that the fault is for: the call and, if the failure stays, the calls that follow.
func (f FailingCall) when() fault.When {
	if f.Failure.Stays {
		before := f.Call.Number - 1
		return fault.When{First: before + stayingCalls, After: before}
	}
	return fault.When{Nth: f.Call.Number}
}

// Run is a run of the app. The zero Run is undisturbed.
type Run struct {
	Faults []FailingCall `json:"faults"` // in the order of the calls

	order []int  // sorts the runs of a report: for each fault the index of the call and that of the failure
	state string // see trace.state
}

// Name returns the names of the faults, joined by "+", such as groups.create#1/500_2001.
func (r Run) Name() string {
	names := make([]string, len(r.Faults))
	for i, f := range r.Faults {
		names[i] = f.Name()
	}
	return strings.Join(names, "+")
}

// Rules returns the fault rules of the run, for a bank that had no request yet.
func (r Run) Rules() []fault.Rule {
	rules := make([]fault.Rule, len(r.Faults))
	for i, f := range r.Faults {
		rules[i] = fault.Rule{
			Name: ruleName(i), Operation: fault.Operations{f.Call.Operation}, When: f.when(),
			Phase: f.Failure.Phase, Then: f.Failure.Then,
		}
	}
	return rules
}

const rulePrefix = "explore-"

// ruleName returns the name of the rule for a fault, given the fault's index in its run.
func ruleName(i int) string { return fmt.Sprint(rulePrefix, i+1) }

// yaml returns the rules of the run as the faults of a scenario.
func (r Run) yaml() string {
	var b strings.Builder
	b.WriteString("faults:\n")
	for _, rule := range r.Rules() {
		fmt.Fprintf(&b, "  - name: %s\n    operation: %s\n    when: %s\n",
			rule.Name, rule.Operation[0], encode(rule.When))
		if rule.Phase != "" {
			fmt.Fprintf(&b, "    phase: %s\n", rule.Phase)
		}
		fmt.Fprintf(&b, "    then: %s\n", encode(rule.Then)) // JSON is YAML
	}
	return b.String()
}

// Find returns the run of a name, such as one that a report has. The run may be one that is not planned yet.
func (e *Explorer) Find(name string) (Run, error) {
	var r Run
	for part := range strings.SplitSeq(name, "+") {
		f, err := e.findFailure(part)
		if err != nil {
			return Run{}, fmt.Errorf("%s is no run: %w", wording.Quote(part), err)
		}
		r.Faults = append(r.Faults, f)
	}
	return r, nil
}

// findFailure returns the failing call of a name.
func (e *Explorer) findFailure(name string) (FailingCall, error) {
	operation, rest, _ := strings.Cut(name, "#")
	number, wanted, _ := strings.Cut(rest, "/")
	n, _ := strconv.Atoi(number)
	c := Call{Operation: operation, Number: n, Dialect: e.baseline.dialectOf(operation)}
	op := operationOf(operation, c.Dialect)
	if op == nil || n < 1 {
		return FailingCall{}, fmt.Errorf("write calls of operations and their failures, joined by +, "+
			"such as %s#1/500_2001", contract.GroupsCreate.Name)
	}
	var names []string
	for _, f := range Failures(op, e.options.Behavior) {
		names = append(names, f.Name)
		if staying, ok := f.staying(); ok && staying.Name == wanted {
			f = staying
		}
		if f.Name == wanted {
			return FailingCall{c, f}, nil
		}
	}
	return FailingCall{}, fmt.Errorf("%s can't fail with %s, but with %s",
		operation, wording.Quote(wanted), strings.Join(names, ", "))
}
